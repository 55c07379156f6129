/* dlfilter.h - a compiled filter: a shared object that is shown each sample (--dlfilter).
 *
 * SPDX-License-Identifier: MIT
 *
 *     open -> start -> a gate for samples (synth/sample/gate.h) -> stop -> close
 *
 * The object is code, and does what it likes: it is loaded when somebody names it on
 * purpose.
 */
#ifndef PTS_SYNTH_DLFILTER_DLFILTER_H
#define PTS_SYNTH_DLFILTER_DLFILTER_H

#include "synth/sample/filter.h"
#include "synth/sample/gate.h"
#include "synth/symbol/resolve.h"

struct dlfilter;

/* What it works on; all lent for its life. */
struct dlfilter_scene {
    const struct perf_file *file;
    const struct plan *plan;
    const struct lookup *look;
};

/* Loads what the plan's options name.  PTS_E_IO with perf's text. */
pts_status dlfilter_open(const struct dlfilter_scene *scene, struct dlfilter **out,
                         struct pts_diag *why);
void dlfilter_close(struct dlfilter *d); /* stops it if need be; NULL is fine */

struct gate dlfilter_gate(struct dlfilter *d);

/* Once, before the first sample, and once behind the last; what the filter prints goes
 * into b.  PTS_E_FILTER: it does not want to, and dlfilter_result says so. */
pts_status dlfilter_start(struct dlfilter *d, struct batch *b);
pts_status dlfilter_stop(struct dlfilter *d, struct batch *b);

/* What start gave, or what the filter gave for the sample that ended the run; 0. */
int dlfilter_result(const struct dlfilter *d);
/* Which sample that was: made from the trace. */
bool dlfilter_failed_made(const struct dlfilter *d);

#endif
