/* features.h - what a recording says of itself and its machine: the feature sections.
 *
 * SPDX-License-Identifier: MIT
 *
 *     struct pts_feature_iter it = pts_feature_begin(PTS_FEAT_CMDLINE, bytes, n, 0);
 *     struct pts_feature_item item;
 *     while ((st = pts_feature_next(&it, &item)) == PTS_OK)
 *         puts(item.u.text);
 *
 * A section is read as a run of items; which member of the union holds an item is said
 * by its kind.  Nothing is copied and nothing allocated: what items point to are the
 * bytes given, which must outlive them.  Strings are NUL-terminated and never NULL. The
 * bytes may lie: every length and count is compared with what is there first.
 */
#ifndef PTSCRIPT_FEATURES_H
#define PTSCRIPT_FEATURES_H

#include <ptscript/attr.h>
#include <ptscript/bytes.h>
#include <ptscript/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the sections, as in the file; behind each the kinds of its items. */
/* clang-format off */
enum pts_feature {
    PTS_FEAT_TRACING_DATA = 1,     /* BYTES, all of it: formats of tracepoints */
    PTS_FEAT_BUILD_ID = 2,         /* BUILD_ID */
    PTS_FEAT_HOSTNAME = 3,         /* TEXT */
    PTS_FEAT_OSRELEASE = 4,        /* TEXT */
    PTS_FEAT_VERSION = 5,          /* TEXT: of perf */
    PTS_FEAT_ARCH = 6,             /* TEXT: as uname -m */
    PTS_FEAT_NRCPUS = 7,           /* CPUS */
    PTS_FEAT_CPUDESC = 8,          /* TEXT */
    PTS_FEAT_CPUID = 9,            /* TEXT: vendor,family,model,stepping on x86 */
    PTS_FEAT_TOTAL_MEM = 10,       /* NUMBER: KiB */
    PTS_FEAT_CMDLINE = 11,         /* TEXT: one for each word */
    PTS_FEAT_EVENT_DESC = 12,      /* EVENT */
    PTS_FEAT_CPU_TOPOLOGY = 13,    /* SOCKET, THREAD, then DIE and CPU if recorded */
    PTS_FEAT_NUMA_TOPOLOGY = 14,   /* NODE */
    PTS_FEAT_BRANCH_STACK = 15,    /* none: that it is there says it all */
    PTS_FEAT_PMU_MAPPINGS = 16,    /* PMU */
    PTS_FEAT_GROUP_DESC = 17,      /* GROUP */
    PTS_FEAT_AUXTRACE = 18,        /* AUXTRACE */
    PTS_FEAT_STAT = 19,            /* none */
    PTS_FEAT_CACHE = 20,           /* CACHE */
    PTS_FEAT_SAMPLE_TIME = 21,     /* TIMES */
    PTS_FEAT_MEM_TOPOLOGY = 22,    /* MEMORY, then MEMORY_NODE */
    PTS_FEAT_CLOCKID = 23,         /* NUMBER: resolution, ns */
    PTS_FEAT_DIR_FORMAT = 24,      /* NUMBER: version of the directory */
    PTS_FEAT_BPF_PROG_INFO = 25,   /* BPF_PROGRAM */
    PTS_FEAT_BPF_BTF = 26,         /* BPF_BTF */
    PTS_FEAT_COMPRESSED = 27,      /* COMPRESSED */
    PTS_FEAT_CPU_PMU_CAPS = 28,    /* CAP */
    PTS_FEAT_CLOCK_DATA = 29,      /* CLOCK */
    PTS_FEAT_HYBRID_TOPOLOGY = 30, /* HYBRID */
    PTS_FEAT_PMU_CAPS = 31,        /* CAPS for each PMU, each followed by its CAPs */
    PTS_FEAT_END = 256             /* any other below it: BYTES */
};

enum pts_item_kind {
    PTS_ITEM_BYTES = 0,        /* bytes */
    PTS_ITEM_TEXT = 1,         /* text */
    PTS_ITEM_NUMBER = 2,       /* number */
    PTS_ITEM_CPUS = 3,         /* cpus */
    PTS_ITEM_EVENT = 4,        /* event */
    PTS_ITEM_SOCKET = 5,       /* text: CPUs of one socket, such as "0-3,8-11" */
    PTS_ITEM_THREAD = 6,       /* text: CPUs of one core */
    PTS_ITEM_DIE = 7,          /* text: CPUs of one die */
    PTS_ITEM_CPU = 8,          /* cpu */
    PTS_ITEM_NODE = 9,         /* node */
    PTS_ITEM_PMU = 10,         /* pmu */
    PTS_ITEM_GROUP = 11,       /* group */
    PTS_ITEM_AUXTRACE = 12,    /* auxtrace */
    PTS_ITEM_CACHE = 13,       /* cache */
    PTS_ITEM_TIMES = 14,       /* times */
    PTS_ITEM_MEMORY = 15,      /* memory */
    PTS_ITEM_MEMORY_NODE = 16, /* memory_node */
    PTS_ITEM_BPF_PROGRAM = 17, /* bpf_program */
    PTS_ITEM_BPF_BTF = 18,     /* bpf_btf */
    PTS_ITEM_COMPRESSED = 19,  /* compressed */
    PTS_ITEM_CAPS = 20,        /* caps */
    PTS_ITEM_CAP = 21,         /* cap */
    PTS_ITEM_CLOCK = 22,       /* clock */
    PTS_ITEM_HYBRID = 23,      /* hybrid */
    PTS_ITEM_BUILD_ID = 24     /* build_id */
};
/* clang-format on */

