/* feat_text.h - the header of a recording as perf prints it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_FEAT_TEXT_H
#define PTS_SYNTH_FEAT_TEXT_H

#include "decoder/perf_file.h"
#include "synth/evlist.h"
#include "synth/fmt.h"

#include <ptscript/features.h>

/* Where a feature's text takes from what its own bytes do not say. */
struct feat_env {
    const struct perf_file *file;
    const struct evlist *events; /* the file's, named */
    const bool *seen;            /* by feature: whether it may be used; NULL: all may */
};

/* The items of another feature, none when it must not be used yet. */
struct pts_feature_iter feat_other(const struct feat_env *env, uint32_t id);

/* The lines of feature `id`, which holds these bytes; the long ones only say that they
 * are there unless `full`.  PTS_E_RANGE when the bytes are not what they claim (the
 * lines are those of an empty feature then), PTS_E_UNSUPPORTED for a version not known.
 */
pts_status feat_text(struct text *t, const struct feat_env *env, uint32_t id,
                     struct pts_bytes bytes, bool full);
/* The block of --header. */
void head_text(struct text *t, const struct feat_env *env, bool full);

/* In feat_bpf.c: the items of BPF_PROG_INFO, with names from BPF_BTF, and of BPF_BTF.
 */
void feat_bpf_programs(struct text *t, const struct feat_env *env,
                       struct pts_feature_iter programs);
void feat_bpf_btfs(struct text *t, struct pts_feature_iter btfs);

#endif
