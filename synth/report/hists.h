/* hists.h - the rows of an event: what was counted, and how often.
 *
 * SPDX-License-Identifier: MIT
 *
 * While samples come, rows are found by a hash of what makes them different (keys.h).  At
 * the end they are put in order, twice, as perf does: as it would have collected them, then
 * by what they weigh.
 *
 * perf looks for them in a tree.  By symbols without files its order contradicts itself, so
 * that it may miss a row that is there, and make another one: then there is such a tree
 * here, too.  So it does by addresses more than half of all 64 bits apart, and by the name of a
 * thread that gets another one in the rows that it has: when the first one of these comes, the
 * rows that are there go into such a tree.
 */
#ifndef PTS_SYNTH_REPORT_HISTS_H
#define PTS_SYNTH_REPORT_HISTS_H

#include "decoder/base/arena.h"
#include "decoder/base/idmap.h"
#include "decoder/base/redblack.h"
#include "synth/report/chains.h"
#include "synth/report/key/keys.h"
#include "synth/report/report_options.h"

/* Why a row is not shown, as bits. */
enum row_filter {
    FILTER_THREAD = 1,
    FILTER_DSO = 2,
    FILTER_SYMBOL = 4,
    FILTER_PARENT = 8,
    FILTER_SOCKET = 16,
    FILTER_GUEST = 32
};

struct tally {
    uint64_t period, sys, us, guest_sys, guest_us;
    uint64_t count;
};

/* With what was called. */
struct tally_all {
    uint64_t period, count;
};

struct entry {
    struct subject item;
    struct tally self;
    struct tally_all all;
    uint32_t number;
    uint32_t next;     /* with the same hash; IDMAP_NONE */
    uint32_t words;    /* where they begin */
    uint32_t chains;   /* its tree; REDBLACK_NONE: none yet */
    uint32_t depth;    /* of the longest of them */
    uint8_t filtered;  /* by what its first item was: enum row_filter */
    bool met_again;    /* in the chain of one sample */
    bool shows_chains; /* known in the end, of rows that became others, too */
};

struct entries_part {
    struct entry *at;
};

/* A row that became another one. */
struct hists_join {
    uint32_t to, from;
};

#define HISTS_NONE IDMAP_NONE

/* --hierarchy: rows below each other (nest.h). */
struct nest_node {
    uint32_t parent;     /* REDBLACK_NONE: it is at the top */
    uint32_t below;      /* the first root of what is below it, as it was collected, */
    uint32_t below_rank; /* ... and as it is printed */
    uint32_t level;
};

/* Zero-initialise.  Lists are by entry; those of rows are not used. */
struct nest {
    VEC(struct redblack_node) in, out;
    VEC(struct nest_node) node;
    uint32_t top, top_rank;
    uint32_t levels;
    bool titles; /* also of none, where other events have some */
};

/* Where numbers lie on the circle of 64 bits, from the first one. */
struct hists_arc {
    uint64_t first;
    int64_t low, high;
    bool any;
};

/* Zero-initialise. */
struct hists {
    struct entries { /* they are large, and do not move */
        VEC(struct entries_part) part;
        size_t len;
    } entry;
    VEC(uint64_t) word;
    struct arena mem; /* entries, and what lies beside them (struct subject) */
    struct idmap by_hash;
    VEC(struct redblack_node) link; /* these two: where rows are found by a tree */
    uint32_t root;                  /* + 1 */
    bool by_tree;                   /* they are, from now on */
    struct hists_arc arc;           /* until then: of addresses */
    struct forest forest;
    VEC(uint64_t) seen; /* the last sample that each row was counted for, from 1 */
    uint64_t sample;
    uint64_t samples, samples_shown; /* shown: by filters */
    /* Known in the end: */
    uint32_t *row; /* entries in the order in which they are printed */
    uint32_t rows;
    struct redblack_node *tree; /* those that were collected, as perf keeps them, */
    uint32_t tree_root;         /* ... by entries */
    size_t tree_room;
    VEC(struct hists_join) joined; /* in that order */
    uint64_t total, total_shown;
    uint32_t peers;     /* how many events it leads, which follow it */
    VEC(uint32_t) peer; /* of each row theirs, + 1; 0: they have none */
    struct nest nest;   /* --hierarchy */
};

enum { ENTRIES_OF_PART = 32 };

static inline struct entry *hists_at(const struct hists *h, size_t i)
{
    return &h->entry.part.at[i / ENTRIES_OF_PART].at[i % ENTRIES_OF_PART];
}

