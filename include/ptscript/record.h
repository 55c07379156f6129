/* record.h - what the records of perf.data say, typed.
 *
 * SPDX-License-Identifier: MIT
 *
 * records.h reads them; records.def lists their types, and which struct is for which.
 *
 * All numbers are in this machine's byte order, also when the recording is not. Strings
 * are NUL-terminated, end inside their record and are never NULL.  Counts are never
 * more than the record holds.  Pointers go into the record, which is lent.
 *
 * Times are nanoseconds of the recording's clock (perf's default is that of
 * sched_clock), addresses are virtual addresses of a process or of the kernel, sizes
 * and lengths are bytes, unless a member says otherwise.  Process and thread ids are
 * those of the recorder's pid namespace; -1 stands for none.
 */
#ifndef PTSCRIPT_RECORD_H
#define PTSCRIPT_RECORD_H

#include <ptscript/attr.h>
#include <ptscript/bytes.h>
#include <ptscript/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Types ----------------------------------------------------------------------- */

enum pts_record_type {
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    PTS_RECORD_##name = (number),
#include <ptscript/records.def>
#undef PTS_RECORD
};

/* As large as the highest type and one more, wherever it stands in the list. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared */
union pts_record_numbers {
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    char callback[(number) + 1];
#include <ptscript/records.def>
#undef PTS_RECORD
};
/* NOLINTEND(bugprone-macro-parentheses) */
enum { PTS_RECORD_TYPES = sizeof(union pts_record_numbers) }; /* above all known */

/* pts_record.misc.  The low three bits are the mode of the CPU; bits 13 to 15 mean
 * another thing in each type of record. */
enum pts_misc {
    PTS_MISC_MODE = 7,
    PTS_MODE_UNKNOWN = 0,
    PTS_MODE_KERNEL = 1,
    PTS_MODE_USER = 2,
    PTS_MODE_HYPERVISOR = 3,
    PTS_MODE_GUEST_KERNEL = 4,
    PTS_MODE_GUEST_USER = 5,
    PTS_MISC_MAPS_TIMEOUT = 1 << 12, /* MMAP, MMAP2: /proc/PID/maps took too long */
    PTS_MISC_MMAP_DATA = 1 << 13,    /* MMAP, MMAP2: not executable */
    PTS_MISC_COMM_EXEC = 1 << 13,    /* COMM: by exec(2) */
    PTS_MISC_FORK_EXEC = 1 << 13,    /* FORK: made up by perf for a process it found */
    PTS_MISC_SWITCH_OUT =
        1 << 13,                 /* SWITCH, SWITCH_CPU_WIDE: off the CPU, not onto it */
    PTS_MISC_EXACT_IP = 1 << 14, /* SAMPLE: ip is exact */
    PTS_MISC_SWITCH_PREEMPT = 1 << 14, /* SWITCH_OUT: it could have gone on */
    PTS_MISC_MMAP_BUILD_ID = 1 << 14,  /* MMAP2: with a build id */
    PTS_MISC_BUILD_ID_SIZE = 1 << 15,  /* BUILD_ID: says how long the id is */
    PTS_MISC_LOST_BPF = 1 << 15        /* LOST_SAMPLES: a BPF filter dropped them */
};

/* The longest build id: that of SHA-1. */
enum { PTS_BUILD_ID_MAX = 20 };

/* Who, when and where, as far as the record says: `has` has the bits PTS_SAMPLE_TID,
 * _TIME, _ID, _STREAM_ID and _CPU of the members that are set (_ID also for an
 * IDENTIFIER), the others are all ones.  Records of perf itself have none; then all are
 * zero. */
struct pts_sample_id {
    uint64_t has;
    int32_t pid, tid;
    uint64_t time;
    uint64_t id;     /* of the counter: see pts_records_counter */
    uint64_t stream; /* of the counter, shared with those it was inherited from */
    uint32_t cpu;
};

/* --- Records of the kernel ------------------------------------------------------- */

/* MMAP, MMAP2: a mapping was made.  What MMAP does not tell is zero. */
struct pts_mmap {
    int32_t pid, tid;
    uint64_t addr, len;
    uint64_t pgoff;          /* offset in the file */
    uint32_t maj, min;       /* device of the file */
    uint64_t ino, ino_gen;   /* its inode and the inode's generation */
    uint32_t prot, flags;    /* as of mmap(2) */
    const uint8_t *build_id; /* NULL: maj to ino_gen are given instead */
    uint8_t build_id_len;    /* at most 20 */
    const char *name;        /* path, or "[vdso]", "//anon" ... */
};

