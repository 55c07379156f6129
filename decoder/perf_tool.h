/* perf_tool.h - the records that perf itself writes among those of the kernel.
 *
 * SPDX-License-Identifier: MIT
 *
 * As in perf_rec.h: nothing copied, PTS_E_RANGE when the record is too short.
 */
#ifndef PTS_DECODER_PERF_TOOL_H
#define PTS_DECODER_PERF_TOOL_H

#include "decoder/perf_rec.h"

pts_status perf_rec_attr(const struct perf_rec *r, struct pts_attr_record *out);
/* Also an entry of the BUILD_ID feature, which looks alike. */
pts_status perf_rec_build_id(const struct perf_rec *r, struct pts_build_id *out);
pts_status perf_rec_id_index(const struct perf_rec *r, struct pts_id_index *out);
pts_status perf_rec_auxtrace_info(const struct perf_rec *r,
                                  struct pts_auxtrace_info *out);
pts_status perf_rec_auxtrace(const struct perf_rec *r, struct pts_auxtrace *out);
pts_status perf_rec_auxtrace_error(const struct perf_rec *r,
                                   struct pts_auxtrace_error *out);
pts_status perf_rec_thread_map(const struct perf_rec *r, struct pts_thread_map *out);
pts_status perf_rec_stat_config(const struct perf_rec *r, struct pts_stat_config *out);
pts_status perf_rec_stat(const struct perf_rec *r, struct pts_stat *out);
pts_status perf_rec_stat_round(const struct perf_rec *r, struct pts_stat_round *out);
pts_status perf_rec_update(const struct perf_rec *r, struct pts_event_update *out);
pts_status perf_rec_time_conv(const struct perf_rec *r, struct pts_time_conv *out);
pts_status perf_rec_feature(const struct perf_rec *r, struct pts_feature_record *out);
pts_status perf_rec_bpf_metadata(const struct perf_rec *r,
                                 struct pts_bpf_metadata *out);
pts_status perf_rec_schedstat(const struct perf_rec *r, struct pts_schedstat *out);

/* Sizes of entries. */
enum {
    PERF_THREAD_BYTES = 24,
    PERF_BPF_KEY = 64,
    PERF_BPF_VALUE = 256,
    PERF_BPF_ENTRY = 320,
    PERF_BPF_NAME = 512
};

#endif
