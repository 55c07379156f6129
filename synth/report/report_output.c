/* report_output.c - the text of perf report, as an output.
 *
 * SPDX-License-Identifier: MIT
 *
 *     sample -> rows of its event   count.c
 *     end    -> warnings, text      warn.c, report_events.c
 */
#include "decoder/base/diag.h"
#include "synth/report/count.h"

#include <stdio.h>

#define NO_SAMPLES "Error:\nThe %s data has no samples!\n"

/* --- The sink ---------------------------------------------------------------------- */

static uint32_t wants_of_class(void *ctx, enum out_class class)
{
    const struct report *r = ctx;

    (void)class;
    return (r->opts.chains || r->opts.children || r->opts.parents ? WANT_CHAINS : 0u) |
           (r->opts.branches || r->opts.hops || r->opts.chain.branches ? WANT_BRANCHES
                                                                       : 0u);
}

static bool wants_record(void *ctx, uint32_t type)
{
    const struct report *r = ctx;

    if (r->dump.ctx || (type == PTS_RECORD_FEATURE && report_wants_features(r)))
        return true;
    return r->tasks ? tasks_want(r->tasks, type)
                    : r->opts.stats || type == PTS_RECORD_LOST_SAMPLES ||
                          (r->opts.threads && type == PTS_RECORD_READ) ||
                          (r->opts.around && around_wants(type));
}

static pts_status take_counter(struct report *r, const struct record *rec)
{
    const struct evlist *l = &r->scene.plan->evl;
    const struct pts_sample_read *v = &rec->u.read.values;

    if (rec->head.evsel >= l->ev.len)
        return PTS_OK;
    const struct count_read read = {
        .who = {rec->u.read.pid, rec->u.read.tid},
        .event = rec->head.evsel,
        .name = l->ev.at[rec->head.evsel].name,
        .value = v->format & PTS_READ_GROUP ? v->count  /* perf takes the first word */
                                            : v->one.value
    };
    return counters_add(&r->counters, &read) ? PTS_OK : PTS_E_NOMEM;
}

static pts_status take_record(struct report *r, uint64_t off)
{
    struct record rec;

    if (r->opts.stats || r->dump.ctx) {
        stats_count(r, off);
        return PTS_OK;
    }
    if (record_read(r->from.file, off, &rec) != PTS_OK)
        return PTS_OK;
    if (report_wants_features(r) && record_is(&rec, PTS_RECORD_FEATURE))
        report_feature(r, &rec);
    if (r->tasks)
        return tasks_take(r->tasks, &rec);
    if (r->opts.around && around_wants(rec.head.type))
        return around_take(&r->around, &r->strings, &rec);
    if (record_is(&rec, PTS_RECORD_READ))
        return take_counter(r, &rec);
    if (record_is(&rec, PTS_RECORD_LOST_SAMPLES))
        r->lost += rec.u.lost.lost;
    return PTS_OK;
}

/* Each event has columns of its own where fields are keys. */
static pts_status begin_own(struct report *r)
{
    const size_t n = r->scene.plan->evl.ev.len;
    struct pts_diag why = {0};
    pts_status st = PTS_OK;

    if (!r->opts.raws)
        return PTS_OK;
    r->own = mem_zalloc(n + 1, sizeof(*r->own));
    if (!r->own)
        return PTS_E_NOMEM;
    for (size_t i = 0; st == PTS_OK && i < n; i++)
        st = report_own_columns(&r->opts, (uint32_t)i, &r->own[i], &why);
    return st;
}

