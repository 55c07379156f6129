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

struct perf_thread_map {
    uint64_t count;
    const uint8_t *at; /* count times {u64 pid, char comm[16]} */
};
pts_status perf_rec_thread_map(const struct perf_rec *r, struct perf_thread_map *out);

#endif