/* COMM: a thread got a name. */
struct pts_comm {
    int32_t pid, tid;
    const char *comm;
    bool exec; /* by exec(2): the process runs another program now */
};

/* FORK, EXIT */
struct pts_task {
    int32_t pid, ppid, tid, ptid; /* of the thread, and of who forked it */
    uint64_t time;
};

/* AUX: the kernel put trace into the AUX area. */
struct pts_aux {
    uint64_t offset, size; /* in the AUX area, counted on and on */
    uint64_t flags;        /* enum pts_aux_flags; bits 8 to 15: format of the PMU */
};

enum pts_aux_flags {
    PTS_AUX_TRUNCATED = 1, /* there was no room for all */
    PTS_AUX_OVERWRITE = 2, /* snapshot: older trace is overwritten */
    PTS_AUX_PARTIAL = 4,   /* there are gaps */
    PTS_AUX_COLLISION = 8  /* of samples */
};

/* ITRACE_START: the thread whose trace begins.  SWITCH_CPU_WIDE: the thread that was on
 * the CPU before, or (SWITCH_OUT) comes next; the record's own thread is in its id. */
struct pts_thread {
    int32_t pid, tid;
};

/* LOST: records that the buffer had no room for.  LOST_SAMPLES: samples that the
 * hardware dropped; id is 0. */
struct pts_lost {
    uint64_t id; /* of the counter */
    uint64_t lost;
};

/* THROTTLE, UNTHROTTLE: a counter was stopped because of too many samples, and runs on.
 */
struct pts_throttle {
    uint64_t time, id, stream;
};

/* NAMESPACES: those that a thread is in: net, uts, ipc, pid, user, mnt, cgroup, time.
 */
struct pts_namespaces {
    int32_t pid, tid;
    uint64_t count;
    const uint8_t *at; /* pts_namespace_at */
};
struct pts_namespace {
    uint64_t dev, ino; /* of /proc/PID/ns/NAME */
};
/* Number i < n->count. */
static inline struct pts_namespace pts_namespace_at(const struct pts_namespaces *n,
                                                    uint64_t i)
{
    struct pts_namespace one;
    memcpy(&one, n->at + 16 * i, sizeof(one));
    return one;
}

/* KSYMBOL: code appeared in the kernel, or (flags 1) went. */
struct pts_ksymbol {
    uint64_t addr;
    uint32_t len;
    uint16_t type; /* 1 a BPF program, 2 out of line (trampolines, kprobe slots) */
    uint16_t flags;
    const char *name;
};

/* BPF_EVENT: a BPF program was loaded or unloaded. */
struct pts_bpf_event {
    uint16_t type; /* 1 loaded, 2 unloaded */
    uint16_t flags;
    uint32_t id;
    const uint8_t *tag; /* 8 bytes */
};

/* CGROUP: a cgroup and its path, for pts_sample.cgroup. */
struct pts_cgroup {
    uint64_t id;
    const char *path;
};

/* TEXT_POKE: the kernel changed its code. */
struct pts_text_poke {
    uint64_t addr;
    uint16_t old_len, new_len;
    const uint8_t *bytes; /* old_len that were there, then new_len that are there now */
};

/* AUX_OUTPUT_HW_ID: the number that the hardware gives the record's event in a trace.
 */
struct pts_hw_id {
    uint64_t hw_id;
};

/* One counter's state; id and lost are zero when the format does not have them. */
struct pts_value {
    uint64_t value;
    uint64_t id;   /* of the counter */
    uint64_t lost; /* samples */
};

/* What reading an event gives: one counter or (PTS_READ_GROUP) all of its group. */
struct pts_sample_read {
    uint64_t format;           /* attr.read_format: PTS_READ_* */
    uint64_t enabled, running; /* ns that it was on, and really counted */
    uint64_t count;            /* of counters: 1 unless it is a group */
    struct pts_value one;
    struct pts_words group; /* pts_value_at reads either */
};
/* Counter i < v->count. */
PTS_API struct pts_value pts_value_at(const struct pts_sample_read *v, uint64_t i);