/* The same tracepoints that the keys are about: perf remembers with a field what it is. */
static pts_status begin_traces(struct report *r)
{
    const struct perf_file *f = r->from.file;
    pts_status st = PTS_OK;

    r->tracepoints = r->opts.fields_of.tracepoints;
    r->opts.fields_of.tracepoints = NULL;
    if (!r->tracepoints)
        st = tracepoints_new(perf_order_tracing(f, r->scene.order), true,
                             &r->tracepoints);
    if (st == PTS_OK && r->opts.raw_trace)
        tracepoints_raw(r->tracepoints);
    return st;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct report *r = ctx;

    r->scene = *scene;
    r->keys = (struct key_context){.strings = &r->strings,
                                   .by_dso = r->opts.by_dso,
                                   .ns = r->opts.ns,
                                   .narrow = r->opts.separator || r->opts.width_count ||
                                             r->opts.dsos};
    for (uint32_t i = 0; i < r->opts.key_count; i++) {
        const char *name = r->opts.key[i]->name;
        r->keys.by_symbol |= strcmp(name, "symbol") == 0;
        r->blocks.moves |= strcmp(name, "symbol") == 0 ||
                           strcmp(name, "symbol_from") == 0 ||
                           strcmp(name, "symbol_to") == 0;
    }
    if (!r->opts.by_tree && !r->opts.by_moment && !r->opts.total_cycles)
        r->memo = mem_table(MEMO_SLOTS, sizeof(*r->memo)); /* without, it is slow */
    if (r->opts.hops)
        r->frames_known = mem_zalloc(FRAMES_KNOWN, sizeof(*r->frames_known));
    r->hists = mem_zalloc(scene->plan->evl.ev.len + 1, sizeof(*r->hists));
    r->stats.event = mem_zalloc(scene->plan->evl.ev.len + 1, sizeof(*r->stats.event));
    pts_status st = r->hists && r->stats.event ? resolve_new(scene->places, &r->resolve)
                                               : PTS_E_NOMEM;
    if (st < 0)
        return st;
    r->keys.around = &r->around;
    if (r->opts.around)
        st = around_begin(&r->around, r->from.file);
    if (st == PTS_OK && (r->opts.traces || r->opts.raws))
        st = begin_traces(r);
    if (st == PTS_OK)
        st = begin_own(r);
    if (st < 0)
        return st;
    r->lines.look = resolve_lookup(r->resolve);
    r->lines.strings = &r->strings;
    for (size_t i = 0; i < r->from.file->evsel.len; i++)
        r->any_branch |=
            (r->from.file->evsel.at[i].attr.branch_sample_type & PTS_BRANCH_ANY) != 0;
    if (r->dump.ctx)
        st = r->dump.sink.begin(r->dump.ctx, scene);
    return st < 0 ? st : places_new(resolve_lookup(r->resolve), &r->places);
}

/* The dump's own sink takes none. */
static bool takes_series(void *ctx)
{
    const struct report *r = ctx;

    return !r->dump.ctx;
}

/* Of the dump also hidden ones come, which do not count. */
static pts_status take_sample(struct report *r, const struct sample *s)
{
    if (r->opts.stats)
        stats_sample(r, s);
    return r->opts.stats || report_is_list(&r->opts) ? PTS_OK : report_count(r, s);
}

static pts_status take_series(struct report *r, const struct series *of)
{
    for (uint32_t i = 0; r->opts.stats && i < of->count; i++)
        stats_sample(r, &of->form);
    return r->opts.stats || report_is_list(&r->opts) ? PTS_OK
                                                     : report_count_series(r, of);
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct report *r = ctx;
    pts_status st = PTS_OK;

    *next = b->item.len;
    if (r->dump.ctx) /* it may not take all at once */
        st = r->dump.sink.take(r->dump.ctx, b, from, next);
    for (size_t i = from; st == PTS_OK && i < *next; i++) {
        const struct item *item = &b->item.at[i];
        if (item->kind == ITEM_SAMPLE)
            st = take_sample(r, &item->sample);
        else if (item->kind == ITEM_SERIES)
            st = take_series(r, &item->series);
        else if (item->kind == ITEM_RECORD)
            st = take_record(r, item->record);
    }
    return st;
}

