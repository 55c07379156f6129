/* tp_parse.h - the arguments of a print fmt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_TP_PARSE_H
#define PTS_SYNTH_TP_PARSE_H

#include "synth/tp_event.h"

/* Deepest nesting of parentheses and functions, and of operators when evaluated. */
enum { TP_DEPTH = 64, TP_EVAL_DEPTH = 256 };

/* The arguments that follow the printf string, linked by next; PTS_E_FORMAT: perf would
 * say that it cannot parse them. */
pts_status tp_parse_args(const struct tp_event *e, struct tp_lex *lex,
                         struct tp_node **args);

#endif
