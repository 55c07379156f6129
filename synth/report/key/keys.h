/* keys.h - the keys of --sort: what makes a row of its own, and its cells.
 *
 * SPDX-License-Identifier: MIT
 *
 *     item --key_words--> numbers   rows are equal when all of theirs are (hists.c)
 *     key->compare                  the order in which perf keeps rows that it collects
 *     key->rank                     the order in which it prints them
 */
#ifndef PTS_SYNTH_REPORT_KEY_KEYS_H
#define PTS_SYNTH_REPORT_KEY_KEYS_H

#include "synth/print/text.h"
#include "synth/report/key/subject.h"
#include "synth/rows/strings.h"

#include <ptscript/status.h>

enum { KEYS_MAX = 64, KEY_WORDS = 4 };

struct around;
struct field_key;

struct key_context {
    struct strings *strings;
    bool by_dso;    /* a key of --sort says the file, so symbols need not */
    bool by_symbol; /* a key says the symbol, so columns of IPC need not */
    bool ns;        /* times with nine decimals */
    const struct around *around; /* what was told of the machine */
    bool narrow;                 /* columns of files need not hold addresses */
    bool still;     /* perf does not compare there: nothing is learned of it */
    uint32_t epoch; /* now: threads may be called otherwise later */
};

struct key {
    const char *name, *title;
    bool branch; /* only where branches are counted */
    bool mem;    /* only where accesses to memory are */
    bool pads;   /* its cell is cut and padded to the width */
    bool more;   /* of what few samples have, and a row is not the same at an address */
    bool counts; /* its cell goes by the samples in the row */
    bool vague;  /* compare says no order, or takes two for one that words tell apart */
    /* Words that are the same where the key is; how many.  0: no memory. */
    uint32_t (*words)(struct key_context *c, const struct subject *i, uint64_t *word);
    /* Below 0: a stands behind b. */
    int64_t (*compare)(const struct key_context *c, const struct subject *a,
                       const struct subject *b);
    int64_t (*rank)(const struct subject *a,
                    const struct subject *b); /* NULL: compare */
    void (*cell)(const struct key_context *c, const struct subject *i, size_t width,
                 struct text *t);
    uint32_t (*width)(const struct key_context *c, const struct subject *i);
    /* perf looks for it when it compares a row by it, and here never did; late: only when it had seen how wide
     * the row is.  NULL: no matter. */
    void (*skip)(struct subject *i, bool late);
    struct field_key
        *field; /* that of a tracepoint, and nothing above but names; or NULL */
};

/* perf takes any beginning of a name; NULL: there is none. */
const struct key *key_find(const char *name, size_t n);
/* The name of the i-th of all keys; NULL: there are no more. */
const char *key_name_at(size_t i);

/* --- What a key says, be it one of these or a field of a tracepoint (key_field.c) ------ */

uint32_t field_words(const struct field_key *f, struct key_context *c,
                     const struct subject *i, uint64_t *word);
int64_t field_compare(struct field_key *f, const struct key_context *c,
                      const struct subject *a, const struct subject *b);
void field_cell(const struct field_key *f, const struct subject *i, size_t width,
                struct text *t);

static inline uint32_t key_words(const struct key *k, struct key_context *c,
                                 const struct subject *i, uint64_t *word)
{
    return k->field ? field_words(k->field, c, i, word) : k->words(c, i, word);
}

static inline int64_t key_compare(const struct key *k, const struct key_context *c,
                                  const struct subject *a, const struct subject *b)
{
    return k->field ? field_compare(k->field, c, a, b) : k->compare(c, a, b);
}

static inline int64_t key_rank(const struct key *k, const struct key_context *c,
                               const struct subject *a, const struct subject *b)
{
    return k->rank ? k->rank(a, b) : key_compare(k, c, a, b);
}

static inline void key_cell(const struct key *k, const struct key_context *c,
                            const struct subject *i, size_t width, struct text *t)
{
    if (k->field)
        field_cell(k->field, i, width, t);
    else
        k->cell(c, i, width, t);
}

#endif
