/* last_branches.h - the branches that were taken last.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who asks for last branches only looks at a few of them, at a sample; so legs that were passed are kept,
 * and branches that were walked one by one, and the last ones are told in front of something else:
 *
 *     leg leg leg leg branch leg ... leg leg   sample
 *                                 told         ^ here
 *
 * They are told as of where the walk last came to rest (last_wait), whatever has changed since: so before
 * what is known of code, or of the trace, is forgotten.
 */
#ifndef PTS_WALKER_FLOW_LAST_BRANCHES_H
#define PTS_WALKER_FLOW_LAST_BRANCHES_H

#include "walker/flow/emit.h"
#include "walker/flow/legs.h"

/* What was taken of a leg, in the low bits of its address; of a branch there is none. */
enum { LAST_END = 1, LAST_DIRECT = 2, LAST_TAGS = 3 };

enum { LAST_MOST = 2048 }; /* of them: who wants more is told each */

struct last_leg {
    uintptr_t leg; /* and LAST_* */
    const struct stretch *in;
    uint64_t to; /* of an indirect branch at its end */
};

/* A ring of them, which is small: it is written all the time. */
struct last_branches {
    uint32_t wanted; /* so many are */
    /* Legs that were noted, of how many the walk has come to rest, and of how many the branches were told; all
     * wrap. */
    uint32_t count, rested, told;
    /* A power of two less 1, and as large as wanted: each has a branch, and the place behind the last one may
     * be written before it is known whether it counts. */
    uint32_t mask;
    struct plain_form form;  /* where the walk came to rest */
    struct pt_event *events; /* beside ring: branches */
    struct last_leg ring[];
};

/* NULL without memory. */
struct last_branches *last_new(uint32_t wanted);

static inline struct last_leg *last_at(struct last_branches *l, uint32_t n)
{
    return &l->ring[n & l->mask];
}

static inline void last_note(struct last_branches *l, const struct leg_passed *p,
                             unsigned tags)
{
    *last_at(l, l->count++) = (struct last_leg){(uintptr_t)p->leg | tags, p->in, p->to};
}

/* Those that are in a log, which is empty then. */
void last_log(struct last_branches *l, struct leg_log *log);

/* The walk has come to rest: all that was noted is told as of here, with the counts as they are then. */
void last_wait(struct flow *f);

#endif
