/* event.h - the events of a recording: perf_event_attr and ids.
 *
 * SPDX-License-Identifier: MIT
 *
 *     0  intel_pt//u   the trace; its id is on AUX and ITRACE_START records
 *     1  cycles        in a group with it: its PEBS records are in the trace, or its
 *                      samples have pieces of the trace
 *     2  dummy:u       context switches of every CPU (per-cpu recordings with time)
 *     3  dummy:u       mappings, names, tasks of the program ("tracking")
 */
#ifndef PTRECORD_EVENT_H
#define PTRECORD_EVENT_H

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/rec_conf.h"

enum event_kind { EVENT_PT, EVENT_CYCLES, EVENT_SWITCH, EVENT_TRACK, EVENT_KINDS };

struct event {
    bool used;
    const char *name;
    uint32_t type, aux_watermark, aux_sample_size;
    uint64_t config, period, sample_type, flags, branches, regs_intr;
};

enum {
    EVENT_ATTR_SIZE = 128,
    PMU_HARDWARE = 0,
    PMU_SOFTWARE = 1,
    PMU_CPU = 4,
    PMU_INTEL_PT = 10
};

/* Bits of the intel_pt event's config, as /sys/.../intel_pt/format has them. */
enum {
    PT_CYC = 0x2,
    PT_MTC = 0x200,
    PT_TSC = 0x400,
    PT_NORETCOMP = 0x800,
    PT_MTC_PERIOD = 0x3c000
};

void event_list(struct event list[EVENT_KINDS], const struct rec_conf *conf);
void event_put_attr(struct buf *b, const struct event *e);
/* How many of LIST are used. */
unsigned event_count(const struct event list[EVENT_KINDS]);
/* The id of event KIND at ring IDX. */
uint64_t event_id(enum event_kind kind, uint32_t idx);

#endif
