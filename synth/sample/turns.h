/* turns.h - in which order queues pass a time, from what is known of a little while before.
 *
 * SPDX-License-Identifier: MIT
 *
 * Queues take turns as in merge.h: the one whose time is least runs until its time passes that of the next.
 *
 *     queue 0   10        30   40          from 10, 20:  0 stops at 30, 1 at 40, and 0 is first at 40
 *     queue 1        20        40
 *
 * Of two at the same time the shape of the heap says which one runs (queue_heap.h), and that hangs on all
 * that was before.  Of few queues all shapes are tried, which soon come to be the same; of many each queue
 * that is at the least time:
 *
 *     queue 0   10        40               0 stops at 40, and 1 is first at 40;
 *     queue 1   10        40               or the other way round: not known
 *
 * Where all ways lead to the same order it is that of merge.
 */
#ifndef PTS_SYNTH_SAMPLE_TURNS_H
#define PTS_SYNTH_SAMPLE_TURNS_H

#include "decoder/base/vec.h"
#include "synth/sample/queue_heap.h"

#include <ptscript/status.h>

/* Times at which all queues were stopped, none of them beyond its first time that is not before it: the last
 * of these, in order. */
enum { TURNS_STOPS = 32 };
struct turns_stops {
    uint64_t at[TURNS_STOPS];
    uint32_t count;
    uint64_t since; /* the one before these; 0: the beginning */
};
void turns_stop(struct turns_stops *s, uint64_t tsc);

/* Few queues: their heap has 210 shapes at most, where no two are at the same time. */
enum { TURNS_FEW = 8 };

struct turns_queue {
    VEC(uint64_t) time;
};

/* Zero-initialise; give back with turns_free. */
struct turns {
    struct turns_queue *queue;
    uint32_t count;
    uint64_t tsc; /* the time in question */
    const struct turns_stops *stops;
    bool shaped; /* the heap is a part of a state */
    struct turns_states *states;
};

/* So many queues, of which no time is known yet; tsc: the time in question (TSC ticks); stops: before
 * that, lent. */
pts_status turns_begin(struct turns *t, uint32_t queues, uint64_t tsc,
                       const struct turns_stops *stops);
/* The next time of a queue, not before the first stop.  PTS_E_UNSUPPORTED: it is before the one before it; PTS_END: it is behind the
 * time in question, and no more are needed. */
pts_status turns_time(struct turns *t, uint32_t queue, uint64_t tsc);
/* All times are known, and those `count` queues have some at that in question: puts them into the order in
 * which they pass it.  PTS_E_UNSUPPORTED: it is not known. */
pts_status turns_order(struct turns *t, uint32_t *queue, uint32_t count);
void turns_free(struct turns *t);

#endif
