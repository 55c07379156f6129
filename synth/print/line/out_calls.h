/* out_calls.h - the column callindent of branches, kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line of a call trace names the file of the branch and the function that it calls or
 * returns from.  Both depend on the branch and on nothing that comes before it, so their texts
 * are kept with it; what a line adds is how far the name is indented (out_indent.h).
 *
 *     branch      400b73 -> 401770           what the function's name comes from: both ends of
 *       head      "(/usr/bin/cc1)\t"         a call, only the start of a return
 *       name      "fold_convert"
 *     pool        (/usr/bin/cc1)\t fold_convert gimple_call (/usr/lib/libc.so)\t ...
 *
 * The pool has each text once, however many branches share it: so a trace of many calls stays in
 * the processor's caches.  Behind each there are blanks, up to the next step of put_wide().
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_CALLS_H
#define PTS_SYNTH_PRINT_LINE_OUT_CALLS_H

#include "synth/plan/evlist.h"
#include "synth/print/text.h"
#include "synth/sample/sample.h"
#include "synth/symbol/places.h"

#include <ptscript/sample.h>

/* How many branches are kept, and how much text; a longer one is made anew each time. */
enum {
    CALL_SETS = 4096,
    CALL_WAYS = 4,
    CALL_TEXT = 512,
    CALL_POOL = 1 << 20,
    CALL_WORDS = 1024 /* looked for in the pool, by where they are from */
};

/* All that the texts depend on. */
struct call_key {
    uint64_t from, to;
    uint64_t maps; /* who_maps() of both */
    uint64_t how;  /* guest, class, kind of branch and cpumode */
};

struct call {
    struct call_key key;
    uint32_t head, name; /* where in the pool */
    uint16_t head_len;
    uint16_t name_len; /* 0: no name is shown */
    bool known;
};

/* A text in the pool. */
struct call_word {
    const char
        *from; /* what it was made of, lent for the life of the session; NULL: none */
    uint32_t at;
    uint16_t len;
};

/* Room is taken with the first text. */
struct call_texts {
    char *pool;
    uint32_t used;
    struct call (*set)[CALL_WAYS];
    uint8_t turn[CALL_SETS]; /* the slot to be taken next */
    struct call_word word[CALL_WORDS];
};

pts_status call_texts_new(struct call_texts **out);
void call_texts_free(struct call_texts *all); /* NULL is fine */

/* A text to be kept; from: as in struct call_word, or NULL. */
struct call_part {
    const char *text, *from;
    size_t len;
};
void call_texts_keep(struct call_texts *all, const struct call_key *key,
                     const struct call_part *head, const struct call_part *name);

/* A branch, and in whose maps its ends are looked up. */
struct call_ends {
    const struct who *who;
    const struct evl_event *event;
    uint64_t from, to;
    uint32_t flags;
    uint8_t cpumode;
};

static inline struct call_ends call_ends_of(const struct sample *s,
                                            const struct evl_event *e)
{
    return (struct call_ends){&s->who, e, s->ip, s->addr, s->flags, s->cpumode};
}

/* False: the ends are looked up in different maps; nothing is kept of it. */
static inline bool call_key_of(const struct call_ends *c, struct call_key *out)
{
    const bool calls = c->flags & (PTS_FLAG_CALL | PTS_FLAG_TRACE_BEGIN);
    const bool returns = c->flags & (PTS_FLAG_RETURN | PTS_FLAG_TRACE_END);
    const uint32_t kind = calls ? 2 + c->event->addr_is_code : returns;
    const uint64_t maps = who_maps(c->who, c->cpumode, c->from);

    *out = (struct call_key){.from = c->from,
                             .to = calls ? c->to : 0,
                             .maps = maps,
                             .how = (uint64_t)c->who->guest << 32 |
                                    (uint32_t)c->event->class << 16 | kind << 8 |
                                    c->cpumode};
    return !calls || who_maps(c->who, c->cpumode, c->to) == maps;
}

static inline uint32_t call_set(const struct call_key *k)
{
    _Static_assert(CALL_SETS == 1 << (64 - 52), "the hash has as many bits");
    return (uint32_t)((k->from ^ k->to << 20 ^ k->maps) *
                          UINT64_C(0x9e3779b97f4a7c15) >>
                      52);
}

static inline bool call_is(const struct call *c, const struct call_key *k)
{
    return c->key.from == k->from && c->key.to == k->to && c->key.maps == k->maps &&
           c->key.how == k->how && c->known;
}

/* The one that was asked for last is the first of its set: mostly it is asked for again. */
static inline const struct call *call_texts_find(struct call_texts *all,
                                                 const struct call_key *k)
{
    if (!all->set)
        return NULL;
    struct call *set = all->set[call_set(k)];

    if (__builtin_expect(call_is(set, k), 1))
        return set;
    for (unsigned i = 1; i < CALL_WAYS; i++)
        if (call_is(&set[i], k)) {
            const struct call c = set[i];
            set[i] = set[0];
            set[0] = c;
            return set;
        }
    return NULL;
}

#endif
