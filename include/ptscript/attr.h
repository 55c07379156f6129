/* attr.h - what an event of a recording was opened with: the kernel's perf_event_attr.
 *
 * SPDX-License-Identifier: MIT
 *
 * Members have the kernel's names (perf_event_open(2)) and meaning.  A recording holds
 * as much of the structure as its kernel knew: what is not there is zero here.  Two
 * members of a union have one name each: wakeup is wakeup_events or wakeup_watermark,
 * config1 is also bp_addr, config2 bp_len.
 */
#ifndef PTSCRIPT_ATTR_H
#define PTSCRIPT_ATTR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pts_attr {
    uint32_t type; /* PERF_TYPE_*, or a PMU of the recorded machine */
    uint32_t size; /* bytes of the structure, as recorded */
    uint64_t config;
    uint64_t sample_period; /* events, or samples a second if flags has freq */
    uint64_t sample_type;   /* fields of a SAMPLE record */
    uint64_t read_format;
    uint64_t flags; /* the bits: disabled is bit 0, inherit bit 1 ... */
    uint32_t wakeup, bp_type;
    uint64_t config1, config2, config3;
    uint64_t branch_sample_type;
    uint64_t sample_regs_user, sample_regs_intr; /* masks of registers */
    uint64_t sig_data;
    uint32_t sample_stack_user, aux_watermark, aux_sample_size; /* bytes */
    int32_t clockid;
    uint16_t sample_max_stack; /* frames */
};

#ifdef __cplusplus
}
#endif
#endif
