/* groups.c - events that were counted together, which perf shows side by side.
 *
 * SPDX-License-Identifier: MIT
 *
 * That is not there yet, so it must be known when it would be so.
 */
#include "decoder/file/perf_feat.h"
#include "synth/report/report.h"

static bool has_rows(const struct report *r, uint32_t from, uint32_t count)
{
    for (uint32_t i = from; i < from + count && i < r->from.attr_count; i++)
        if (r->hists[i].entry.len)
            return true;
    return false;
}

static pts_status groups_of(const struct report *r, struct evl_groups *g)
{
    const struct perf_file *f = r->from.file;
    struct pts_feature_iter desc = pts_feature_begin(PTS_FEAT_GROUP_DESC, NULL, 0, 0);

    if (!f->pipe)
        desc = perf_feature_begin(f, PTS_FEAT_GROUP_DESC);
    return evl_groups_make(g, &r->scene.plan->evl, desc);
}

/* --group and --no-group make one of all that were recorded, unless they were groups. */
pts_status report_members(const struct report *r, uint32_t event, uint32_t *out)
{
    struct evl_groups g = {0};
    pts_status st = groups_of(r, &g);

    bool groups = false;
    *out = 1;
    for (size_t i = 0; st == PTS_OK && i < g.at.len; i++) {
        groups |= g.at.at[i].members > 1;
        if (g.at.at[i].leader == event)
            *out = g.at.at[i].members;
    }
    if (r->opts.group_asked && !groups && !event)
        *out = (uint32_t)r->from.attr_count;
    evl_groups_free(&g);
    return st;
}

pts_status report_is_grouped(const struct report *r, bool *out)
{
    struct evl_groups g = {0};
    bool groups = false;

    *out = false;
    if (r->opts.group == REPORT_APART)
        return PTS_OK;
    pts_status st = groups_of(r, &g);
    for (size_t i = 0; st == PTS_OK && i < g.at.len; i++) {
        groups |= g.at.at[i].members > 1;
        *out |= g.at.at[i].members > 1 &&
                has_rows(r, g.at.at[i].leader, g.at.at[i].members);
    }
    evl_groups_free(&g);
    if (st == PTS_OK && r->opts.group == REPORT_TOGETHER && !groups)
        *out = r->from.attr_count > 1 && has_rows(r, 0, (uint32_t)r->from.attr_count);
    return st;
}
