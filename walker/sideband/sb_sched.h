/* sb_sched.h - which thread a sched:sched_switch sample switches to.
 *
 * SPDX-License-Identifier: MIT
 *
 * Recordings of kernels without SWITCH records have these samples in their place.
 */
#ifndef PTS_WALKER_SIDEBAND_SB_SCHED_H
#define PTS_WALKER_SIDEBAND_SB_SCHED_H

#include "decoder/record/perf_order.h"

/* Where the kernel puts next_pid. */
struct sched_format {
    uint64_t config; /* attr.config of the tracepoint */
    uint32_t offset; /* into its raw data */
    bool known;
};

/* From the formats that were recorded along (TRACING_DATA). */
struct sched_format sched_format_of(const struct perf_file *f,
                                    const struct perf_order *order);

/* The tid that r, a SAMPLE, switches to; false when it is another event. */
bool sched_next_tid(const struct perf_file *f, const struct sched_format *format,
                    const struct perf_rec *r, int32_t *tid);

#endif
