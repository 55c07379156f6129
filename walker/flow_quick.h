/* flow_quick.h - a walk from leg to leg.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_QUICK_H
#define PTS_WALKER_FLOW_QUICK_H

#include "walker/flow_priv.h"

/* What changes with each leg, apart from the flow. */
struct quick {
    uint64_t ip;
    uint64_t insns;   /* walked and not yet counted */
    struct leg *here; /* the leg at ip; NULL: not looked up */
    const struct leg
        *last; /* the leg walked last; NULL: f says what is to know of it */
    bool told; /* reporting a branch would change nothing */
    bool due;  /* the time of packets done is to be reported */
};

/* The place is f's now. */
void quick_store(struct flow *f, struct quick *q);

/* The leg where q is; NULL, or one of BRANCH_NONE: it is not to be walked in this way.
 */
struct leg *quick_find(struct flow *f, struct quick *q);

static inline struct leg *quick_here(struct flow *f, struct quick *q)
{
    if (!q->here)
        q->here = quick_find(f, q);
    return q->here;
}

/* Follows what n bits decide, left-aligned at bit 63, and says how many were plain. */
uint32_t quick_bits(struct flow *f, struct quick *q, uint64_t bits, uint32_t n);

/* Goes to the indirect branch that a TIP or TIP.PGD is for, and does what it does to
 * the returns.  False: it is not there. */
bool quick_indirect(struct flow *f, struct quick *q);

#endif