/* READ: a counter's value when its thread ended. */
struct pts_read {
    int32_t pid, tid;
    struct pts_sample_read values;
};

/* CALLCHAIN_DEFERRED: the user part of the call chains that end with this cookie. */
struct pts_deferred {
    uint64_t cookie;
    struct pts_words ips;
};

/* --- Samples --------------------------------------------------------------------- */

/* Registers, when they could be read. */
struct pts_regs {
    uint64_t abi;         /* 0 none, 1 32-bit, 2 64-bit */
    uint64_t mask;        /* which: numbers of the architecture's perf_regs.h */
    struct pts_words val; /* one for each bit of mask, from the lowest */
};

/* A branch of a branch stack. */
struct pts_branch {
    uint64_t from, to;
    uint64_t flags; /* bit 0 mispredicted, 1 predicted, 2 in a transaction, 3 abort, 4
                     * to 19 cycles since the last, 20 to 23 type, 24 and 25
                     * speculation, 26 to 29 new type, 30 to 32 privilege */
};

/* What stands among the addresses of a call chain before those of another mode; no word
 * from PTS_CONTEXT_MAX on is an address. */
#define PTS_CONTEXT_MAX          (~UINT64_C(0) - 4094)
#define PTS_CONTEXT_HV           (~UINT64_C(0) - 31)
#define PTS_CONTEXT_KERNEL       (~UINT64_C(0) - 127)
#define PTS_CONTEXT_USER         (~UINT64_C(0) - 511)
#define PTS_CONTEXT_DEFERRED     (~UINT64_C(0) - 639) /* then the cookie */
#define PTS_CONTEXT_GUEST        (~UINT64_C(0) - 2047)
#define PTS_CONTEXT_GUEST_KERNEL (~UINT64_C(0) - 2175)
#define PTS_CONTEXT_GUEST_USER   (~UINT64_C(0) - 2559)

/* SAMPLE.  `type` says which members the record has; the others are as perf leaves
 * them: zero, the period of the event's attributes, no access to memory. */
struct pts_sample {
    uint64_t type; /* PTS_SAMPLE_* */
    uint64_t ip;
    uint64_t addr;   /* of the data or the branch target, by event */
    uint64_t period; /* events since the last sample */
    struct pts_sample_read read;
    struct pts_words
        callchain;        /* return addresses, innermost first, and PTS_CONTEXT_* */
    struct pts_bytes raw; /* a tracepoint's fields, or what a program put out */
    uint64_t branch_count;
    uint64_t branch_hw_idx;           /* of the newest, ~0 when not recorded */
    const uint8_t *branches;          /* newest first: pts_branch_at */
    struct pts_words branch_counters; /* events in each branch, or none */
    struct pts_regs user, intr;       /* in user space, and where it was interrupted */
    struct pts_bytes stack;           /* what was copied of the user stack */
    uint32_t stack_off;               /* of stack_size in the record */
    uint64_t stack_size;              /* recorded, of which stack.len were used */
    uint64_t weight;                  /* latency, usually in cycles */
    uint16_t ins_lat, weight3;        /* of an instruction; to retirement: cycles */
    uint64_t data_src;                /* perf_event_open(2), PERF_SAMPLE_DATA_SRC */
    uint64_t transaction;             /* the same, PERF_SAMPLE_TRANSACTION */
    uint64_t phys_addr;               /* physical address of addr */
    uint64_t cgroup;                  /* id of a CGROUP record */
    uint64_t data_page_size, code_page_size; /* of the pages of addr and of ip */
    struct pts_bytes aux;                    /* trace up to this sample */
};

/* Branch i < s->branch_count. */
static inline struct pts_branch pts_branch_at(const struct pts_sample *s, uint64_t i)
{
    struct pts_branch one;
    memcpy(&one, s->branches + 24 * i, sizeof(one));
    return one;
}

/* --- Records of perf ------------------------------------------------------------- */

/* HEADER_ATTR (pipes): one event. */
struct pts_attr_record {
    struct pts_attr attr;
    struct pts_words ids; /* of its counters */
};

/* BUILD_ID (pipes): which build of a file was mapped. */
struct pts_build_id {
    int32_t pid;   /* of the machine: -1 the host */
    uint16_t misc; /* of the record */
    const uint8_t *id;
    uint8_t id_len; /* at most 20 */
    const char *name;
};

