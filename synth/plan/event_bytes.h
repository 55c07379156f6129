/* event_bytes.h - an event's attributes as the kernel's perf_event_attr, byte for byte.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PLAN_EVENT_BYTES_H
#define PTS_SYNTH_PLAN_EVENT_BYTES_H

#include "synth/plan/plan.h"

struct perf_file;

/* Those of event i, of the file or made from the trace, as perf 6.1 has them: to has
 * PERF_ATTR_BYTES. */
void event_bytes(const struct perf_file *f, const struct plan *p, size_t i,
                 uint8_t *to);

#endif
