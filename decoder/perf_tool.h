/* perf_tool.h - the records that perf itself writes among those of the kernel.
 *
 * SPDX-License-Identifier: MIT
 *
 * As in perf_rec.h: nothing copied, PTS_E_RANGE when the record is too short.
 */
#ifndef PTS_DECODER_PERF_TOOL_H
#define PTS_DECODER_PERF_TOOL_H

#include "decoder/perf_rec.h"

struct perf_auxtrace {
    uint64_t size, offset, reference; /* size as claimed; readable: rec.payload */
    uint32_t idx;
    int32_t tid, cpu;
};
pts_status perf_rec_auxtrace(const struct perf_rec *r, struct perf_auxtrace *out);

struct perf_auxtrace_error {
    uint32_t type, code;
    int32_t cpu, pid, tid;
    uint32_t fmt;
    uint64_t ip;
    uint64_t time;             /* fmt 1 and above */
    int32_t machine_pid, vcpu; /* fmt 2 and above, else 0 */
    struct span msg;           /* up to its NUL or 64 bytes */
};
pts_status perf_rec_auxtrace_error(const struct perf_rec *r,
                                   struct perf_auxtrace_error *out);

struct perf_id_index {
    uint64_t count;
    const uint8_t *at;     /* count times {u64 id, idx, cpu, tid} */
    const uint8_t *guests; /* count times {u64 machine_pid, vcpu}, or NULL */
};
pts_status perf_rec_id_index(const struct perf_rec *r, struct perf_id_index *out);
/* Entry i < count; its evsel is not set. */
struct perf_id perf_id_index_at(const struct perf_id_index *index, uint64_t i);

struct perf_time_conv {
    uint64_t shift, mult, zero;
    bool is_long; /* the rest is there */
    uint64_t cycles, mask;
    uint8_t cap_zero, cap_short;
};
pts_status perf_rec_time_conv(const struct perf_rec *r, struct perf_time_conv *out);

struct perf_update {
    uint64_t type, id; /* PERF_UPDATE_* */
    struct span data;
};
pts_status perf_rec_update(const struct perf_rec *r, struct perf_update *out);

struct perf_build_id {
    int32_t pid;
    uint16_t misc;
    const uint8_t *id;
    uint8_t id_len; /* at most 20 */
    const char *name;
};
/* A HEADER_BUILD_ID record, or an entry of the BUILD_ID feature, which look alike. */
pts_status perf_rec_build_id(const struct perf_rec *r, struct perf_build_id *out);

enum { PERF_THREAD_BYTES = 24 };
struct perf_thread_map {
    uint64_t count;
    const uint8_t *at; /* count times {u64 pid, char comm[16]} */
};
pts_status perf_rec_thread_map(const struct perf_rec *r, struct perf_thread_map *out);

/* STAT_CONFIG: how perf stat was called. */
struct perf_stat_config {
    uint64_t count;    /* capped to what the record holds */
    const uint8_t *at; /* count times {u64 tag, value} */
};
pts_status perf_rec_stat_config(const struct perf_rec *r, struct perf_stat_config *out);

/* STAT: what a counter says. */
struct perf_stat {
    uint64_t id;
    int32_t cpu;
    uint32_t thread; /* index in the thread map */
    uint64_t value, enabled, running;
};
pts_status perf_rec_stat(const struct perf_rec *r, struct perf_stat *out);

/* STAT_ROUND: all counters have been read. */
struct perf_stat_round {
    uint64_t type; /* 0 the last, 1 one of many */
    uint64_t time;
};
pts_status perf_rec_stat_round(const struct perf_rec *r, struct perf_stat_round *out);

/* HEADER_FEATURE. */
struct perf_feature_rec {
    uint64_t number; /* enum perf_feature */
    struct span data;
};
pts_status perf_rec_feature(const struct perf_rec *r, struct perf_feature_rec *out);

/* BPF_METADATA (of newer perf): variables of a BPF program that describe it. */
enum {
    PERF_BPF_KEY = 64,
    PERF_BPF_VALUE = 256,
    PERF_BPF_ENTRY = 320,
    PERF_BPF_NAME = 512
};
struct perf_bpf_metadata {
    struct span name;
    uint64_t count;    /* capped to what the record holds */
    const uint8_t *at; /* count times {char key[64], value[256]} */
};
pts_status perf_rec_bpf_metadata(const struct perf_rec *r,
                                 struct perf_bpf_metadata *out);

/* SCHEDSTAT_CPU and _DOMAIN (of newer perf): lines of /proc/schedstat. */
struct perf_schedstat {
    uint64_t time;
    uint32_t cpu;
    uint16_t version, domain; /* domain: 0 for a CPU */
    struct span data;         /* as the version has it */
};
pts_status perf_rec_schedstat(const struct perf_rec *r, struct perf_schedstat *out);

#endif
