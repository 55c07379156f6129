/* perf_abi.h - the numbers of perf.data that the public headers need not have: sizes,
 * limits, magic numbers.
 *
 * SPDX-License-Identifier: MIT
 *
 * Types of records, bits of attributes and numbers of features are public and are
 * called PTS_*; there is no second name for any of them.
 */
#ifndef PTS_DECODER_FILE_PERF_ABI_H
#define PTS_DECODER_FILE_PERF_ABI_H

#include <ptscript/attr.h>
#include <ptscript/features.h>
#include <ptscript/record.h>

#include <stdint.h>

#define PERF_MAGIC    UINT64_C(0x32454c4946524550) /* "PERFILE2" */
#define PERF_MAGIC_V1 UINT64_C(0x454c494646524550) /* "PERFFILE" */
#define PERF_MAGIC_SWAP                                                                \
    UINT64_C(0x50455246494c4532) /* "PERFILE2" of the other byte order */

enum {
    PERF_PIPE_HEADER = 16,
    PERF_FILE_HEADER = 104,
    PERF_FILE_HEADER_OLD = 72, /* without the feature bits */
    PERF_FEATURE_BYTES = 32,
    PERF_SECTION = 16,
    PERF_REC_HEADER = 8,
    PERF_REC_MAX = 65535,
    PERF_ATTR_MIN = 64,
    PERF_ATTR_BYTES = 128 /* as perf 6.1 writes it */
};

/* Bytes of what records have several of, and of texts that are padded. */
enum {
    PERF_BRANCH_BYTES = 24,   /* in a SAMPLE: from, to, flags */
    PERF_ID_BYTES = 32,       /* in an ID_INDEX: id, idx, cpu, tid; then, for all, */
    PERF_ID_GUEST_BYTES = 16, /* ... machine_pid, vcpu */
    PERF_AUX_ERROR_TEXT = 64, /* in an AUXTRACE_ERROR */
    PERF_THREAD_COMM = 16,    /* in a THREAD_MAP, behind the pid */
    PERF_THREAD_BYTES = 8 + PERF_THREAD_COMM,
    PERF_BPF_NAME = 512, /* in a BPF_METADATA: name, then entries of */
    PERF_BPF_KEY = 64,
    PERF_BPF_VALUE = 256,
    PERF_BPF_ENTRY = PERF_BPF_KEY + PERF_BPF_VALUE
};

/* Records of the kernel are below PERF_REC_USER, of perf itself from there on. */
enum {
    PERF_REC_USER = 64,
    PERF_REC_IMPOSSIBLE = 128 /* from here on: no version of perf has such types */
};

/* AUXTRACE_INFO.type: no version of perf has one from here on. */
enum { PERF_AUXTRACE_IMPOSSIBLE = 128 };

/* AUXTRACE_INFO of Intel PT: words of the smallest record, and where the later ones
 * are.  Each version of perf that knew more added its words behind the others. */
enum aux_info_word {
    AUX_INFO_MIN = 10,
    AUX_INFO_MTC = 10,
    AUX_INFO_CYC = 14,
    AUX_INFO_MAX_RATIO = 15,
    AUX_INFO_FILTER_LEN = 16 /* of a string, which follows in whole words */
};

/* Its have_sched_switch: which records tell the thread that is on a CPU. */
enum aux_switches {
    AUX_SWITCHES_NONE,
    AUX_SWITCHES_TRACEPOINT, /* samples of sched:sched_switch */
    AUX_SWITCHES_OWN,        /* SWITCH: of the traced threads alone */
    AUX_SWITCHES_CPU_WIDE    /* SWITCH_CPU_WIDE: of all threads */
};

#endif
