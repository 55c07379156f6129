/* tp_eval.h - the numbers in a print fmt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_EVAL_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_EVAL_H

#include "synth/print/tracepoint/tp_event.h"

#include <ptscript/bytes.h>

/* The bytes of a sample, as the kernel wrote them. */
struct tp_record {
    const struct tp_event *event;
    struct pts_bytes raw;
};

/* The value of an expression; what is not a number is 0, as is all beyond the bytes. */
uint64_t tp_eval(const struct tp_record *r, const struct tp_node *n);
/* A number of 1, 2, 4 or 8 bytes; any other size is 0. */
uint64_t tp_number(const struct tp_record *r, uint64_t off, uint32_t size);
/* At most len bytes from off on. */
struct pts_bytes tp_bytes(const struct tp_record *r, uint64_t off, uint64_t len);
/* The data of a dynamic field, or the field's own bytes.  perf takes an offset from the
 * end of its field for one from the beginning, except in strings and bitmasks. */
struct pts_bytes tp_field_data(const struct tp_record *r, const struct tp_field *f,
                               bool relative);

/* The value in front of a name in a list; false: perf cannot tell.  Negative: perf
 * finds no number. */
bool tp_eval_flag(const struct tp_node *n, int64_t *out);
const struct tp_node *tp_uncast(const struct tp_node *n);

#endif
