/* relay.h - one queue, followed by several at once.
 *
 * SPDX-License-Identifier: MIT
 *
 * A queue is cut at PSBs.  Whoever follows a segment begins one PSB before it, where nothing
 * is known but what the PSB+ says, and mostly knows all when he gets there: time, cycles, who
 * runs, even when the next sample is due.  So segments are followed side by side, each from
 * a guess, and looked at in order:
 *
 *     trace   PSB.....PSB.....PSB.....PSB.....PSB.....PSB.....
 *     own     ========|truth  :       :       :       :
 *     hand 1        ..|guess==|=======|truth  :       :           the guess was true
 *     hand 2          :     ..|guess==========|truth  :           (I8: carry_fits)
 *     own             :       :       :       |=======|truth      the third was not: again
 *
 * A guess that fits is as good as the truth but for what is counted from the beginning, and
 * that is added.  One that does not costs time, and nothing else: that segment is followed
 * again from the truth.  So what is told does not depend on how many there are, on what they
 * guessed, or on who was first.
 *
 * Where instructions are counted off nobody can guess when the first one is due.  There segments are chained:
 * the next one begins with the truth, while the one before it is told.  So several queues are followed side by
 * side, and one ahead of who puts its samples to use.  Of several queues the beginnings, of which all is known, are
 * given at once.
 *
 *     queue 1   own    ======|told..|told..|          queue 2   ======|told..|told..|
 *               hand         |======|======|                          |======|======|
 *
 * Times that only put queues in order are not told within a segment, since it is not known
 * yet which will be asked for, and working them all out costs more than all else.  So such a
 * segment is of use where no other queue comes in between but at its gaps (relay_segment.h);
 * else it is followed again, too, and those behind it are chained and tell all times, until nobody comes in
 * between any more.  Where that is known from the beginning, all are.
 */
#ifndef PTS_WALKER_RELAY_RELAY_H
#define PTS_WALKER_RELAY_RELAY_H

#include "walker/relay/relay_conf.h"

struct relay;
pts_status relay_new(const struct relay_conf *conf, struct relay **out);
void relay_free(struct relay *r); /* NULL is fine */
/* What it was made of. */
const struct relay_conf *relay_made_of(const struct relay *r);

/* As flow_start, flow_next with flow_until, and flow_met. */
pts_status relay_start(struct relay *r);
pts_status relay_next(struct relay *r, const struct relay_turn *turn,
                      struct event_batch *out);
uint32_t relay_met(const struct relay *r);
/* Bytes of the queue that were gone through in order. */
uint64_t relay_passed(const struct relay *r);
/* Behind that so many more may be read until it is asked again, by whoever follows. */
uint64_t relay_reach(const struct relay *r);
/* Another flow of the same queue, as conf says, from a place where its time was before tsc (TSC ticks), or
 * from its beginning.  Return addresses may be missing (flow_missed).  PTS_END: the queue has no events;
 * PTS_E_UNSUPPORTED: no such place is kept. */
struct relay_scout {
    struct flow *flow; /* the caller's, with PTS_END, too; NULL: none was made */
    uint64_t tsc;      /* the queue's time there */
};
pts_status relay_scout(const struct relay *r, const struct flow_config *conf,
                       uint64_t tsc, struct relay_scout *out);
/* The flow that is at its beginning, or that follows all by itself. */
struct flow *relay_flow(const struct relay *r);

#endif
