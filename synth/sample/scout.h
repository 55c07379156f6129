/* scout.h - which of several events at the same time comes first.
 *
 * SPDX-License-Identifier: MIT
 *
 *     records           |                     |
 *     queue 0    c------|--1--------1----*    |     c  kept on the way (marks.h)
 *     queue 1         c-|------2---2-----*    |     *  which of these two?
 *     by_time           |                ^    |
 *                       all queues are at their first time behind a record
 *
 * Which one it is hangs on all times of all queues before (merge.h).  But at each record that has a time
 * all queues get to their first time that is not before it, whatever they did until then.  So it is
 * enough to follow each once more from some records before to the tie, with all times, and to let them take
 * turns (turns.h).
 */
#ifndef PTS_SYNTH_SAMPLE_SCOUT_H
#define PTS_SYNTH_SAMPLE_SCOUT_H

#include "synth/sample/by_time.h"

/* The queues of by_time, which keep marks. */
struct scout_queues {
    const struct relay *(*relay)(void *ctx, uint32_t queue);
    void *ctx;
    uint32_t count;
    const struct flow_config *conf;
    uint64_t passed; /* bytes of them that have been gone through */
};

/* Zero-initialise; give back with scout_free. */
struct scout {
    struct flow_config conf;
    struct turns turns;
    uint64_t followed; /* bytes, of all queues */
};

/* As by_time_source.order. */
pts_status scout_order(struct scout *s, const struct scout_queues *of,
                       const struct by_time_tie *tie);
void scout_free(struct scout *s);

#endif
