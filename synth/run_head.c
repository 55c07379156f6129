/* run_head.c - what a recording says of itself: --header, and perf evlist.
 *
 * SPDX-License-Identifier: MIT
 *
 * Neither decodes anything.  A file has all features in its header; in a pipe each is a
 * record and is printed when it comes.
 */
#include "synth/run.h"

#include "decoder/diag.h"
#include "decoder/trace_format.h"
#include "synth/attr_text.h"
#include "synth/feat_text.h"

/* --- Header ---------------------------------------------------------------------- */

/* Events of the file with their names, or with those perf makes up. */
static pts_status name_events(const struct pts_session *s, bool made_up,
                              struct evlist *out)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; i < s->attrs.len && st == PTS_OK; i++) {
        struct evl_attr a = s->attrs.at[i];
        if (made_up)
            a.name = NULL;
        st = evl_add(out, &a);
    }
    return st;
}

void run_header(struct pts_stream *r, bool full)
{
    struct evlist events = {0};
    const struct feat_env env = {r->session->file, &events, NULL};

    r->text.failed = name_events(r->session, false, &events) < 0;
    head_text(&r->text, &env, full);
    evl_free(&events);
    r->ahead = true;
}

static void feature_print(struct pts_stream *r, uint32_t id, struct pts_bytes bytes,
                          struct text *t)
{
    struct evlist events = {0};
    const struct feat_env env = {r->session->file, &events, r->feature_seen};

    if (name_events(r->session, !r->feature_seen[PERF_FEAT_EVENT_DESC], &events) < 0)
        t->failed = true;
    (void)!feat_text(t, &env, id, bytes, r->features_full);
    evl_free(&events);
}

void run_feature(struct pts_stream *r, const struct perf_rec *rec, struct text *t)
{
    struct reader body = perf_rec_body(rec);
    uint64_t id = reader_u64(&body);

    if (body.bad || id >= PERF_FEAT_LIMIT)
        return;
    r->feature_seen[id] = true;
    /* perf never prints these two when they are records */
    if (r->features && id != PERF_FEAT_BRANCH_STACK && id != PERF_FEAT_STAT)
        feature_print(r, (uint32_t)id, (struct pts_bytes){body.at, reader_left(&body)},
                      t);
}

/* --- evlist ---------------------------------------------------------------------- */

struct list_opts {
    bool verbose, freq, group, trace_fields;
};

static pts_status list_options(struct list_opts *o, const struct pts_option *options,
                               size_t count, struct pts_diag *why)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = options[i].name;
        bool on = strncmp(name, "no-", 3) != 0;
        name += on ? 0 : 3;
        if (strcmp(name, "verbose") == 0)
            o->verbose = on;
        else if (strcmp(name, "freq") == 0)
            o->freq = on;
        else if (strcmp(name, "group") == 0)
            o->group = on;
        else if (strcmp(name, "trace-fields") == 0)
            o->trace_fields = on;
        else
            return diag_set(why, PTS_E_USAGE, UINT64_MAX, " Error: unknown option `%s'",
                            options[i].name);
    }
    if (o->group && (o->verbose || o->freq))
        return diag_set(
            why, PTS_E_USAGE, UINT64_MAX,
            "  Error: --group option is not compatible with other options\n");
    return PTS_OK;
}

static void list_fields(struct text *t, const struct perf_evsel *e,
                        struct pts_bytes formats, bool first)
{
    struct trace_format format;
    struct trace_field field;
    text_char(t, first ? ':' : ',');
    if (e->attr.type != PERF_TYPE_TRACEPOINT) {
        text_str(t, " (not a tracepoint)");
        return;
    }
    bool any = trace_find(formats, e->attr.config, &format) &&
               trace_field_next(&format.fields, &field);
    if (!any) {
        text_str(t, " (no trace field)");
        return;
    }
    text_str(t, " trace_fields: ");
    text_put(t, (const char *)field.name.ptr, field.name.len);
    while (trace_field_next(&format.fields, &field)) {
        text_char(t, ',');
        text_put(t, (const char *)field.name.ptr, field.name.len);
    }
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
        text_str(t, e->attr.flags & PERF_ATTR_FREQ ? ": sample_freq="
                                                   : ": sample_period=");
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
    uint64_t off = f->data_off;
    size_t n = 0;
    if (!f->pipe)
        return f->evsel.len;
    while (perf_rec_header(f, off, &r) == PTS_OK && r.type != PERF_REC_FEATURE)
        off = perf_rec_next(&r);
    while (n < f->evsel.len && f->evsel.at[n].since < off)
        n++;
    return n;
}

static pts_status list_text(struct text *t, const struct perf_file *f,
                            const struct list_opts *o, const struct evlist *events)
{
    struct evl_groups g = {0};
    bool tracepoints = false;
    struct pts_feature_iter desc =
        pts_feature_begin(PTS_FEAT_GROUP_DESC, NULL, 0, 0); /* a pipe has none yet */
    if (!f->pipe)
        desc = perf_feature_begin(f, PTS_FEAT_GROUP_DESC);
    pts_status st = evl_groups_make(&g, events, desc);
    for (size_t i = 0; i < g.at.len; i++) {
        if (!o->group)
            break;
        evl_group_text(t, events, &g.at.at[i]);
        text_char(t, '\n');
    }
    for (size_t i = 0; i < events->ev.len; i++) {
        const struct perf_evsel *e = &f->evsel.at[i];
        tracepoints |= e->attr.type == PERF_TYPE_TRACEPOINT;
        if (!o->group)
            list_event(t, o, e, events->ev.at[i].name,
                       f->feature[PERF_FEAT_TRACING_DATA]);
    }
    if (tracepoints && !o->trace_fields)
        text_str(t, "# Tip: use 'perf evlist --trace-fields' to show fields for "
                    "tracepoint events\n");
    evl_groups_free(&g);
    return t->failed ? PTS_E_NOMEM : st;
}

pts_status run_evlist(struct pts_stream *r, const struct pts_option *options,
                      size_t count, struct pts_diag *why)
{
    const struct perf_file *f = r->session->file;
    struct evlist events = {0};
    struct list_opts o = {0};
    pts_status st = list_options(&o, options, count, why);

    if (st < 0)
        return st;
    perf_file_report(f, r->session->opts.message, r->session->opts.message_ctx);
    st = name_events(r->session, f->pipe, &events);
    if (events.ev.len > listed_events(f))
        events.ev.len = listed_events(f);
    if (st >= 0)
        st = list_text(&r->text, f, &o, &events);
    evl_free(&events);
    r->ahead = r->whole = true;
    return st < 0 ? diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st)) : PTS_OK;
}
