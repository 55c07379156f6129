/* tp_parse.h - the arguments of a print fmt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_PARSE_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_PARSE_H

#include "synth/print/tracepoint/tp_event.h"
#include "synth/print/tracepoint/tp_lex.h"

#include <ptscript/status.h>

/* The arguments that follow the printf string, linked by next; PTS_E_FORMAT: perf would
 * say that it cannot parse them. */
pts_status tp_parse_args(const struct tp_event *e, struct tp_lex *lex,
                         struct tp_node **args);

#endif
