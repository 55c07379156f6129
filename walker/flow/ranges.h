/* ranges.h - only the selected times of a queue.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_RANGES_H
#define PTS_WALKER_FLOW_RANGES_H

#include "walker/flow/flow_state.h"

void range_init(struct flow *f);
/* The queue's time is new: drops the event at hand when it is not selected.  False: no
 * selected time is left, the queue is finished. */
bool range_at(struct flow *f);
/* A record was handled: before a range one more leap may be made. */
static inline void range_again(struct flow *f)
{
    f->told.range.ff_tsc = 0;
}

/* Leaps to the last PSB before tsc. */
void fast_forward(struct flow *f, uint64_t tsc);

#endif
