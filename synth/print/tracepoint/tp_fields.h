/* tp_fields.h - the fields of a tracepoint's samples.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_FIELDS_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_FIELDS_H

#include "decoder/file/trace_format.h"
#include "synth/print/tracepoint/tp_event.h"

#include <ptscript/status.h>

/* Fills in e->field; e->arena and long_size are set.  *print: what stands behind the fields,
 * lent by the format.  PTS_E_FORMAT: the fields before the first that cannot be read. */
pts_status tp_fields_read(struct tp_event *e, const struct trace_format *format,
                          struct pts_bytes *print);

#endif