static pts_status end(void *ctx)
{
    struct report *r = ctx;
    char none[PTS_DIAG_TEXT];

    if (r->opts.stats) {
        stats_text(r);
        return PTS_OK;
    }
    if (r->tasks)
        return tasks_text(r->tasks, r->scene.sb, r->text);
    report_warn(r);
    if (r->dump.ctx) {
        pts_status counted = report_counted(r);
        stats_text(r);
        return counted;
    }
    if (!report_has_rows(r)) {
        const struct perf_file *f = r->from.file;
        snprintf(none, sizeof(none), NO_SAMPLES, f->dir ? f->dir : f->path);
        (void)report_quit(&r->opts, none);
        return PTS_OK;
    }
    pts_status st = report_counted(r);

    if (st < 0)
        return st;
    if (!r->opts.quiet)
        text_fmt(r->text, "#\n# Total Lost Samples: %llu\n#\n",
                 (unsigned long long)r->lost);
    st = report_put_events(r);
    if (!r->opts.quiet)
        text_str(r->text, "#\n#\n"); /* between them perf has a tip, by chance */
    if (r->opts.threads)
        counters_text(&r->counters,
                      r->opts.pretty && strcmp(r->opts.pretty, "raw") == 0, r->text);
    branch_stats_text(&r->kinds, r->text);
    report_note_filtered(r);
    return st;
}

/* perf says that, and ends well. */
static pts_status refused(void *ctx, struct pts_diag *why)
{
    const struct report *r = ctx;
    char text[sizeof(why->text) + 60];

    if (why->text[0] && !r->opts.quiet)
        snprintf(text, sizeof(text), "%s\nError:\nfailed to process sample\n",
                 why->text);
    else
        snprintf(text, sizeof(text), "Error:\nfailed to process sample\n");
    return report_quit(&r->opts, text);
}

/* --- Opening and closing ----------------------------------------------------------- */

static void close_report(void *ctx)
{
    struct report *r = ctx;

    for (size_t i = 0; r->hists && i < r->scene.plan->evl.ev.len; i++)
        hists_free(&r->hists[i]);
    mem_free(r->hists);
    mem_free(r->stats.event);
    mem_free(r->own);
    if (r->dump.ctx)
        r->dump.close(r->dump.ctx);
    tasks_free(r->tasks);
    counters_free(&r->counters);
    around_free(&r->around);
    mem_free(r->memo);
    memo_owners_free(&r->owners);
    path_sums_free(&r->sums);
    paths_free(&r->paths);
    VEC_FREE(&r->chain.word);
    mem_free(r->counted);
    frames_free(&r->frames);
    mem_free(r->frames_known);
    lines_free(&r->lines);
    blocks_free(&r->blocks);
    parents_free(r->parents);
    parents_free(r->first);
    tracepoints_free(r->tracepoints);
    text_free(&r->traced);
    places_free(r->places);
    resolve_free(r->resolve);
    strings_free(&r->strings);
    report_options_free(&r->opts);
    mem_free(r);
}

extern output_open_fn output_report; /* outputs.def */

pts_status output_report(const struct output_from *from, struct output *out,
                         struct pts_diag *why)
{
    struct report *r = mem_zalloc(1, sizeof(*r));

    if (!r)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    r->from = *from;
    r->from.option = NULL; /* is not there any longer when this returns */
    r->text = &out->text;
    out->ctx = r;
    out->close = close_report;
    pts_status st = report_prepare(r, from, why);
    if (st != PTS_OK)
        return st == PTS_END ? PTS_OK : st;
    if (r->opts.run.dump)
        st = report_dump_open(r, from, out, why);
    out->ctx = r;
    out->close = close_report;
    if (st < 0)
        return st;
    out->before = r->dump.ctx ? report_dump_before : NULL;
    out->refused = refused;
    out->options = &r->opts.run;
    out->sink = (struct sink){
        .wants = {.ctx = r, .of_class = wants_of_class},
        .wants_record = wants_record,
        .begin = begin,
        .series = takes_series,
        .take = take,
        .end = end
    };
    return PTS_OK;
}
