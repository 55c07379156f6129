/* raw_front.h - the records that stand in front of a bare trace (perf_raw.h).
 *
 * SPDX-License-Identifier: MIT
 *
 * Those that perf record would have written: how the trace was set up, who was traced,
 * what was mapped, and the AUXTRACE record whose payload the trace then is.
 */
#ifndef PTS_DECODER_OPEN_RAW_FRONT_H
#define PTS_DECODER_OPEN_RAW_FRONT_H

#include <ptscript/attr.h>
#include <ptscript/raw.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a file in the memory of the traced process. */
struct perf_raw_map {
    const char *name;
    uint64_t addr, len, off;
};

/* What is known of a bare trace from outside of it. */
struct perf_raw {
    const struct pts_raw_opts *opts;
    const struct perf_raw_map *map;
    size_t map_count;
};

enum {
    RAW_PROCESS = 1, /* the process when nothing says which */
    RAW_PMU_TYPE = 8 /* that of intel_pt differs from one machine to the next */
};

/* IA32_RTIT_CTL as perf has it in attr.config. */
enum {
    RAW_CFG_PT = 1 << 0,
    RAW_CFG_CYC = 1 << 1,
    RAW_CFG_PWR_EVT = 1 << 4,
    RAW_CFG_MTC = 1 << 9,
    RAW_CFG_TSC = 1 << 10,
    RAW_CFG_NORETCOMP = 1 << 11,
    RAW_CFG_PTW = 1 << 12,
    RAW_CFG_BRANCH = 1 << 13,
    RAW_CFG_MTC_SHIFT = 14,
    RAW_CFG_CYC_THRESH_SHIFT = 19,
    RAW_CFG_MTC_FREQ = 15 << RAW_CFG_MTC_SHIFT
};
#define RAW_CFG_EVENT (UINT64_C(1) << 31)

/* What they say of the trace. */
struct raw_about {
    int32_t pid, tid, cpu; /* the trace is that thread's, or tid -1: the CPU's; cpu -1:
                            * it is not known which */
    bool per_cpu;
    uint32_t have_sched_switch;
    uint64_t time_shift, time_mult, time_zero;
    uint64_t reference; /* a TSC of about then: packets have 56 bits of it */
};

struct raw_front {
    const struct perf_raw *raw;
    const struct pts_attr *attr; /* of the only event */
    size_t trace_len;
    struct raw_about about;
};

/* Writes them to `at` (NULL: nowhere) and returns how many bytes they are, which does
 * not depend on what they say. */
size_t raw_front_write(const struct raw_front *f, uint8_t *at);

#endif
