/* report_events.c - what was counted, event by event: into order, and printed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/count.h"
#include "synth/report/nest.h"

/* With --hierarchy perf finds none of what was made from a trace or came through a pipe, or has
 * no levels. */
bool report_has_rows(const struct report *r)
{
    size_t n = !r->opts.hierarchy   ? r->scene.plan->evl.ev.len
               : r->from.file->pipe ? 0
                                    : r->from.attr_count;

    for (size_t i = 0; i < n; i++)
        if (r->hists[i].entry.len &&
            (!r->opts.hierarchy || report_opts_of(r, i)->tree_levels))
            return true;
    return false;
}

/* perf has no levels of keys for what was made from a trace. */
static pts_status nest_event(struct report *r, size_t event)
{
    struct hists *h = &r->hists[event];

    if (event >= r->from.attr_count) {
        nest_none(h);
        return PTS_OK;
    }
    return nest_build(h, report_opts_of(r, event), &r->keys,
                      event ? NULL : r->opts.symbol_filter);
}

static pts_status read_text(struct report *r, size_t event, struct subject *item)
{
    const struct who who = {.thread = item->thread, .tid = item->tid};
    const struct tracepoint_sample tp = {
        &who, r->scene.plan->evl.ev.at[event].attr.config, item->raw};

    item->trace_read = true;
    return item->trace ? PTS_OK : count_trace_text(r, &tp, &item->trace);
}

/* perf looks for the values of fields in the text of the samples that rows have. */
static pts_status read_texts(struct report *r, size_t event)
{
    const struct report_opts *o = report_opts_of(r, event);
    struct hists *h = &r->hists[event];
    pts_status st = PTS_OK;

    for (uint32_t k = 0; k < o->key_count; k++) {
        struct field_key *f = o->key[k]->field;
        for (uint32_t i = 0; f && !f->raw && st == PTS_OK && i < h->rows; i++) {
            struct subject *item = &hists_at(h, h->row[i])->item;
            st = read_text(r, event, item);
            if (st == PTS_OK)
                field_key_measure(f, item);
        }
    }
    return st;
}

/* Rows in order, with their chains. */
static pts_status sort_events(struct report *r, const struct report_groups *g)
{
    size_t n = r->scene.plan->evl.ev.len;
    pts_status st = PTS_OK;

    r->keys.epoch = UINT32_MAX;
    for (size_t i = 0; st == PTS_OK && i < n; i++) {
        st = hists_collect(&r->hists[i], report_opts_of(r, i), &r->keys);
        if (st == PTS_OK && r->opts.raws)
            st = read_texts(r, i);
        if (st == PTS_OK && r->opts.hierarchy)
            st = nest_event(r, i);
    }
    /* perf keeps it for the first event only, and forgets it where rows are not joined. */
    if (st == PTS_OK && n && r->opts.symbol_filter && r->opts.collapses &&
        !r->opts.hierarchy)
        hists_filter_symbols(&r->hists[0], r->opts.symbol_filter);
    for (size_t i = 0; st == PTS_OK && g->together && i < g->of.at.len; i++) {
        const struct evl_group *one = &g->of.at.at[i];
        if (one->members > 1)
            st = (r->opts.hierarchy ? nest_link : hists_link)(
                &r->hists[one->leader], one->members, report_opts_of(r, one->leader),
                &r->keys);
    }
    for (size_t i = 0; st == PTS_OK && i < n; i++) {
        st = (r->opts.hierarchy ? nest_order : hists_order)(
            &r->hists[i], report_opts_of(r, i), &r->keys);
        if (st == PTS_OK)
            hists_choose(&r->hists[i], &r->opts);
    }
    if (st == PTS_OK)
        st = report_chained(r);
    for (size_t i = 0; st == PTS_OK && i < n; i++)
        st = hists_join_chains(&r->hists[i], &r->opts);
    return st;
}

static pts_status put_event(struct report *r, const struct report_groups *g, uint32_t i)
{
    struct text name = {0};
    struct report_text text = {
        .opts = report_opts_of(r, i), .keys = &r->keys, .hists = &r->hists[i]};
    bool leads;
    pts_status st = PTS_OK;

    text.members = report_members(g, i, &leads);
    if (g->together && !leads)
        return PTS_OK;
    /* Their columns are as wide as those of a group. */
    text.grouped = g->together &&
                   ((g->forced && !i) || (g->led && (i == g->led || i + 1 == g->led)));
    if (!r->hists[i].samples && r->opts.skip_empty)
        return PTS_OK;
    report_group_name(r, g, i, g->together ? text.members : 1, &name);
    text.event = name.failed ? "" : name.at;
    if (r->opts.total_cycles)
        st = report_blocks(&text, &(struct blocks_shown){&r->blocks, &r->lines}, i,
                           r->text);
    else if (r->opts.hierarchy)
        st = report_tree(&text, r->text);
    else
        st = report_event(&text, r->text);
    st = name.failed ? PTS_E_NOMEM : st;
    text_free(&text.cell);
    text_free(&name);
    return st;
}

pts_status report_put_events(struct report *r)
{
    struct report_groups groups = {0};
    pts_status st = report_groups(r, &groups);

    if (st == PTS_OK)
        st = sort_events(r, &groups);
    if (r->opts.total_cycles)
        blocks_end(&r->blocks);
    for (uint32_t i = 0; st == PTS_OK && i < r->scene.plan->evl.ev.len; i++)
        st = put_event(r, &groups, i);
    evl_groups_free(&groups.of);
    return st;
}
