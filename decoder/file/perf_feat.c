/* perf_feat.c - what other parts of the decoder ask the feature sections.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most facts are a section with one item, which is read anew at each question: they are
 * asked for once or twice.
 */
#include "decoder/file/perf_feat.h"

static struct pts_feature_iter section_begin(const struct perf_file *f, uint32_t feat)
{
    return pts_feature_begin(feat, f->feature[feat].ptr, f->feature[feat].len,
                             f->foreign);
}

/* The one item of a feature that has just one. */
static bool section_only(const struct perf_file *f, uint32_t feat,
                         struct pts_feature_item *item)
{
    struct pts_feature_iter it = section_begin(f, feat);
    return perf_feat_has(f, feat) && pts_feature_next(&it, item) == PTS_OK;
}

struct pts_feature_iter perf_feature_begin(const struct perf_file *f, uint32_t feat)
{
    struct pts_feature_iter it = section_begin(f, feat);
    uint32_t available = 0, online;
    perf_feat_nrcpus(f, &available, &online);
    pts_feature_set_cpus(&it, available);
    return it;
}

const char *perf_feat_string(const struct perf_file *f, enum pts_feature feat)
{
    struct pts_feature_item item;
    return section_only(f, feat, &item) ? item.u.text : NULL;
}

bool perf_feat_nrcpus(const struct perf_file *f, uint32_t *avail, uint32_t *online)
{
    struct pts_feature_item item;
    if (!section_only(f, PTS_FEAT_NRCPUS, &item))
        return false;
    *avail = item.u.cpus.available;
    *online = item.u.cpus.online;
    return true;
}

bool perf_feat_sample_time(const struct perf_file *f, uint64_t *first, uint64_t *last)
{
    struct pts_feature_item item;
    if (!section_only(f, PTS_FEAT_SAMPLE_TIME, &item))
        return false;
    *first = item.u.times.first;
    *last = item.u.times.last;
    return true;
}

bool perf_feat_clock(const struct perf_file *f, uint64_t *on_clock,
                     uint64_t *time_of_day)
{
    struct pts_feature_item item;
    if (!section_only(f, PTS_FEAT_CLOCK_DATA, &item))
        return false;
    *on_clock = item.u.clock.on_clock;
    *time_of_day = item.u.clock.time_of_day;
    return true;
}

bool perf_feat_aux_index(const struct perf_file *f, struct perf_aux_index *out)
{
    struct pts_bytes s = f->feature[PTS_FEAT_AUXTRACE];
    struct pts_words all = {s.ptr, s.len / 8, f->foreign};
    uint64_t count = all.count ? pts_word(&all, 0) : UINT64_MAX;
    /* Also where there is no count: UINT64_MAX is more than fits. */
    if (count > (all.count - 1) / 2)
        return false;
    all.at += 8;
    *out = (struct perf_aux_index){count, all};
    return true;
}

bool perf_feat_x86(const struct perf_file *f)
{
    const char *arch = perf_feat_string(f, PTS_FEAT_ARCH);

    return f->pipe || (arch && (!strcmp(arch, "x86_64") || !strcmp(arch, "i386")));
}
