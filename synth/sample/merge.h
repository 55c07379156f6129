/* merge.h - the events of all queues in the order in which perf prints them.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf runs one queue at a time: the one whose time is least, until its time passes
 * that of the next one or that of the next record.  The event at which a queue stops is
 * printed when the queue runs again.  Here the same is done with events that may have
 * been decoded long before, so the order does not depend on who decoded them or when.
 */
#ifndef PTS_SYNTH_SAMPLE_MERGE_H
#define PTS_SYNTH_SAMPLE_MERGE_H

#include "walker/relay/relay.h"

#include <ptscript/status.h>
#include <stdbool.h>
#include <stdint.h>

/* Where the events of a queue come from. */
struct merge_source {
    /* The next run of events, which may be none yet; PTS_END after the last.  Lent until
     * the next call for the same queue. */
    pts_status (*next)(void *ctx, uint32_t queue, const struct relay_turn *turn,
                       struct event_batch *out);
    void *ctx;
};

struct merge;

pts_status merge_new(uint32_t queues, const struct merge_source *source,
                     struct merge **out);
void merge_free(struct merge *m); /* NULL is fine */

/* Queue q has events, the first of them at time tsc. */
void merge_add(struct merge *m, uint32_t q, uint64_t tsc);

/* Whether any queue has run. */
bool merge_began(const struct merge *m);

/* How many times a queue began to run, this time included. */
uint32_t merge_turns(const struct merge *m);

/* Runs queue q alone to its end, whatever its times (timeless queues): the calls of
 * merge_next that follow deliver it. */
void merge_run(struct merge *m, uint32_t q);

/* The next event before time `until` (TSC ticks).  PTS_END: all queues have got there.
 * Events with what == 0 only tell times of their queue and are passed over.  *ev is
 * lent until the next call, as is its batch; NULL: none yet, the next call
 * goes on. */
struct merge_event {
    uint32_t queue;
    const struct pt_event *ev;
    const struct event_batch *batch; /* that it is from */
};
pts_status merge_next(struct merge *m, uint64_t until, struct merge_event *out);

/* The events that follow it in its batch.  Those that are no errors and are before `until` are
 * what merge_next would deliver next, so whoever takes some of them says how many. */
struct merge_line {
    const struct pt_event *at;
    uint32_t count;
    uint64_t until;
};
struct merge_line merge_line(const struct merge *m);
void merge_took(struct merge *m, uint32_t count);

#endif
