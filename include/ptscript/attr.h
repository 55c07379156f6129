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

/* type; every other number is a PMU of the recorded machine */
enum pts_attr_type {
    PTS_TYPE_HARDWARE = 0,
    PTS_TYPE_SOFTWARE = 1,
    PTS_TYPE_TRACEPOINT = 2,
    PTS_TYPE_HW_CACHE = 3,
    PTS_TYPE_RAW = 4,
    PTS_TYPE_BREAKPOINT = 5,
    PTS_KERNEL_TYPES /* above all that the kernel defines for every machine */
};
/* What perf made from a trace, such as ptwrites: config says which. */
#define PTS_TYPE_SYNTH 0x80000000u

/* sample_type: the fields of a SAMPLE, and of the ids behind other records. */
#define PTS_SAMPLE_IP             (UINT64_C(1) << 0)
#define PTS_SAMPLE_TID            (UINT64_C(1) << 1)
#define PTS_SAMPLE_TIME           (UINT64_C(1) << 2)
#define PTS_SAMPLE_ADDR           (UINT64_C(1) << 3)
#define PTS_SAMPLE_READ           (UINT64_C(1) << 4)
#define PTS_SAMPLE_CALLCHAIN      (UINT64_C(1) << 5)
#define PTS_SAMPLE_ID             (UINT64_C(1) << 6)
#define PTS_SAMPLE_CPU            (UINT64_C(1) << 7)
#define PTS_SAMPLE_PERIOD         (UINT64_C(1) << 8)
#define PTS_SAMPLE_STREAM_ID      (UINT64_C(1) << 9)
#define PTS_SAMPLE_RAW            (UINT64_C(1) << 10)
#define PTS_SAMPLE_BRANCH_STACK   (UINT64_C(1) << 11)
#define PTS_SAMPLE_REGS_USER      (UINT64_C(1) << 12)
#define PTS_SAMPLE_STACK_USER     (UINT64_C(1) << 13)
#define PTS_SAMPLE_WEIGHT         (UINT64_C(1) << 14)
#define PTS_SAMPLE_DATA_SRC       (UINT64_C(1) << 15)
#define PTS_SAMPLE_IDENTIFIER     (UINT64_C(1) << 16)
#define PTS_SAMPLE_TRANSACTION    (UINT64_C(1) << 17)
#define PTS_SAMPLE_REGS_INTR      (UINT64_C(1) << 18)
#define PTS_SAMPLE_PHYS_ADDR      (UINT64_C(1) << 19)
#define PTS_SAMPLE_AUX            (UINT64_C(1) << 20)
#define PTS_SAMPLE_CGROUP         (UINT64_C(1) << 21)
#define PTS_SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define PTS_SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define PTS_SAMPLE_WEIGHT_STRUCT  (UINT64_C(1) << 24)

/* read_format: what reading a counter gives. */
#define PTS_READ_TIME_ENABLED (UINT64_C(1) << 0)
#define PTS_READ_TIME_RUNNING (UINT64_C(1) << 1)
#define PTS_READ_ID           (UINT64_C(1) << 2)
#define PTS_READ_GROUP        (UINT64_C(1) << 3)
#define PTS_READ_LOST         (UINT64_C(1) << 4)

/* branch_sample_type, as far as it changes what a sample holds or means */
#define PTS_BRANCH_ANY        (UINT64_C(1) << 3)
#define PTS_BRANCH_CALL_STACK (UINT64_C(1) << 11)
#define PTS_BRANCH_HW_INDEX   (UINT64_C(1) << 17)
#define PTS_BRANCH_COUNTERS   (UINT64_C(1) << 19)

/* flags */
#define PTS_ATTR_DISABLED                 (UINT64_C(1) << 0)
#define PTS_ATTR_INHERIT                  (UINT64_C(1) << 1)
#define PTS_ATTR_PINNED                   (UINT64_C(1) << 2)
#define PTS_ATTR_EXCLUSIVE                (UINT64_C(1) << 3)
#define PTS_ATTR_EXCLUDE_USER             (UINT64_C(1) << 4)
#define PTS_ATTR_EXCLUDE_KERNEL           (UINT64_C(1) << 5)
#define PTS_ATTR_EXCLUDE_HV               (UINT64_C(1) << 6)
#define PTS_ATTR_EXCLUDE_IDLE             (UINT64_C(1) << 7)
#define PTS_ATTR_MMAP                     (UINT64_C(1) << 8)
#define PTS_ATTR_COMM                     (UINT64_C(1) << 9)
#define PTS_ATTR_FREQ                     (UINT64_C(1) << 10)
#define PTS_ATTR_INHERIT_STAT             (UINT64_C(1) << 11)
#define PTS_ATTR_ENABLE_ON_EXEC           (UINT64_C(1) << 12)
#define PTS_ATTR_TASK                     (UINT64_C(1) << 13)
#define PTS_ATTR_WATERMARK                (UINT64_C(1) << 14)
#define PTS_ATTR_PRECISE_SHIFT            15 /* precise_ip, two bits */
#define PTS_ATTR_MMAP_DATA                (UINT64_C(1) << 17)
#define PTS_ATTR_SAMPLE_ID_ALL            (UINT64_C(1) << 18)
#define PTS_ATTR_EXCLUDE_HOST             (UINT64_C(1) << 19)
#define PTS_ATTR_EXCLUDE_GUEST            (UINT64_C(1) << 20)
#define PTS_ATTR_EXCLUDE_CALLCHAIN_KERNEL (UINT64_C(1) << 21)
#define PTS_ATTR_EXCLUDE_CALLCHAIN_USER   (UINT64_C(1) << 22)
#define PTS_ATTR_MMAP2                    (UINT64_C(1) << 23)
#define PTS_ATTR_COMM_EXEC                (UINT64_C(1) << 24)
#define PTS_ATTR_USE_CLOCKID              (UINT64_C(1) << 25)
#define PTS_ATTR_CONTEXT_SWITCH           (UINT64_C(1) << 26)
#define PTS_ATTR_WRITE_BACKWARD           (UINT64_C(1) << 27)
#define PTS_ATTR_NAMESPACES               (UINT64_C(1) << 28)
#define PTS_ATTR_KSYMBOL                  (UINT64_C(1) << 29)
#define PTS_ATTR_BPF_EVENT                (UINT64_C(1) << 30)
#define PTS_ATTR_AUX_OUTPUT               (UINT64_C(1) << 31)
#define PTS_ATTR_CGROUP                   (UINT64_C(1) << 32)
#define PTS_ATTR_TEXT_POKE                (UINT64_C(1) << 33)
#define PTS_ATTR_BUILD_ID                 (UINT64_C(1) << 34)
#define PTS_ATTR_INHERIT_THREAD           (UINT64_C(1) << 35)
#define PTS_ATTR_REMOVE_ON_EXEC           (UINT64_C(1) << 36)
#define PTS_ATTR_SIGTRAP                  (UINT64_C(1) << 37)

struct pts_attr {
    uint32_t type; /* enum pts_attr_type, or a PMU of the recorded machine */
    uint32_t size; /* bytes of the structure, as recorded */
    uint64_t config;
    uint64_t sample_period; /* events, or samples a second if flags has freq */
    uint64_t sample_type;   /* PTS_SAMPLE_* */
    uint64_t read_format;   /* PTS_READ_* */
    uint64_t flags;         /* PTS_ATTR_* */
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
