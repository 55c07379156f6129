/* script_output.c - the text of perf script, as an output.
 *
 * SPDX-License-Identifier: MIT
 *
 * Opened before there is a run, since its options decide whether there is one
 * (--header-only needs none); begun when the plan is made.  From then on it turns items
 * into text, one after the other, until the text is as long as the room that it was
 * given.
 */
#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "synth/print/script/script.h"

#include <limits.h>
#include <stdio.h>

/* --- Before the first batch ------------------------------------------------------- */

pts_status script_lines_new(struct script *s, struct places *places,
                            struct out_perf **out)
{
    const struct text_options *o = &s->opt.text;
    const struct plan *p = s->scene.plan;
    struct out_opts oo = {.ns = o->ns,
                          .latency = o->latency,
                          .reltime = p->opt.reltime,
                          .deltatime = o->deltatime,
                          .native = perf_feat_x86(s->from.file),
                          .xed = o->xed,
                          .pad_dso = o->pad_dso,
                          .chains = p->chains_shown,
                          .callers_first = p->callers_first,
                          .inlined = o->inline_names,
                          .max_stack = plan_max_stack(p),
                          .max_blocks = (uint64_t)o->max_blocks,
                          .stop_bt = p->opt.stop_bt ? &p->sel.stop_bt : NULL,
                          .tracepoints = s->tracepoints};

    /* Without that feature the field tod was refused, but for a class of which there are
     * made events only. */
    oo.has_clock = perf_feat_clock(s->from.file, &oo.clockid_ns, &oo.tod_ns);
    return out_perf_new(&s->fields, &p->evl, places, &oo, out);
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct script *s = ctx;
    const struct perf_file *f = s->from.file;

    s->scene = *scene;
    s->dumps = script_dumps(s);
    pts_status st = resolve_new(scene->places, &s->resolve);
    if (st == PTS_OK)
        st = places_new(resolve_lookup(s->resolve), &s->places);
    if (st == PTS_OK) /* perf does not name functions from a pipe */
        st = tracepoints_new(perf_order_tracing(f, scene->order), !f->pipe,
                             &s->tracepoints);
    if (st == PTS_OK)
        st = script_lines_new(s, s->places, &s->lines);
    if (st == PTS_OK && script_dumps(s))
        script_dump_begin(s);
    return st;
}

/* --- Items ------------------------------------------------------------------------ */

/* Of most records nothing is printed.  They are handled by the run, and not handed
 * on. */
static bool wants_record(void *ctx, uint32_t type)
{
    const struct script *s = ctx;

    return script_dumps(s) || type == PTS_RECORD_FEATURE || stat_table_wants(type) ||
           script_shows(s, type);
}

static inline pts_status put_sample(struct script *s, const struct sample *sample)
{
    if (s->dumps)
        script_dump_sample(s, sample);
    if (sample->hidden || s->from.scripted || s->from.reported)
        return PTS_OK;
    if (sample->event < s->files.at.len) {
        out_perf_sample(s->lines, sample, &s->files.line);
        /* perf is done with a branch before it comes to that. */
        bool branch = s->scene.plan->evl.ev.at[sample->event].is_branch;
        return event_files_put(&s->files, sample->event, s->opt.verbose && !branch);
    }
    out_perf_sample(s->lines, sample, s->text);
    return PTS_OK;
}

static pts_status put_record(struct script *s, const struct item *item)
{
    struct record rec;

    /* Names in the lines are those of this moment. */
    s->epoch = item->epoch;
    if (script_dumps(s)) {
        script_dump_record(s, item->record);
        return PTS_OK;
    }
    if (record_read(s->from.file, item->record, &rec) != PTS_OK)
        return PTS_OK;
    if (record_is(&rec, PTS_RECORD_FEATURE))
        script_feature(s, &rec);
    script_show(s, &rec);
    return s->from.scripted ? PTS_OK : script_stat(s, &rec);
}

/* False: there is more to print of it. */
static bool put_trace(struct script *s, const struct item *item)
{
    if (!s->in_trace)
        script_dump_trace(s, item->record);
    else
        dump_packets(&s->dump, s->text);
    s->in_trace = dump_has_packets(&s->dump);
    return !s->in_trace;
}

static void put_series(struct script *s, const struct series *series)
{
    for (uint32_t i = 0;
         (i += out_perf_kept(s->lines, series, i, s->text)) < series->count; i++) {
        struct sample one = series->form;

        series_sample(&one, &series->at[i]);
        out_perf_sample(s->lines, &one, s->text);
    }
}

pts_status script_put(struct script *s, const struct item *item, bool *done)
{
    switch (item->kind) {
    case ITEM_SAMPLE:
        return put_sample(s, &item->sample);
    case ITEM_SERIES:
        put_series(s, &item->series);
        return PTS_OK;
    case ITEM_ERROR:
        if (!s->from.scripted)
            rec_text_error(s->text, item->error);
        return PTS_OK;
    case ITEM_RECORD:
        return put_record(s, item);
    case ITEM_TRACE:
        *done = put_trace(s, item);
        return PTS_OK;
    case ITEM_TEXT:
        text_put(s->text, item->text->at, item->text->len);
        return PTS_OK;
    }
    return PTS_OK;
}

static uint64_t left(void *ctx)
{
    const struct script *s = ctx;
    uint64_t limit = s->opt.text.limit;

    return !limit ? UINT64_MAX : limit > s->printed ? limit - s->printed : 0;
}