/* ID_INDEX: what each counter counts. */
struct pts_id_index {
    uint64_t count;
    const uint8_t *at;     /* pts_id_at reads both */
    const uint8_t *guests; /* or NULL */
};
struct pts_counter {
    uint64_t id;
    uint32_t event;        /* index of its event; PTS_NO_EVENT when that is not known */
    int32_t idx, cpu, tid; /* -1: not bound to one, or not told */
    int32_t machine_pid, vcpu; /* of a guest; else 0 and -1 */
};
/* Entry i < x->count; its event is not looked up. */
PTS_API struct pts_counter pts_id_at(const struct pts_id_index *x, uint64_t i);

/* AUXTRACE_INFO: how the trace was set up. */
enum { PTS_AUXTRACE_INTEL_PT = 1 };
struct pts_auxtrace_info {
    uint32_t
        type; /* 1 Intel PT, 2 Intel BTS, 3 CoreSight, 4 SPE, 5 s390, 6 HiSilicon */
    struct pts_words priv; /* what it means depends on the type */
};

/* AUXTRACE: a piece of trace, which is the record's payload. */
struct pts_auxtrace {
    uint64_t size;      /* as claimed; there is pts_record.payload.len */
    uint64_t offset;    /* in the AUX area, counted on and on */
    uint64_t reference; /* Intel PT: TSC when it was read out */
    uint32_t idx;       /* of the buffer */
    int32_t tid, cpu;   /* whose it is; -1: not bound to one */
};

/* AUXTRACE_ERROR: a recording with decoded trace has errors as records. */
enum { PTS_AUXTRACE_ERROR_UNKNOWN = 0, PTS_AUXTRACE_ERROR_TRACE = 1 };
struct pts_auxtrace_error {
    uint32_t type, code;
    int32_t cpu, pid, tid;
    uint32_t fmt;
    uint64_t ip;
    uint64_t time;             /* fmt 1 and above */
    int32_t machine_pid, vcpu; /* fmt 2 and above, else 0 */
    struct pts_bytes msg;      /* text, without a NUL */
};

/* THREAD_MAP: the threads that were recorded. */
struct pts_thread_map {
    uint64_t count;
    const uint8_t *at; /* pts_thread_map_at */
};
struct pts_thread_name {
    int32_t pid;
    char comm[17]; /* NUL-terminated */
};
/* Thread i < m->count. */
PTS_API struct pts_thread_name pts_thread_map_at(const struct pts_thread_map *m,
                                                 uint64_t i);

/* CPU_MAP (its bytes) and EVENT_UPDATE (its data): calls each(ctx, cpu) for every CPU
 * in the order of the map; -1 is "any".  Returns how many there were. */
PTS_API size_t pts_cpu_map_each(struct pts_bytes map,
                                void (*each)(void *ctx, int32_t cpu), void *ctx);

/* STAT_CONFIG: how perf stat was called. */
struct pts_stat_config {
    uint64_t count;
    const uint8_t *at; /* {u64 tag, value}: 0 aggregation, 1 interval in ms, 2 scaled */
};

/* STAT: what a counter says. */
struct pts_stat {
    uint64_t id;
    int32_t cpu;
    uint32_t thread;                  /* index in the thread map */
    uint64_t value, enabled, running; /* running, enabled: ns */
};

/* STAT_ROUND: all counters have been read. */
struct pts_stat_round {
    uint64_t type; /* 0 one of many, 1 the last */
    uint64_t time;
};

/* EVENT_UPDATE: something about an event that its attributes do not say. */
enum pts_update_type {
    PTS_UPDATE_UNIT = 0,  /* text */
    PTS_UPDATE_SCALE = 1, /* a double */
    PTS_UPDATE_NAME = 2,  /* text */
    PTS_UPDATE_CPUS = 3   /* pts_cpu_map_each */
};
struct pts_event_update {
    uint64_t type; /* enum pts_update_type */
    uint64_t id;   /* of a counter of the event */
    struct pts_bytes data;
};

/* TIME_CONV: ticks of the TSC to ns: zero + (ticks * mult >> shift). */
struct pts_time_conv {
    uint64_t shift, mult, zero;
    bool is_long;          /* the rest is there */
    uint64_t cycles, mask; /* of a short counter */
    uint8_t cap_zero, cap_short;
};

