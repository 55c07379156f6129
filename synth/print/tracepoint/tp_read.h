/* tp_read.h - a tracepoint's format is read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_READ_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_READ_H

#include "decoder/base/arena.h"
#include "decoder/file/trace_format.h"
#include "synth/print/tracepoint/tp_event.h"

#include <ptscript/status.h>

/* What is made lives in the arena.  PTS_E_NOMEM is the only failure: of a format that
 * makes no sense the fields are printed one by one. */
pts_status tp_read(struct arena *arena, const struct trace_iter *where,
                   const struct trace_format *format, struct tp_event **out);

#endif
