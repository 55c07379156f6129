/* perf_feat.h - facts about the machine and the recording: the feature sections.
 *
 * SPDX-License-Identifier: MIT
 *
 * All may be absent; then, and when a section is shorter than it claims, strings are
 * NULL, numbers are left alone and false is returned.
 */
#ifndef PTS_DECODER_FILE_PERF_FEAT_H
#define PTS_DECODER_FILE_PERF_FEAT_H

#include "decoder/file/perf_file.h"

#include <ptscript/features.h>

static inline bool perf_feat_has(const struct perf_file *f, enum pts_feature feat)
{
    return f->feature[feat].ptr != NULL;
}

/* The header says that it has one, which may not be there: the end of the file may be lost. */
static inline bool perf_feat_announced(const struct perf_file *f, uint32_t feat)
{
    return f->said.announced[feat / 8] >> feat % 8 & 1;
}

/* Its items; none when it is absent. */
struct pts_feature_iter perf_feature_begin(const struct perf_file *f, uint32_t feat);

/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID. */
const char *perf_feat_string(const struct perf_file *f, enum pts_feature feat);

bool perf_feat_nrcpus(const struct perf_file *f, uint32_t *avail, uint32_t *online);
/* First and last time of a sample, ns. */
bool perf_feat_sample_time(const struct perf_file *f, uint64_t *first, uint64_t *last);

/* CLOCK_DATA: the same moment on the clock of the recording and as the time of day, ns.
 */
bool perf_feat_clock(const struct perf_file *f, uint64_t *on_clock,
                     uint64_t *time_of_day);

/* AUXTRACE: where the AUXTRACE records are, as {u64 file offset, u64 size} entries. */
struct perf_aux_index {
    uint64_t count;
    struct pts_words at; /* two for each */
};
bool perf_feat_aux_index(const struct perf_file *f, struct perf_aux_index *out);

/* Whether the code that ran was that of an x86: a pipe has not said by then, and is taken
 * for one. */
bool perf_feat_x86(const struct perf_file *f);

#endif
