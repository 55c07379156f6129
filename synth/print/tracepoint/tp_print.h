/* tp_print.h - a tracepoint's sample as text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_PRINT_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_PRINT_H

#include "synth/print/text.h"
#include "synth/print/tracepoint/tp_event.h"
#include "synth/print/tracepoint/tp_names.h"

#include <ptscript/bytes.h>

/* e changes: perf gives up on taking a field for a string for good. */
void tp_print(struct text *t, struct tp_event *e, struct pts_bytes raw,
              const struct tp_names *names);

/* One field, as where fields are printed one by one; e changes as above. */
void tp_put_one(struct text *t, struct tp_event *e, struct tp_field *f,
                struct pts_bytes raw);

#endif
