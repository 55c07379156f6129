/* sb_feed.h - the side-band of a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_SB_FEED_H
#define PTS_WALKER_SB_FEED_H

#include "decoder/auxtrace.h"
#include "decoder/perf_order.h"
#include "walker/sideband.h"

/* Feeds all records in delivery order, one epoch each.  info: how the trace was
 * recorded, NULL when there is none (times then do not matter). */
pts_status sb_feed(struct sideband *sb, const struct perf_file *f,
                   const struct perf_order *order, const struct aux_info *info,
                   struct pts_diag *why);

#endif
