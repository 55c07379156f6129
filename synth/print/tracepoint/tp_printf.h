/* tp_printf.h - the printf string of a print fmt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_PRINTF_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_PRINTF_H

#include "synth/print/tracepoint/tp_event.h"

#include <ptscript/status.h>

/* Fills in e->piece from the string and the arguments behind it.  PTS_E_FORMAT: perf
 * would not print by it, either. */
pts_status tp_printf_read(struct tp_event *e, const char *s, struct tp_node *args);

#endif