struct pts_feature_item {
    uint32_t kind;  /* enum pts_item_kind */
    uint32_t index; /* from 0 on in each run of items of one kind */
    union {
        struct pts_bytes bytes;
        const char *text;
        uint64_t number;
        struct {
            uint32_t available, online;
        } cpus;
        struct {
            struct pts_attr attr;
            const char *name;
            struct pts_words ids;
        } event; /* in the order of the file's events */
        struct {
            int32_t core, socket;
            int32_t die; /* -1 when the section has none */
            int has_die;
        } cpu; /* index is its number */
        struct {
            uint32_t number;
            uint64_t total, available; /* KiB */
            const char *cpus;
        } node;
        struct {
            uint32_t type; /* attr.type of its events */
            const char *name;
        } pmu;
        struct {
            const char *name; /* "{anon_group}" when it was given none */
            uint32_t leader;  /* index of its first event */
            uint32_t members; /* how many events, with the first */
        } group;
        struct {
            uint64_t offset, size; /* of an AUXTRACE record in the file */
        } auxtrace;
        struct {
            uint32_t level, line_size, sets, ways;
            const char *type, *size, *cpus; /* "Data", "32K", "0-1" */
        } cache;
        struct {
            uint64_t first, last; /* ns, of the first and last sample */
        } times;
        struct {
            uint64_t block_size; /* bytes */
            uint64_t nodes;      /* how many MEMORY_NODEs there should be */
        } memory;
        struct {
            uint64_t number, blocks;
            struct pts_words present; /* a bit for each block, lowest first */
            uint64_t bits;            /* how many of them count */
        } memory_node;
        struct {
            struct pts_bytes info; /* the kernel's struct bpf_prog_info */
            struct pts_bytes data; /* arrays it points to, by offsets into this */
            uint64_t arrays;       /* which arrays are there, one bit each */
        } bpf_program;
        struct {
            uint32_t id;
            struct pts_bytes data; /* BTF */
        } bpf_btf;
        struct {
            uint32_t version, type, level, ratio, mmap_len; /* type 1: zstd */
        } compressed;
        struct {
            const char *pmu;
            uint32_t count; /* CAPs that follow */
        } caps;
        struct {
            const char *pmu; /* "cpu" in CPU_PMU_CAPS */
            const char *name, *value;
        } cap;
        struct {
            uint32_t id;                    /* clockid_t */
            uint64_t time_of_day, on_clock; /* ns, the same moment on both clocks */
        } clock;
        struct {
            const char *pmu, *cpus;
        } hybrid;
        struct {
            int32_t pid;   /* of the machine: -1 the host */
            uint16_t misc; /* as of the record: the low bits are the cpu mode */
            struct pts_bytes id;
            const char *path;
        } build_id;
    } u;
};

/* Where a reader of a section is; the members are its own. */
struct pts_feature_iter {
    const uint8_t *at, *end, *cores, *dies;
    const char *name;
    uint32_t id, swap, stage, left, kind, index, extra, cpus;
};

/* The n bytes of section `id` (enum pts_feature).  foreign: written by a machine of the
 * other byte order. */
PTS_API struct pts_feature_iter pts_feature_begin(uint32_t id, const void *bytes,
                                                  size_t n, int foreign);
/* Must be called before the first item of CPU_TOPOLOGY: how many CPUs NRCPUS calls
 * available, without which their cores cannot be told from what follows. */
static inline void pts_feature_set_cpus(struct pts_feature_iter *it, uint32_t available)
{
    it->cpus = available;
}
/* The next item.  PTS_END after the last; PTS_E_RANGE when the section ends inside an
 * item or has not as many as it claims, PTS_E_UNSUPPORTED when its version is not
 * known: the items before that are good, and there are no more. */
PTS_API PTS_MUST_USE pts_status pts_feature_next(struct pts_feature_iter *it,
                                                 struct pts_feature_item *item);

/* perf's word for a section ("HOSTNAME"), or NULL.  Static storage. */
PTS_API const char *pts_feature_name(uint32_t id);

#ifdef __cplusplus
}
#endif
#endif
