/* run_guest.h - the recording of a guest, read for that of its host.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_RUN_GUEST_H
#define PTS_SYNTH_RUN_RUN_GUEST_H

#include "synth/inject/guest.h"
#include "synth/run/session.h"

/* Opens what g->args name and takes all of it in; *session is that of the file, which g lends
 * from: to be closed behind g. */
pts_status run_guest(const pts_session *host, struct guest *g, pts_session **session,
                     struct pts_diag *why);

#endif
