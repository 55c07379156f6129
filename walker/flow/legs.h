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

/* What changes with each leg, apart from the flow. */
struct leg_walk {
    uint64_t ip;
    uint64_t insns;   /* walked and not yet counted */
    struct leg *here; /* the leg at ip; NULL: not looked up */
    const struct leg
        *last; /* the one walked last; NULL: f says what is to know of it */
};

/* Brings it back: f is at ip now. */
void legs_store(struct flow *f, struct leg_walk *q);

/* The leg where q is; NULL, or one of BRANCH_NONE: it is not to be walked in this way.
 */
struct leg *legs_find(struct flow *f, struct leg_walk *q);

static inline struct leg *legs_here(struct flow *f, struct leg_walk *q)
{
    if (!q->here)
        q->here = legs_find(f, q);
    return q->here;
}

/* Follows what n bits decide, left-aligned at bit 63, and says how many were plain. */
uint32_t legs_bits(struct flow *f, struct leg_walk *q, uint64_t bits, uint32_t n);

/* Goes to the indirect branch that a TIP or TIP.PGD is for, and does what it does to
 * the returns.  False: it is not there. */
bool legs_indirect(struct flow *f, struct leg_walk *q);

#endif
