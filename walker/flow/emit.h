/* emit.h - events of a flow: their times, their place in the side-band, delivery.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_EMIT_H
#define PTS_WALKER_FLOW_EMIT_H

#include "walker/flow/epoch.h"

/* A new event is built: what = EV_BRANCH, nothing else. */
void event_begin(struct flow *f);
/* It is reported: times, epoch, delivery.  False: no more selected times. */
bool event_end(struct flow *f);
/* A branch that comes without that: what is known of it alone.  It is told by the queue's
 * time. */
struct plain_branch {
    uint64_t from, to, ninsn;
    bool fresh; /* the first behind a packet of time */
    uint8_t cls, ilen;
};
void event_plain(struct flow *f, const struct plain_branch *b);
/* A sample of an instruction that follows another one, without a packet in between: all that
 * the event before it said goes for it, too. */
struct plain_insn {
    uint64_t ip;
    const uint8_t *bytes;
    uint8_t cls, len;
};
void event_insn(struct flow *f, const struct plain_insn *insn);
/* Delivers the one at which the time became known. */
void first_event(struct flow *f);
/* Reports walk.fault. */
void fault_end(struct flow *f);
/* The clock's time is the reported time now. */
void report_time(struct flow *f);
/* A trace begins that does not go on the last: nothing is known of where execution is. */
void trace_begins(struct flow *f);

#endif
