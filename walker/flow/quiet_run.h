/* quiet_run.h - the plainest packets, many in a row.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_QUIET_RUN_H
#define PTS_WALKER_FLOW_QUIET_RUN_H

#include "decoder/pt/fast.h"
#include "walker/flow/quiet_walk.h"

/* A TNT of which some outcomes are passed, and the rest are not plain. */
struct run_part {
    uint64_t bits; /* of the packet, left-aligned */
    uint32_t count;
    uint32_t used;
    uint64_t began; /* leg_walk.insns before it */
};

/* Follows short CYCs, TNTs and TIPs as quiet_packets() does while they are plain, and
 * leaves q at the first that is not.  True: that is a TNT (in q->pkt) and a part of it was
 * followed. */
bool quiet_run(struct flow *f, struct quiet_walk *w, struct pt_fast *q,
               struct run_part *part);

#endif
