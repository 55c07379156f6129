/* perf_feat.h - facts about the machine and the recording: the feature sections.
 *
 * SPDX-License-Identifier: MIT
 *
 * All may be absent; then, and when a section is shorter than it claims, strings are
 * NULL, numbers are left alone and false is returned.
 */
#ifndef PTS_DECODER_PERF_FEAT_H
#define PTS_DECODER_PERF_FEAT_H

#include "decoder/perf_tool.h"

static inline bool perf_feat_has(const struct perf_file *f, enum perf_feature feat)
{
    return f->feature[feat].ptr != NULL;
}

/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID. */
const char *perf_feat_string(const struct perf_file *f, enum perf_feature feat);

bool perf_feat_nrcpus(const struct perf_file *f, uint32_t *avail, uint32_t *online);
bool perf_feat_total_mem(const struct perf_file *f, uint64_t *kib);
/* First and last time of a sample, ns. */
bool perf_feat_sample_time(const struct perf_file *f, uint64_t *first, uint64_t *last);
bool perf_feat_clockid(const struct perf_file *f, uint64_t *resolution_ns);

/* A run of counted strings: CMDLINE.  Each is lent and NUL-terminated. */
struct perf_str_iter {
    struct reader r;
    uint32_t left;
};
struct perf_str_iter perf_cmdline_first(const struct perf_file *f);
const char *perf_str_next(struct perf_str_iter *it);

/* PMU_MAPPINGS: the name of a PMU by its type number, or NULL; and all of them. */
const char *perf_feat_pmu_name(const struct perf_file *f, uint32_t type);
struct perf_str_iter perf_pmu_first(const struct perf_file *f);
const char *perf_pmu_next(struct perf_str_iter *it, uint32_t *type);

/* EVENT_DESC: the events as the recorder named them, in the order of perf_file.evsel.
 */
struct perf_desc {
    const uint8_t *attr;
    uint32_t attr_size, id_count;
    struct span name; /* without its NUL */
    const uint8_t *ids;
};
struct perf_desc_iter {
    struct reader r;
    uint32_t left, attr_size;
};
struct perf_desc_iter perf_desc_first(const struct perf_file *f);
bool perf_desc_next(struct perf_desc_iter *it, struct perf_desc *out);

/* BUILD_ID: which build of which file was mapped.  (A pipe has HEADER_BUILD_ID records
 * instead: perf_rec_build_id.) */
struct perf_build_iter {
    struct span left;
};
struct perf_build_iter perf_build_first(const struct perf_file *f);
bool perf_build_next(struct perf_build_iter *it, struct perf_build_id *out);

/* AUXTRACE: where the AUXTRACE records are, as {u64 file offset, u64 size} entries. */
struct perf_aux_index {
    uint64_t count;
    const uint8_t *at;
};
bool perf_feat_aux_index(const struct perf_file *f, struct perf_aux_index *out);

#endif
