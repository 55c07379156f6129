/* sb_feed.h - the side-band of a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 * The side-band itself knows no records, so that it can be tested by calling it; here
 * records become calls.
 */
#ifndef PTS_WALKER_SIDEBAND_SB_FEED_H
#define PTS_WALKER_SIDEBAND_SB_FEED_H

#include "decoder/aux/auxtrace.h"
#include "decoder/record/perf_order.h"
#include "walker/sideband/sb_jit.h"
#include "walker/sideband/sideband.h"

/* Feeds all records in delivery order, one epoch each.  info: how the trace was
 * recorded, NULL when there is none (times then do not matter).  jit: what was put into the
 * order beside the records, or NULL. */
pts_status sb_feed(struct sideband *sb, const struct perf_file *f,
                   const struct perf_order *order, const struct aux_info *info,
                   const struct sb_jit *jit, struct pts_diag *why);

#endif
