/* feat_parts.h - a feature on its way to text: what the printers of single ones share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_HEADER_FEAT_PARTS_H
#define PTS_SYNTH_PRINT_HEADER_FEAT_PARTS_H

#include "decoder/file/perf_file.h"
#include "synth/plan/evlist.h"
#include "synth/print/text.h"

#include <ptscript/features.h>

/* Where a feature's text takes from what its own bytes do not say. */
struct feat_env {
    const struct perf_file *file;
    const struct evlist *events; /* the file's, named */
    const bool *seen;            /* by feature: whether it may be used; NULL: all may */
};

struct feat {
    struct text *t;
    const struct feat_env *env;
    uint32_t id;
    struct pts_bytes bytes;
    bool sound; /* the bytes are what they claim to be */
};

/* Prints one feature. */
typedef void feat_fn(const struct feat *f);

/* Its items, from the first. */
struct pts_feature_iter feat_begin(const struct feat *f);
/* The items of another feature, none when it must not be used yet. */
struct pts_feature_iter feat_other(const struct feat_env *env, uint32_t id);
/* The next item of a kind, passing over others. */
bool feat_next(struct pts_feature_iter *it, enum pts_item_kind kind,
               struct pts_feature_item *item);
/* The first item of a kind; zeros without one. */
bool feat_only(const struct feat *f, enum pts_item_kind kind,
               struct pts_feature_item *item);
/* A line of the feature's text behind `lead`. */
void feat_line(const struct feat *f, const char *lead);

#endif
