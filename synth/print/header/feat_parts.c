/* feat_parts.c - a feature on its way to text: what the printers of single ones share.
 *
 * SPDX-License-Identifier: MIT
 *
 * A feature may need another one, as topology needs the number of CPUs.  In a pipe
 * features come one by one, and perf prints each when it comes; so what has not been
 * seen yet is as if it were not there (feat_other).
 */
#include "synth/print/header/feat_parts.h"

#include "decoder/file/perf_feat.h"

struct pts_feature_iter feat_other(const struct feat_env *env, uint32_t id)
{
    if (env->seen && !env->seen[id])
        return pts_feature_begin(id, NULL, 0, 0);
    return perf_feature_begin(env->file, id);
}

struct pts_feature_iter feat_begin(const struct feat *f)
{
    struct pts_feature_iter it =
        pts_feature_begin(f->id, f->bytes.ptr, f->bytes.len, f->env->file->foreign);
    struct pts_feature_iter cpus = feat_other(f->env, PTS_FEAT_NRCPUS);
    struct pts_feature_item item;
    if (pts_feature_next(&cpus, &item) == PTS_OK)
        pts_feature_set_cpus(&it, item.u.cpus.available);
    return it;
}

bool feat_next(struct pts_feature_iter *it, enum pts_item_kind kind,
               struct pts_feature_item *item)
{
    while (pts_feature_next(it, item) == PTS_OK)
        if (item->kind == kind)
            return true;
    return false;
}

bool feat_only(const struct feat *f, enum pts_item_kind kind,
               struct pts_feature_item *item)
{
    struct pts_feature_iter it = feat_begin(f);
    *item = (struct pts_feature_item){0};
    return feat_next(&it, kind, item);
}

void feat_line(const struct feat *f, const char *lead)
{
    struct pts_feature_item item;
    text_str(f->t, lead);
    text_str(f->t, feat_only(f, PTS_ITEM_TEXT, &item) ? item.u.text : "(null)");
    text_char(f->t, '\n');
}
