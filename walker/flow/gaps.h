/* gaps.h - where time goes on without anything having happened.
 *
 * SPDX-License-Identifier: MIT
 *
 * Whoever follows a segment ahead of its turn tells no times but at such places: it is there that
 * other queues go on, mostly, since a thread is on one CPU at a time.
 */
#ifndef PTS_WALKER_FLOW_GAPS_H
#define PTS_WALKER_FLOW_GAPS_H

#include "walker/flow/flow_state.h"

/* A packet was read: the clock may have leapt. */
void gap_noted(struct flow *f);
void gap_passed(struct flow *f);

/* A time was told. */
static inline void gap_told(struct flow *f)
{
    if (f->gaps.due)
        gap_passed(f);
}

#endif
