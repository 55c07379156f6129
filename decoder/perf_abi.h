/* perf_abi.h - the numbers of perf.data: what the kernel and perf agreed upon.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_PERF_ABI_H
#define PTS_DECODER_PERF_ABI_H

#include <stdint.h>

#define PERF_MAGIC    UINT64_C(0x32454c4946524550) /* "PERFILE2" */
#define PERF_MAGIC_V1 UINT64_C(0x454c494646524550) /* "PERFFILE" */
#define PERF_MAGIC_SWAP                                                                \
    UINT64_C(0x50455246494c4532) /* "PERFILE2" of the other endianness */

enum {
    PERF_PIPE_HEADER = 16,
    PERF_FILE_HEADER = 104,
    PERF_FILE_HEADER_OLD = 72, /* without the feature bits */
    PERF_FEATURE_BYTES = 32,
    PERF_SECTION = 16,
    PERF_REC_HEADER = 8,
    PERF_REC_MAX = 65535,
    PERF_ATTR_MIN = 64,
    PERF_BUILD_ID_MAX = 20
};

/* Feature sections, in file order. */
enum perf_feature {
    PERF_FEAT_TRACING_DATA = 1,
    PERF_FEAT_BUILD_ID = 2,
    PERF_FEAT_HOSTNAME = 3,
    PERF_FEAT_OSRELEASE = 4,
    PERF_FEAT_VERSION = 5,
    PERF_FEAT_ARCH = 6,
    PERF_FEAT_NRCPUS = 7,
    PERF_FEAT_CPUDESC = 8,
    PERF_FEAT_CPUID = 9,
    PERF_FEAT_TOTAL_MEM = 10,
    PERF_FEAT_CMDLINE = 11,
    PERF_FEAT_EVENT_DESC = 12,
    PERF_FEAT_CPU_TOPOLOGY = 13,
    PERF_FEAT_NUMA_TOPOLOGY = 14,
    PERF_FEAT_BRANCH_STACK = 15,
    PERF_FEAT_PMU_MAPPINGS = 16,
    PERF_FEAT_GROUP_DESC = 17,
    PERF_FEAT_AUXTRACE = 18,
    PERF_FEAT_STAT = 19,
    PERF_FEAT_CACHE = 20,
    PERF_FEAT_SAMPLE_TIME = 21,
    PERF_FEAT_MEM_TOPOLOGY = 22,
    PERF_FEAT_CLOCKID = 23,
    PERF_FEAT_DIR_FORMAT = 24,
    PERF_FEAT_BPF_PROG_INFO = 25,
    PERF_FEAT_BPF_BTF = 26,
    PERF_FEAT_COMPRESSED = 27,
    PERF_FEAT_CPU_PMU_CAPS = 28,
    PERF_FEAT_CLOCK_DATA = 29,
    PERF_FEAT_HYBRID_TOPOLOGY = 30,
    PERF_FEAT_PMU_CAPS = 31,
    PERF_FEAT_LIMIT = 256
};

/* Records: of the kernel below 64, of perf itself from there on. */
enum perf_rec_type {
    PERF_REC_MMAP = 1,
    PERF_REC_LOST = 2,
    PERF_REC_COMM = 3,
    PERF_REC_EXIT = 4,
    PERF_REC_THROTTLE = 5,
    PERF_REC_UNTHROTTLE = 6,
    PERF_REC_FORK = 7,
    PERF_REC_READ = 8,
    PERF_REC_SAMPLE = 9,
    PERF_REC_MMAP2 = 10,
    PERF_REC_AUX = 11,
    PERF_REC_ITRACE_START = 12,
    PERF_REC_LOST_SAMPLES = 13,
    PERF_REC_SWITCH = 14,
    PERF_REC_SWITCH_CPU_WIDE = 15,
    PERF_REC_NAMESPACES = 16,
    PERF_REC_KSYMBOL = 17,
    PERF_REC_BPF_EVENT = 18,
    PERF_REC_CGROUP = 19,
    PERF_REC_TEXT_POKE = 20,
    PERF_REC_AUX_OUTPUT_HW_ID = 21,

    PERF_REC_USER = 64,
    PERF_REC_HEADER_ATTR = 64,
    PERF_REC_EVENT_TYPE = 65,
    PERF_REC_TRACING_DATA = 66,
    PERF_REC_BUILD_ID = 67,
    PERF_REC_FINISHED_ROUND = 68,
    PERF_REC_ID_INDEX = 69,
    PERF_REC_AUXTRACE_INFO = 70,
    PERF_REC_AUXTRACE = 71,
    PERF_REC_AUXTRACE_ERROR = 72,
    PERF_REC_THREAD_MAP = 73,
    PERF_REC_CPU_MAP = 74,
    PERF_REC_STAT_CONFIG = 75,
    PERF_REC_STAT = 76,
    PERF_REC_STAT_ROUND = 77,
    PERF_REC_EVENT_UPDATE = 78,
    PERF_REC_TIME_CONV = 79,
    PERF_REC_FEATURE = 80,
    PERF_REC_COMPRESSED = 81,
    PERF_REC_FINISHED_INIT = 82,
    PERF_REC_COMPRESSED2 = 83,

    PERF_REC_IMPOSSIBLE = 128 /* from here on: no version of perf has such types */
};

