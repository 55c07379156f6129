/* groups.c - events that were counted together, which perf shows side by side.
 *
 * SPDX-License-Identifier: MIT
 *
 * --group and --no-group make one group of all that were recorded, unless they were groups;
 * with the latter only the word above the rows tells.
 */
#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "synth/report/report.h"

static pts_status groups_of(const struct report *r, const struct evlist *events,
                            struct evl_groups *g)
{
    return evl_groups_make(g, events,
                           perf_feature_begin(r->from.file, PTS_FEAT_GROUP_DESC));
}

static bool any_group(const struct evl_groups *g)
{
    bool any = false;

    for (size_t i = 0; i < g->at.len; i++)
        any |= g->at.at[i].members > 1;
    return any;
}

/* --group; of a pipe perf joins those that it knows when a record says that no more features
 * come, and knows no group when it looks for one. */
static bool may_join(const struct report *r)
{
    return r->opts.group_asked && (!r->from.file->pipe || r->features_end);
}

/* perf looks at it before it prints anything. */
pts_status report_check_groups(const struct report *r, struct pts_diag *why)
{
    struct evlist events = {0};
    struct evl_groups g = {0};
    pts_status st = PTS_OK;

    if (!r->opts.group_sort || (may_join(r) && r->from.attr_count > 1))
        return PTS_OK;
    if (!r->from.file->pipe)
        st = evl_add_all(&events, r->from.attr, r->from.attr_count, false) < 0
                 ? PTS_E_NOMEM
                 : groups_of(r, &events, &g);
    bool any = any_group(&g);
    evl_groups_free(&g);
    evl_free(&events);
    if (st < 0)
        return diag_set(why, st, UINT64_MAX, "out of memory");
    return any ? PTS_OK
               : diag_set(why, PTS_E_RANGE, UINT64_MAX,
                          "--group-sort-idx is for events of a group: see --group");
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

/* A trace leads no group in perf: the next one does. */
static pts_status unlead(const struct report *r, struct report_groups *g)
{
    const struct plan *p = r->scene.plan;

    for (size_t i = 0; p->has_trace && i < g->of.at.len; i++) {
        struct evl_group *one = &g->of.at.at[i];
        if (one->members < 2 || p->evl.ev.at[one->leader].attr.type != p->trace_type)
            continue;
        const struct evl_group rest = {one->name, one->leader + 1, one->members - 1};
        *one = (struct evl_group){"", one->leader, 1};
        const void *room = VEC_PUSH(&g->of.at);
        if (!room)
            return PTS_E_NOMEM;
        memmove(&g->of.at.at[i + 2], &g->of.at.at[i + 1],
                (g->of.at.len - i - 2) * sizeof(*one));
        g->of.at.at[i + 1] = rest;
        g->forced = false;
        g->led = rest.leader;
    }
    return PTS_OK;
}

pts_status report_groups(const struct report *r, struct report_groups *g)
{
    pts_status st = groups_of(r, &r->scene.plan->evl, &g->of);

    if (st == PTS_OK && may_join(r) && !any_group(&g->of) && g->of.at.len)
        join_all(g, (uint32_t)r->from.attr_count);
    if (st == PTS_OK)
        st = unlead(r, g);
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
