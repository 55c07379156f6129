/* groups.c - events that were counted together, which perf shows side by side.
 *
 * SPDX-License-Identifier: MIT
 *
 * --group and --no-group make one group of all that were recorded, unless they were groups;
 * with the latter only the word above the rows tells.
 */
#include "decoder/file/perf_feat.h"
#include "synth/report/report.h"

static pts_status groups_of(const struct report *r, struct evl_groups *g)
{
    const struct perf_file *f = r->from.file;
    struct pts_feature_iter desc = pts_feature_begin(PTS_FEAT_GROUP_DESC, NULL, 0, 0);

    if (!f->pipe)
        desc = perf_feature_begin(f, PTS_FEAT_GROUP_DESC);
    return evl_groups_make(g, &r->scene.plan->evl, desc);
}

/* All recorded events become one. */
static void join_all(struct report_groups *g, uint32_t recorded)
{
    uint32_t n = 0;

    g->forced = true;
    for (size_t i = 0; i < g->of.at.len; i++)
        if (!i || g->of.at.at[i].leader >= recorded)
            g->of.at.at[n++] = g->of.at.at[i];
    g->of.at.len = n;
    g->of.at.at[0].members = recorded;
}

pts_status report_groups(const struct report *r, struct report_groups *g)
{
    pts_status st = groups_of(r, &g->of);
    bool any = false;

    for (size_t i = 0; i < g->of.at.len; i++)
        any |= g->of.at.at[i].members > 1;
    if (st == PTS_OK && r->opts.group_asked && !any && g->of.at.len)
        join_all(g, (uint32_t)r->from.attr_count);
    g->together = r->opts.group != REPORT_APART;
    return st;
}

uint32_t report_members(const struct report_groups *g, uint32_t event, bool *leads)
{
    for (size_t i = 0; i < g->of.at.len; i++)
        if (g->of.at.at[i].leader == event) {
            *leads = true;
            return g->of.at.at[i].members;
        }
    *leads = false;
    return 1;
}

static const char *name_of(const struct report_groups *g, uint32_t leader)
{
    for (size_t i = 0; i < g->of.at.len; i++)
        if (g->of.at.at[i].leader == leader && *g->of.at.at[i].name)
            return g->of.at.at[i].name;
    return "anon group";
}

void report_group_name(const struct report *r, const struct report_groups *g,
                       uint32_t leader, uint32_t members, struct text *t)
{
    const struct evlist *l = &r->scene.plan->evl;
    bool braces = members > 1 && !g->forced;

    if (braces)
        text_fmt(t, "%s { ", name_of(g, leader));
    for (uint32_t i = 0; i < members; i++) {
        text_str(t, i ? ", " : "");
        text_str(t, l->ev.at[leader + i].name);
    }
    text_str(t, braces ? " }" : "");
    text_char(t, '\0');
}
