/* legs.h - a walk from leg to leg.
 *
 * SPDX-License-Identifier: MIT
 *
 * A leg (walker/code/leg.h) is code up to the next branch that only a packet decides.  What
 * changes with every leg is kept here, in a struct small enough for registers, and brought
 * back to the flow when something is to be told.
 */
#ifndef PTS_WALKER_FLOW_LEGS_H
#define PTS_WALKER_FLOW_LEGS_H

#include "walker/flow/flow_state.h"
#include "walker/flow/net_calls.h"

/* A leg with direct branches that was passed, or one with the branch at its end. */
struct leg_passed {
    const struct leg *leg;
    const struct stretch *in;
    uint64_t insns; /* leg_walk.insns before it */
    uint64_t to;    /* of the branch at its end; 0: it is about the direct ones */
};

/* Those of some outcomes, for who is to tell of branches. */
struct leg_log {
    uint32_t count;
    struct leg_passed at[2 * 64]; /* of one outcome two at most */
};

/* What changes with each leg, apart from the flow. */
struct leg_walk {
    uint64_t ip;              /* while the leg there is not looked up */
    uint64_t insns;           /* walked since legs_load */
    uint64_t budget;          /* it stays below this */
    struct leg *here;         /* the leg where it is; NULL: not looked up */
    const struct stretch *in; /* of that leg; NULL: of none yet */
    const struct leg
        *last; /* the one walked last; NULL: f says what is to know of it */
    const struct stretch *last_in;
    unsigned first;      /* direct branches on the first leg of legs_bits ... */
    unsigned direct;     /* ... and on all that it passed */
    struct leg_log *log; /* NULL: nobody wants it */
    bool all; /* conditional branches and direct jumps are wanted in it, too */
    struct net_calls *net; /* the same */
};

/* From where f is.  False: no memory. */
bool legs_load(struct flow *f, struct leg_walk *q);

void legs_free(struct flow *f);

/* Brings all back but the count of instructions: f is where q is. */
void legs_store(struct flow *f, const struct leg_walk *q);

static inline uint64_t legs_ip(const struct leg_walk *q)
{
    return q->here ? q->in->start + q->here->at : q->ip;
}

/* Where the branch is that was passed last. */
static inline uint64_t legs_from(const struct leg_walk *q)
{
    return q->last_in->start + q->last->end;
}

/* Where the conditional branch of a leg in it leads when it is taken. */
static inline uint64_t legs_taken(const struct stretch *in, const struct leg *leg)
{
    uint64_t to = in->start + leg_to(leg, 1);
    return ild_is_64(in->mode) ? to : (uint32_t)to;
}

/* The leg where q is; NULL, or one of BRANCH_NONE: it is not to be walked in this way.
 */
struct leg *legs_find(struct flow *f, struct leg_walk *q);

static inline struct leg *legs_here(struct flow *f, struct leg_walk *q)
{
    return q->here ? q->here : legs_find(f, q);
}

static inline struct leg_place *leg_place_of(const struct stretches *k, uint64_t ip)
{
    return &k->place[ip * UINT64_C(0x9e3779b97f4a7c15) >> (64 - k->bits)];
}

/* Execution goes on at ip. */
static inline void legs_go(struct leg_walk *q, uint64_t ip)
{
    q->ip = ip;
    q->here = NULL;
}

/* Follows what n bits decide, 64 at most, left-aligned at bit 63, and says how many were
 * plain. */
uint32_t legs_bits(struct flow *f, struct leg_walk *q, uint64_t bits, uint32_t n);

/* Goes to the indirect branch that a TIP or TIP.PGD is for, and does what it does to
 * the returns.  False: it is not there. */
bool legs_indirect(struct flow *f, struct leg_walk *q);

#endif