/* FEATURE (pipes): a feature section; see features.h. */
struct pts_feature_record {
    uint64_t number; /* enum pts_feature */
    struct pts_bytes data;
};

/* BPF_METADATA: variables of a BPF program that describe it. */
struct pts_bpf_metadata {
    struct pts_bytes name; /* of the program: text, without a NUL */
    uint64_t count;
    const uint8_t *at; /* count times {char key[64], value[256]} */
};

/* SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN: a line of /proc/schedstat. */
struct pts_schedstat {
    uint64_t time;
    uint32_t cpu;
    uint16_t version, domain; /* domain: 0 for a CPU */
    struct pts_bytes data;    /* 32-bit or 64-bit counters, by version */
};

/* --- Any record ------------------------------------------------------------------ */

#define PTS_NO_EVENT UINT32_MAX

enum pts_record_how {
    PTS_RECORD_WHOLE,   /* the union holds it */
    PTS_RECORD_UNKNOWN, /* a type that is not known: u.bytes is its body */
    PTS_RECORD_DAMAGED /* it is shorter than it claims, or the sample of no known event:
                        * u.bytes is its body */
};

/* What a record says.  Which member is for which type: records.def. */
union pts_record_body {
    struct pts_bytes bytes; /* body of a record that has no struct here */
    struct pts_mmap mmap;
    struct pts_comm comm;
    struct pts_task task;
    struct pts_aux aux;
    struct pts_thread thread;
    struct pts_lost lost;
    struct pts_throttle throttle;
    struct pts_namespaces namespaces;
    struct pts_ksymbol ksymbol;
    struct pts_bpf_event bpf_event;
    struct pts_cgroup cgroup;
    struct pts_text_poke text_poke;
    struct pts_hw_id hw_id;
    struct pts_read read;
    struct pts_deferred deferred;
    struct pts_sample sample;
    struct pts_attr_record attr;
    struct pts_build_id build_id;
    struct pts_id_index id_index;
    struct pts_auxtrace_info auxtrace_info;
    struct pts_auxtrace auxtrace;
    struct pts_auxtrace_error auxtrace_error;
    struct pts_thread_map thread_map;
    struct pts_stat_config stat_config;
    struct pts_stat stat;
    struct pts_stat_round stat_round;
    struct pts_event_update event_update;
    struct pts_time_conv time_conv;
    struct pts_feature_record feature;
    struct pts_bpf_metadata bpf_metadata;
    struct pts_schedstat schedstat;
};

struct pts_record {
    uint32_t type;    /* enum pts_record_type, or any other number */
    uint16_t misc;    /* enum pts_misc */
    uint16_t size;    /* of the record without its payload */
    uint32_t how;     /* enum pts_record_how */
    uint32_t event;   /* index of the event it belongs to, or PTS_NO_EVENT */
    const char *file; /* which file, as perf's dump calls it; NULL for bytes given */
    uint64_t offset;  /* in it, as perf's dump has it (all records that were packed in
                       * one  have its offset), or in all bytes fed */
    struct pts_bytes bytes; /* all of it, with the 8 bytes of its header */
    struct pts_bytes
        payload; /* behind it: of AUXTRACE, TRACING_DATA; what there is of it */
    uint64_t payload_size; /* what it claims */
    struct pts_sample_id id;
    union pts_record_body u;
};

/* perf's word for a type ("MMAP2"), or NULL.  Static storage. */
PTS_API const char *pts_record_name(uint32_t type);

/* --- Visiting -------------------------------------------------------------------- */

/* A function for each type of record; those that are NULL are passed over.  A function
 * that returns something else than 0 ends the visit. */
struct pts_visitor {
    size_t size; /* of this struct */
    void *ctx;
    int (*other)(void *ctx, const struct pts_record *r); /* unknown or damaged */
/* NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared */
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    int (*callback)(void *ctx, const struct pts_record *r, const body *b);
#include <ptscript/records.def>
#undef PTS_RECORD
    /* NOLINTEND(bugprone-macro-parentheses) */
};

/* Calls the function for one record; what it returned. */
PTS_API int pts_record_visit(const struct pts_visitor *v, const struct pts_record *r);

#ifdef __cplusplus
}
#endif
#endif