/* perf_event_header.misc */
enum {
    PERF_MISC_CPUMODE = 7,
    PERF_MODE_KERNEL = 1,
    PERF_MODE_USER = 2,
    PERF_MODE_HYPERVISOR = 3,
    PERF_MODE_GUEST_KERNEL = 4,
    PERF_MODE_GUEST_USER = 5,
    PERF_MISC_PARSE_TIMEOUT = 1 << 12,
    PERF_MISC_MMAP_DATA = 1 << 13,
    PERF_MISC_COMM_EXEC = 1 << 13,
    PERF_MISC_FORK_EXEC = 1 << 13,
    PERF_MISC_SWITCH_OUT = 1 << 13,
    PERF_MISC_SWITCH_PREEMPT = 1 << 14,
    PERF_MISC_MMAP_BUILD_ID = 1 << 14,
    PERF_MISC_BUILD_ID_SIZE = 1 << 15,
    PERF_MISC_LOST_BPF = 1 << 15
};

/* perf_event_attr.type */
enum { PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT };

/* perf_event_attr.sample_type */
#define PERF_SAMPLE_IP             (UINT64_C(1) << 0)
#define PERF_SAMPLE_TID            (UINT64_C(1) << 1)
#define PERF_SAMPLE_TIME           (UINT64_C(1) << 2)
#define PERF_SAMPLE_ADDR           (UINT64_C(1) << 3)
#define PERF_SAMPLE_READ           (UINT64_C(1) << 4)
#define PERF_SAMPLE_CALLCHAIN      (UINT64_C(1) << 5)
#define PERF_SAMPLE_ID             (UINT64_C(1) << 6)
#define PERF_SAMPLE_CPU            (UINT64_C(1) << 7)
#define PERF_SAMPLE_PERIOD         (UINT64_C(1) << 8)
#define PERF_SAMPLE_STREAM_ID      (UINT64_C(1) << 9)
#define PERF_SAMPLE_RAW            (UINT64_C(1) << 10)
#define PERF_SAMPLE_BRANCH_STACK   (UINT64_C(1) << 11)
#define PERF_SAMPLE_REGS_USER      (UINT64_C(1) << 12)
#define PERF_SAMPLE_STACK_USER     (UINT64_C(1) << 13)
#define PERF_SAMPLE_WEIGHT         (UINT64_C(1) << 14)
#define PERF_SAMPLE_DATA_SRC       (UINT64_C(1) << 15)
#define PERF_SAMPLE_IDENTIFIER     (UINT64_C(1) << 16)
#define PERF_SAMPLE_TRANSACTION    (UINT64_C(1) << 17)
#define PERF_SAMPLE_REGS_INTR      (UINT64_C(1) << 18)
#define PERF_SAMPLE_PHYS_ADDR      (UINT64_C(1) << 19)
#define PERF_SAMPLE_AUX            (UINT64_C(1) << 20)
#define PERF_SAMPLE_CGROUP         (UINT64_C(1) << 21)
#define PERF_SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define PERF_SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define PERF_SAMPLE_WEIGHT_STRUCT  (UINT64_C(1) << 24)

/* perf_event_attr.read_format */
enum {
    PERF_READ_TIME_ENABLED = 1 << 0,
    PERF_READ_TIME_RUNNING = 1 << 1,
    PERF_READ_ID = 1 << 2,
    PERF_READ_GROUP = 1 << 3,
    PERF_READ_LOST = 1 << 4
};

/* The flag word of perf_event_attr. */
#define PERF_ATTR_DISABLED       (UINT64_C(1) << 0)
#define PERF_ATTR_EXCLUDE_USER   (UINT64_C(1) << 4)
#define PERF_ATTR_EXCLUDE_KERNEL (UINT64_C(1) << 5)
#define PERF_ATTR_EXCLUDE_HV     (UINT64_C(1) << 6)
#define PERF_ATTR_FREQ           (UINT64_C(1) << 10)
#define PERF_ATTR_PRECISE_SHIFT  15
#define PERF_ATTR_SAMPLE_ID_ALL  (UINT64_C(1) << 18)
#define PERF_ATTR_EXCLUDE_HOST   (UINT64_C(1) << 19)
#define PERF_ATTR_EXCLUDE_GUEST  (UINT64_C(1) << 20)
#define PERF_ATTR_CONTEXT_SWITCH (UINT64_C(1) << 26)
#define PERF_ATTR_WRITE_BACKWARD (UINT64_C(1) << 27)
#define PERF_ATTR_AUX_OUTPUT     (UINT64_C(1) << 31)

/* perf_event_attr.branch_sample_type */
#define PERF_BRANCH_CALL_STACK (UINT64_C(1) << 11)
#define PERF_BRANCH_HW_INDEX   (UINT64_C(1) << 17)
#define PERF_BRANCH_COUNTERS   (UINT64_C(1) << 19)

/* Flags of AUX records. */
enum {
    PERF_AUX_TRUNCATED = 1,
    PERF_AUX_OVERWRITE = 2,
    PERF_AUX_PARTIAL = 4,
    PERF_AUX_COLLISION = 8
};

/* AUXTRACE_INFO.type */
enum { PERF_AUXTRACE_INTEL_PT = 1 };

/* EVENT_UPDATE.type */
enum {
    PERF_UPDATE_UNIT = 0,
    PERF_UPDATE_SCALE = 1,
    PERF_UPDATE_NAME = 2,
    PERF_UPDATE_CPUS = 3
};

#endif
