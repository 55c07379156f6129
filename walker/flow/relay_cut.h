/* relay_cut.h - where a queue is cut into segments.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_RELAY_CUT_H
#define PTS_WALKER_FLOW_RELAY_CUT_H

#include "walker/flow/flow.h"

/* A byte of a queue's trace. */
struct place {
    uint32_t buf;
    uint64_t off;
};

static inline bool place_before(struct place a, struct place b)
{
    return a.buf != b.buf ? a.buf < b.buf : a.off < b.off;
}

/* Where a segment begins, and the PSB before it, from which what is known there is guessed. */
struct cut {
    bool any;
    struct place enter, begin;
};

/* The first cut that is so many bytes behind a place; none, if the trace ends before. */
struct cut cut_behind(const struct flow_queue *q, struct place p, uint64_t bytes);

#endif
