/* tp_text.h - what %s shows of a tracepoint's sample.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_TEXT_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_TEXT_H

#include "synth/print/text.h"
#include "synth/print/tracepoint/tp_eval.h"
#include "synth/print/tracepoint/tp_names.h"

/* A sample on its way to text. */
struct tp_printing {
    struct text *t;
    struct tp_record rec;
    const struct tp_names *names;
};

/* As printf pads. */
struct tp_padding {
    int64_t width, precision; /* -1: none */
    bool left, zero;
};

/* An argument as a string; perf prints nothing for what is none. */
void tp_put_text(struct tp_printing *p, const struct tp_padding *pad,
                 const struct tp_node *n);
void tp_put_0x(struct text *t, uint64_t v); /* 0x%x */

#endif
