/* by_time.h - the few events of all queues in the order of their times.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order in which perf prints (merge.h) is that of times, but for events of several queues at the
 * same one: there it hangs on which queue ran when, and so on each time of each queue.  To work all
 * of these out costs more than following the trace.  Where little is printed that hardly ever
 * happens; so here queues tell no times but those of their events, and two at the same time of which
 * the order matters are said to be a tie:
 *
 *     queue 0    ----------- 120 ------------------ 700 --->     known up to there
 *     queue 1    --------------------- 450 ---------------->
 *     told                   120       450          700
 *
 * Whoever follows the queues once more, with all times, for a little while knows which one is first; who does
 * not begins again with merge.h.  Until then both tell the same.
 */
#ifndef PTS_SYNTH_SAMPLE_BY_TIME_H
#define PTS_SYNTH_SAMPLE_BY_TIME_H

#include "synth/sample/merge.h"
#include "synth/sample/turns.h"

/* Two events or more that print something are at the same time. */
struct by_time_tie {
    uint64_t tsc;
    struct turns_stops stops; /* before that */
    uint32_t *queue; /* whose they are: to be put into the order in which they come */
    uint32_t count;
};

struct by_time_source {
    struct merge_source events;
    /* No event of a queue that is still to come is before that (TSC ticks). */
    uint64_t (*reached)(void *ctx, uint32_t queue);
    /* Whether something is printed of an event. */
    bool (*prints)(void *ctx, const struct pt_event *ev);
    /* Whether an event that prints nothing may not change places with another one at its time. */
    bool (*matters)(void *ctx, const struct merge_event *silent,
                    const struct merge_event *other);
    /* Finds out the order at a tie.  PTS_E_UNSUPPORTED: it is not known. */
    pts_status (*order)(void *ctx, const struct by_time_tie *tie);
};

struct by_time;

pts_status by_time_new(uint32_t queues, const struct by_time_source *source,
                       struct by_time **out);
void by_time_free(struct by_time *b); /* NULL is fine */

/* These as in merge.h, but that all events of a line are before those of other queues. */
void by_time_add(struct by_time *b, uint32_t q, uint64_t tsc);
bool by_time_began(const struct by_time *b);
/* PTS_E_UNSUPPORTED: two events are at the same time, and it is not known which is first; it cannot go on. */
pts_status by_time_next(struct by_time *b, uint64_t until, struct merge_event *out);
struct merge_line by_time_line(const struct by_time *b);
void by_time_took(struct by_time *b, uint32_t count);

#endif
