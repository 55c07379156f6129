/* evlist_text.c - the events of a recording: perf evlist.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same evlist that a run begins with, without a run.  Of a pipe perf reads only up
 * to the first feature record and names events by their attributes, as names come in a
 * feature.
 */
#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "decoder/file/trace_field.h"
#include "decoder/record/perf_rec.h"
#include "synth/plan/list_options.h"
#include "synth/print/header/attr_text.h"
#include "synth/print/header/group_text.h"
#include "synth/print/output/output.h"

static void list_fields(struct text *t, const struct perf_evsel *e,
                        struct pts_bytes formats, bool first)
{
    struct trace_format format;
    struct trace_field field;
    text_char(t, first ? ':' : ',');
    if (e->attr.type != PTS_TYPE_TRACEPOINT) {
        text_str(t, " (not a tracepoint)");
        return;
    }
    struct trace_fields all = {0};
    bool any = false;
    if (trace_find(formats, e->attr.config, &format))
        all = trace_fields_of(&format);
    while (trace_field_next(&all, &field)) {
        if (!field.own)
            continue;
        text_str(t, any ? "," : " trace_fields: ");
        text_put(t, (const char *)field.name.ptr, field.name.len);
        any = true;
    }
    if (!any)
        text_str(t, " (no trace field)");
}

static void list_event(struct text *t, const struct list_opts *o,
                       const struct perf_evsel *e, const char *name,
                       struct pts_bytes formats)
{
    text_str(t, name);
    size_t before = t->len;
    if (o->verbose) {
        attr_text(t, &e->attr, ": ", ": ");
    } else if (o->freq) {
        text_str(t,
                 e->attr.flags & PTS_ATTR_FREQ ? ": sample_freq=" : ": sample_period=");
        text_dec(t, e->attr.sample_period, 0);
    }
    if (o->trace_fields)
        list_fields(t, e, formats, t->len == before);
    text_char(t, '\n');
}

/* perf stops reading a pipe at the first feature: how many events came before it. */
static size_t listed_events(const struct perf_file *f)
{
    struct perf_rec r;
    uint64_t off = f->data.off;
    size_t n = 0;
    if (!f->pipe)
        return f->evsel.len;
    while (perf_rec_header(f, off, &r) == PTS_OK && r.type != PTS_RECORD_FEATURE)
        off = perf_rec_next(&r);
    while (n < f->evsel.len && f->evsel.at[n].since < off)
        n++;
    return n;
}

static void list_groups(struct text *t, const struct evlist *events,
                        const struct evl_groups *g)
{
    for (size_t i = 0; i < g->at.len; i++) {
        group_text(t, events, &g->at.at[i]);
        text_char(t, '\n');
    }
}

static void list_all(struct text *t, const struct perf_file *f,
                     const struct list_opts *o, const struct evlist *events)
{
    for (size_t i = 0; i < events->ev.len; i++)
        list_event(t, o, &f->evsel.at[i], events->ev.at[i].name,
                   f->feature[PTS_FEAT_TRACING_DATA]);
}

static bool has_tracepoints(const struct perf_file *f, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (f->evsel.at[i].attr.type == PTS_TYPE_TRACEPOINT)
            return true;
    return false;
}

static pts_status put_list(struct text *t, const struct perf_file *f,
                           const struct list_opts *o, const struct evlist *events)
{
    struct evl_groups g = {0};
    struct pts_feature_iter desc =
        pts_feature_begin(PTS_FEAT_GROUP_DESC, NULL, 0, 0); /* a pipe has none yet */

    if (!f->pipe)
        desc = perf_feature_begin(f, PTS_FEAT_GROUP_DESC);
    pts_status st = evl_groups_make(&g, events, desc);
    if (o->group)
        list_groups(t, events, &g);
    else
        list_all(t, f, o, events);
    if (has_tracepoints(f, events->ev.len) && !o->trace_fields)
        text_str(t, "# Tip: use 'perf evlist --trace-fields' to show fields for "
                    "tracepoint events\n");
    evl_groups_free(&g);
    return t->failed ? PTS_E_NOMEM : st;
}

extern output_open_fn output_evlist; /* outputs.def */

pts_status output_evlist(const struct output_from *from, struct output *out,
                         struct pts_diag *why)
{
    const struct perf_file *f = from->file;
    struct evlist events = {0};
    struct list_opts o = {0};
    pts_status st = list_options(&o, from->option, from->option_count, why);

    if (st < 0)
        return st;
    st = evl_add_all(&events, from->attr, from->attr_count, f->pipe);
    /* After they were named: what comes later has its part in that. */
    if (events.ev.len > listed_events(f))
        events.ev.len = listed_events(f);
    if (st >= 0)
        st = put_list(&out->text, f, &o, &events);
    evl_free(&events);
    return st < 0 ? diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st)) : PTS_OK;
}
