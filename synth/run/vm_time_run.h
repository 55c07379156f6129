/* vm_time_run.h - the times of guests in a recording become those of the host.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_VM_TIME_RUN_H
#define PTS_SYNTH_RUN_VM_TIME_RUN_H

#include "synth/inject/inject_options.h"
#include "synth/run/session.h"

/* perf inject --vm-time-correlation: says what it finds by the session's messages.  Another
 * recording takes the place of the old one, which is called .old from then on; nothing is
 * written if no time changes. */
pts_status vm_time_run(pts_session *s, const struct inject_given *g,
                       struct pts_diag *why);

#endif
