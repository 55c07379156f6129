/* view.h - what of its recording a run sees.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who ran where, and in which order records come, is the same for all runs of a session,
 * and is worked out once; but a dump in the order of the file has records take effect in
 * that order, too.
 */
#ifndef PTS_SYNTH_RUN_VIEW_H
#define PTS_SYNTH_RUN_VIEW_H

#include "synth/plan/options.h"
#include "synth/run/session.h"

struct view {
    const struct perf_order *order; /* these two: the session's, or those below */
    struct sideband *sb;
    struct perf_order own_order;
    struct sideband *own_sb;
};

/* Of a session that is prepared. */
pts_status view_open(struct view *v, struct pts_session *s, const struct options *o,
                     struct pts_diag *why);
void view_close(struct view *v);

#endif
