/* last_branches.h - the branches that were taken last.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who asks for last branches only looks at a few of them, at a sample; so legs that were passed are kept,
 * and the branches of the last ones are told when something else may be:
 *
 *     leg leg leg leg ... leg leg leg   sample
 *                         told          ^ here
 */
#ifndef PTS_WALKER_FLOW_LAST_BRANCHES_H
#define PTS_WALKER_FLOW_LAST_BRANCHES_H

#include "walker/flow/legs.h"

/* What was taken of a leg, in the low bits of its address. */
enum { LAST_END = 1, LAST_DIRECT = 2, LAST_TAGS = 3 };

enum { LAST_LEGS = 2048 }; /* a power of two; each has a branch at least */

/* A ring of them: */
struct last_legs {
    uintptr_t leg[LAST_LEGS]; /* and LAST_* */
    const struct stretch *in[LAST_LEGS];
    uint64_t to[LAST_LEGS]; /* of an indirect branch at its end */
};

struct last_branches {
    uint32_t wanted; /* so many are */
    uint32_t count,
        told; /* legs that were noted, and of how many the branches were told; both wrap */
    struct last_legs ring;
};

static inline uint32_t last_place(uint32_t n)
{
    return n & (LAST_LEGS - 1);
}

static inline uint32_t last_put(struct last_legs *ring, uint32_t noted,
                                const struct leg_passed *p, unsigned tags)
{
    const uint32_t i = last_place(noted);

    ring->leg[i] = (uintptr_t)p->leg | tags;
    ring->in[i] = p->in;
    ring->to[i] = p->to;
    return noted + 1;
}

static inline void last_note(struct last_branches *l, const struct leg_passed *p,
                             unsigned tags)
{
    l->count = last_put(&l->ring, l->count, p, tags);
}

/* Those that are in a log, which is empty then. */
void last_log(struct last_branches *l, struct leg_log *log);

/* At the queue's time, with the counts as they are. */
void last_tell(struct flow *f);

#endif
