/* event_attr.h - how an event was recorded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PLAN_EVENT_ATTR_H
#define PTS_SYNTH_PLAN_EVENT_ATTR_H

#include <stddef.h>
#include <stdint.h>

/* What of a perf_event_attr matters here. */
struct evl_attr {
    uint32_t type;
    uint64_t config, sample_type, flags, sample_period, branch_sample_type;
    uint64_t bp_addr;
    uint32_t bp_type;
    uint64_t regs_intr;
    const char *name;    /* from EVENT_DESC or EVENT_UPDATE; NULL: perf makes one up */
    const uint64_t *ids; /* copied: the first only */
    size_t id_count;
    uint64_t record_off;  /* in a pipe: where perf says that the record is which told */
    uint32_t record_size; /* of it, and its size */
};

#endif
