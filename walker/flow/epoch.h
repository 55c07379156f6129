/* epoch.h - how far the side-band is in effect, and whom a flow follows.
 *
 * SPDX-License-Identifier: MIT
 *
 * Usually records say who is on a CPU.  Where the kernel is traced its code does
 * (switches.h), and who shows the events is told, too: by events of their own.
 */
#ifndef PTS_WALKER_FLOW_EPOCH_H
#define PTS_WALKER_FLOW_EPOCH_H

#include "walker/flow/flow_state.h"

/* The side-band up to this record is in effect. */
void enter_epoch(struct flow *f, uint32_t epoch);
/* It is followed from here on; the epoch is in effect. */
void flow_is(struct flow *f, const struct sb_who *who);
/* Whom the flow follows at an epoch. */
struct sb_who flow_who(const struct flow *f, uint32_t epoch);

/* Tells the thread that events belong to from here on, and that time has come so far. */
void flow_tell_thread(struct flow *f, uint32_t what, int32_t tid);
void flow_tell_time(struct flow *f);
/* The queue's time moves on to `now`, where times are wanted.  False: it is before the one that was
 * asked for, and not told. */
bool flow_moved(struct flow *f, uint64_t now);

#endif
