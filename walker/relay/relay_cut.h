/* relay_cut.h - where a queue is cut into segments.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_RELAY_RELAY_CUT_H
#define PTS_WALKER_RELAY_RELAY_CUT_H

#include "walker/flow/flow.h"

/* Where a segment begins, and the PSB before it, from which what is known there is guessed. */
struct cut {
    bool any;
    struct queue_place enter, begin;
};

/* The first cut that is so many bytes behind a place; none, if what is to be followed ends before. */
struct cut cut_behind(const struct flow_queue *q, struct queue_place p, uint64_t bytes);

#endif
