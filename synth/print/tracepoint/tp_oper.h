/* tp_oper.h - the operators in a print fmt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_OPER_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_OPER_H

#include "synth/print/tracepoint/tp_reader.h"

/* The word is an operator behind what is in slot; NULL: perf would crash. */
enum tp_step tp_operator(struct tp_reader *r, struct tp_node *slot);
/* The word is a sign, or a "!", in front of the operand that is to be read. */
enum tp_step tp_sign(struct tp_reader *r);

#endif