/* A copy of an entry, as the last one: its number; HISTS_NONE: no memory. */
uint32_t hists_add(struct hists *h, const struct entry *e);

/* What is added to a row. */
struct amount {
    uint64_t period, count; /* of so many samples together */
    uint8_t cpumode;
    bool self; /* or of something that it called */
};

/* The row of an item, made if it is new: its number in *out.  filtered: one that is made. */
pts_status hists_row(struct hists *h, const struct report_opts *o,
                     struct key_context *c, const struct subject *i, uint8_t filtered,
                     uint32_t *out);
void hists_count(struct hists *h, uint32_t row, const struct amount *a);
/* Another sample: no row was counted for it yet.  False: no memory. */
bool hists_sample(struct hists *h);
/* Whether a row is counted for the first time in it. */
static inline bool hists_first(struct hists *h, uint32_t row)
{
    bool first = h->seen.at[row] != h->sample;

    h->seen.at[row] = h->sample;
    return first;
}
/* Above 0: a stands in front of b; 0: they are one row. */
int64_t hists_compare(const struct report_opts *o, const struct key_context *c,
                      const struct subject *a, const struct subject *b);
/* Whether a row is that of an item. */
bool hists_is(const struct hists *h, const struct report_opts *o,
              const struct key_context *c, uint32_t row, const struct subject *i);
/* Of what percentages are. */
static inline uint64_t hists_total(const struct hists *h, const struct report_opts *o)
{
    return o->relative ? h->total_shown : h->total;
}

/* How long a chain of a row is. */
static inline void hists_depth(struct hists *h, uint32_t row, size_t frames)
{
    if (frames > hists_at(h, row)->depth)
        hists_at(h, row)->depth = (uint32_t)frames;
}

/* Chains of a row; may come after all else, even after the rows are in order. */
pts_status hists_chain(struct hists *h, const struct report_opts *o, uint32_t row,
                       const struct chain_add *add);
/* No more samples come: rows are collected, in the order that perf keeps them in, */
pts_status hists_collect(struct hists *h, const struct report_opts *o,
                         const struct key_context *c);
/* ... those of functions without this in their names are not shown, */
void hists_filter_symbols(struct hists *h, const char *part);
/* ... of a group, whose events are h, h + 1 ..., those of h and all that only others have, */
pts_status hists_link(struct hists *h, uint32_t members, const struct report_opts *o,
                      const struct key_context *c);
/* ... and put in the order in which they are printed. */
pts_status hists_order(struct hists *h, const struct report_opts *o,
                       const struct key_context *c);
/* Above 0: a is printed in front of b. */
int64_t hists_printed(const struct hists *h, const struct report_opts *o,
                      const struct key_context *c, const struct entry *a,
                      const struct entry *b);
void hists_add_tally(struct tally *to, const struct tally *from);
/* The same row of another event of the group, the k-th behind the one that leads; NULL: none. */
static inline const struct entry *hists_peer(const struct hists *h,
                                             const struct entry *e, uint32_t k)
{
    size_t at = (size_t)e->number * h->peers + k;
    uint32_t i = at < h->peer.len ? h->peer.at[at] : 0;

    return i ? hists_at(&h[1 + k], i - 1) : NULL;
}
/* Says which row of that event it is; false: no memory. */
bool hists_note_peer(struct hists *h, uint32_t row, uint32_t k, uint32_t peer);
/* What a column of numbers shows of a row; NULL: 0. */
static inline uint64_t entry_number(const struct entry *e, enum column_kind kind)
{
    static const struct entry nothing;
    const struct tally *s = e ? &e->self : &nothing.self;

    switch (kind) {
    case COLUMN_CHILDREN:
        return e ? e->all.period : 0;
    case COLUMN_OVERHEAD:
    case COLUMN_PERIOD:
        return s->period;
    case COLUMN_SYS:
        return s->sys;
    case COLUMN_US:
        return s->us;
    case COLUMN_GUEST_SYS:
        return s->guest_sys;
    case COLUMN_GUEST_US:
        return s->guest_us;
    case COLUMN_SAMPLES:
        return s->count;
    case COLUMN_KEY:
        break;
    }
    return 0;
}
/* Says of each row whether any of its chains can be shown. */
void hists_choose(struct hists *h, const struct report_opts *o);
/* All chains are there: those of rows that became others go with them. */
pts_status hists_join_chains(struct hists *h, const struct report_opts *o);
void hists_free(struct hists *h);

#endif