/* In a dump a record with all that it brings is one. */
static bool is_counted(const struct script *s, const struct item *item)
{
    return s->dumps ? item->kind == ITEM_RECORD : item->kind != ITEM_TEXT;
}

static void note_unwritten(struct script *s)
{
    char text[PATH_MAX + 40];

    if (!s->files.failed || !s->from.message)
        return;
    snprintf(text, sizeof(text), "%s could not be written", s->files.failed);
    s->files.failed = NULL;
    s->from.message(s->from.message_ctx, PTS_MSG_NOTE, text);
}

/* Samples are lines, and nothing else is done with them. */
static bool only_lines(const struct script *s)
{
    return !s->dumps && !s->from.scripted && !s->files.at.len && !s->opt.text.limit;
}

static bool script_series(void *ctx)
{
    const struct script *s = ctx;

    return only_lines(s) && !s->scene.plan->decode.cycles;
}

/* Takes samples up to another item, and says where that is. */
static const struct item *take_lines(struct script *s, const struct item *item,
                                     const struct item *end)
{
    struct text *t = s->text;
    const size_t before = t->len;

    for (;
         item < end && item->kind <= ITEM_SERIES && t->len < s->from.room && !t->failed;
         item++) {
        if (item->kind == ITEM_SERIES)
            put_series(s, &item->series);
        else if (!item->sample.hidden)
            out_perf_sample(s->lines, &item->sample, t);
    }
    s->printed += t->len > before;
    return item;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct script *s = ctx;
    const struct item *item = b->item.at + from, *end = b->item.at + b->item.len;
    pts_status st = PTS_OK;

    if (only_lines(s))
        item = take_lines(s, item, end);
    /* The text of a piece of trace is many times its size, so one such item may take
     * several calls (put_trace); all others are done at once. */
    while (st == PTS_OK && item < end && s->text->len < s->from.room &&
           !s->text->failed) {
        bool done = true, counts = is_counted(s, item);
        size_t before = s->text->len;
        if (counts && !left(s)) { /* nor is what follows wanted */
            item = end;
            break;
        }
        if (item->kind == ITEM_SAMPLE)
            st = put_sample(s, &item->sample);
        else
            st = script_put(s, item, &done);
        s->printed += counts && s->text->len > before;
        item += done;
    }
    *next = (size_t)(item - b->item.at);
    note_unwritten(s);
    return s->text->failed ? PTS_E_NOMEM : st;
}

/* perf refuses the recording. */
static void note_unknown(const struct script *s)
{
    const uint64_t n = tracepoints_unknown(s->tracepoints);
    char text[160];

    if (!n)
        return;
    snprintf(text, sizeof(text),
             "%llu sample%s of tracepoints %s shown without text: the recording has no "
             "format of that number, or its head is damaged",
             (unsigned long long)n, n > 1 ? "s" : "", n > 1 ? "are" : "is");
    s->from.message(s->from.message_ctx, PTS_MSG_NOTE, text);
}

/* perf takes what lies behind such a sample for the rest of it. */
static void note_short(const struct script *s)
{
    const uint64_t n = tracepoints_cut(s->tracepoints);
    char text[160];

    if (!n)
        return;
    snprintf(text, sizeof(text),
             "%llu sample%s of tracepoints end%s before the fields of %s format do: "
             "what was not there was not used",
             (unsigned long long)n, n > 1 ? "s" : "", n > 1 ? "" : "s",
             n > 1 ? "their" : "its");
    s->from.message(s->from.message_ctx, PTS_MSG_NOTE, text);
}

static pts_status end(void *ctx)
{
    struct script *s = ctx;

    if (s->from.message) {
        note_unknown(s);
        note_short(s);
    }
    pts_status st = event_files_end(&s->files, s->text);
    note_unwritten(s);
    return st;
}

/* --- Opening and closing ---------------------------------------------------------- */

static void close_script(void *ctx)
{
    struct script *s = ctx;

    press_free(s->press);
    stat_table_free(s->stat);
    out_perf_free(s->lines);
    tracepoints_free(s->tracepoints);
    places_free(s->places);
    resolve_free(s->resolve);
    options_free(&s->opt);
    event_files_free(&s->files);
    mem_free(s);
}

static void fill(struct output *out, struct script *s)
{
    out->ctx = s;
    out->options = s->opt.text.header_only ? NULL : &s->opt;
    out->sink = (struct sink){.wants = script_wants(s),
                              .wants_record = wants_record,
                              .begin = begin,
                              .series = script_series,
                              .parts = script_parts,
                              .employ = script_employ,
                              .room = script_room,
                              .keep = script_keep,
                              .rest = script_rest,
                              .take = take,
                              .left = left,
                              .end = end};
    out->before = script_before;
    out->close = close_script;
}

extern output_open_fn output_script; /* outputs.def */

pts_status output_script(const struct output_from *from, struct output *out,
                         struct pts_diag *why)
{
    struct script *s = mem_zalloc(1, sizeof(*s));

    if (!s)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    s->from = *from;
    s->from.option = NULL; /* is not there any longer when this returns */
    s->text = &out->text;
    options_init(&s->opt, from->message, from->message_ctx);
    pts_status st = options_parse(&s->opt, from->option, from->option_count, why);
    if (st < 0) {
        options_free(&s->opt);
        mem_free(s);
        return st;
    }
    script_checks_init(s);
    if (s->opt.text.header || s->opt.text.header_only)
        script_header(s);
    fill(out, s);
    out->refuses = script_lacks_formats(s);
    return PTS_OK;
}
