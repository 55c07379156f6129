/* tp_call.h - the functions in a print fmt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_CALL_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_CALL_H

#include "synth/print/tracepoint/tp_reader.h"

/* The word is the "(" behind name; the call goes into slot. */
enum tp_step tp_call(struct tp_reader *r, struct tp_node *slot, const char *name);

#endif
