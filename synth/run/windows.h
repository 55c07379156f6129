/* windows.h - when each queue was traced.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_WINDOWS_H
#define PTS_SYNTH_RUN_WINDOWS_H

#include "decoder/aux/index.h"
#include "synth/run/session.h"

/* While a queue says nothing for less, its window goes on. */
#define WINDOW_GAP_NS UINT64_C(1000000)

/* The queues of a prepared session and their windows: of its index, if there is one of use, else
 * by looking at all packets.  anew: not of the index; all that goes into one is found.  Give
 * back with index_free. */
PTS_MUST_USE pts_status windows_find(const struct pts_session *s, bool anew,
                                     struct trace_index *out, struct pts_diag *why);

/* The recording has an index, or one is written. */
PTS_MUST_USE pts_status windows_keep(const struct pts_session *s, struct pts_diag *why);

#endif
