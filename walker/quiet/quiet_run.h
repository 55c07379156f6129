/* quiet_run.h - the plainest packets, many in a row.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_H
#define PTS_WALKER_QUIET_QUIET_RUN_H

#include "decoder/pt/fast.h"
#include "walker/quiet/quiet_walk.h"

/* Follows short CYCs, TNTs and TIPs as quiet_packets() does while they are plain, and
 * leaves q at the first that is not, or that was followed in part. */
enum run_step quiet_run(struct flow *f, struct quiet_walk *w, struct pt_fast *q,
                        struct run_part *part);

#endif
