/* report_output.c - the text of perf report, as an output.
 *
 * SPDX-License-Identifier: MIT
 *
 *     sample -> rows of its event   count.c
 *     end    -> warnings, text      warn.c, report_text.c
 */
#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "synth/print/header/feat_text.h"
#include "synth/report/count.h"
#include "synth/report/nest.h"

#include <stdio.h>

#define NO_SAMPLES "Error:\nThe %s data has no samples!\n"

/* Of a pipe perf knows no event when it chooses its columns. */
static bool are_tracepoints(const struct output_from *from)
{
    if (from->file->pipe)
        return false;
    for (size_t i = 0; i < from->attr_count; i++)
        if (from->attr[i].type != PTS_TYPE_TRACEPOINT)
            return false;
    return from->attr_count > 0;
}

static struct report_facts facts_of(const struct report *r)
{
    const struct perf_file *f = r->from.file;
    struct report_facts facts = {
        .attr = r->from.attr,
        .attr_count = r->from.attr_count,
        .tracepoints = are_tracepoints(&r->from),
        .formats = f->feature[PTS_FEAT_TRACING_DATA],
        .pipe = f->pipe,
        .traced = f->data.info_off != 0,
        .has_trace = !f->pipe && perf_feat_announced(f, PTS_FEAT_AUXTRACE),
        .branch_stacks = !f->pipe && perf_feat_announced(f, PTS_FEAT_BRANCH_STACK)};
    uint32_t online;

    if (!f->pipe) /* else perf has read no header yet when it asks */
        perf_feat_nrcpus(f, &facts.cpus, &online);
    return facts;
}

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
        r->memo = mem_zalloc(MEMO_SLOTS, sizeof(*r->memo)); /* without, it is slow */
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

/* Of the dump also hidden ones come.  perf counts those of guests as well as those in rows. */
static pts_status count_shown(struct report *r, const struct sample *s)
{
    if (r->dump.ctx && s->hidden)
        r->stats.event[s->event].samples += mode_is_guest(s->cpumode);
    return s->hidden ? PTS_OK : report_count(r, s);
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
        if (item->kind == ITEM_SAMPLE && r->opts.stats)
            stats_sample(r, &item->sample);
        else if (item->kind == ITEM_SAMPLE && !report_is_list(&r->opts))
            st = count_shown(r, &item->sample);
        else if (item->kind == ITEM_RECORD)
            st = take_record(r, item->record);
    }
    return st;
}

/* With --hierarchy perf finds none of what was made from a trace or came through a pipe, or has
 * no levels. */
static bool has_rows(const struct report *r)
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
            struct subject *item = &h->entry.at[h->row[i]].item;
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

static pts_status put_events(struct report *r)
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
    if (!has_rows(r)) {
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
    st = put_events(r);
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

/* Above all that takes a run. */
static void put_start(struct report *r, bool runs)
{
    const struct report_opts *o = &r->opts;

    if (o->header || o->header_only)
        report_header(r);
    else if (!o->quiet && !report_is_list(o))
        text_str(r->text, "# To display the perf.data header info, please use "
                          "--header/--header-only options.\n#\n");
    if (o->header_only || !runs)
        return;
    for (uint32_t i = 0; i < o->elided_count; i++) {
        const char *name = o->elided[i].key->name;
        const char *of = strstr(name, "comm")  ? o->sel.comms.name.at[0]
                         : strstr(name, "dso") ? o->sel.dsos.name.at[0]
                                               : o->sel.symbols.name.at[0];
        text_fmt(r->text, "# %s: %s\n", name, of);
    }
}

/* Whether there are the events that switch counting on and off; else the plan says so, and
 * nothing is printed. */
static bool has_switches(const struct report *r)
{
    const char *const name[] = {r->opts.run.switch_on, r->opts.run.switch_off};
    bool all = true;

    for (size_t i = 0; i < 2; i++) {
        bool found = !name[i];
        for (size_t k = 0; !found && k < r->from.attr_count; k++)
            found = r->from.attr[k].name && strcmp(r->from.attr[k].name, name[i]) == 0;
        all &= found;
    }
    return all;
}

static pts_status ignore_callees(struct report *r, struct pts_diag *why)
{
    struct pts_diag regex;
    pts_status st = parents_new(r->opts.ignore_callees, &r->first, &regex);

    if (st != PTS_E_FORMAT)
        return st < 0 ? diag_set(why, st, UINT64_MAX, "out of memory") : PTS_OK;
    const char *error = strchr(regex.text, '\n');
    return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                    "Invalid --ignore-callees regex: %s\n%s", r->opts.ignore_callees,
                    error ? error + 1 : "");
}

static bool time_is_right(const struct report *r)
{
    struct time_ranges ranges = {0};
    struct time_base base = {0};
    struct pts_diag why = {0};

    if (!r->opts.run.time)
        return true;
    perf_feat_sample_time(r->from.file, &base.first, &base.last);
    bool right = time_parse(&ranges, r->opts.run.time, &base, &why) == PTS_OK;
    VEC_FREE(&ranges.r);
    return right;
}

/* perf says that, and ends well. */
static pts_status list_refused(const struct report *r)
{
    char text[sizeof(r->opts.list_problem.text) + 1];

    snprintf(text, sizeof(text), "%s\n", r->opts.list_problem.text);
    return report_quit(&r->opts, r->opts.quiet ? "" : text);
}

/* The word of --sort that means parents, and its length; NULL: none does. */
static const char *parent_word(const char *words, size_t *n)
{
    const char *at = words && *words == '+' ? words + 1 : words;

    for (; at && *at; at += *n, at += *at != '\0') {
        *n = strcspn(at, "{}, ");
        const struct key *key = *n ? key_find(at, *n) : NULL;
        if (key && strcmp(key->name, "parent") == 0)
            return at;
    }
    return NULL;
}

/* Its expression.  perf ends here, and well. */
static pts_status parent_refused(const struct report_opts *o, const char *why)
{
    char text[PTS_DIAG_TEXT + 200];
    size_t n = 0;
    const char *word = parent_word(o->sort, &n);

    if (!o->sort && !o->fields)
        return report_quit(o, why);
    if (word)
        snprintf(text, sizeof(text), "%sError:\nInvalid --sort key: `%.*s'", why,
                 (int)n, word);
    return report_usage(o, o->sort != NULL, o->fields != NULL, word ? text : why, "");
}

/* PTS_END: there is nothing to run, and all has been said. */
static pts_status prepare(struct report *r, const struct output_from *from,
                          struct pts_diag *why)
{
    const struct report_facts facts = facts_of(r);
    report_defaults(&r->opts, from->message, from->message_ctx);
    pts_status st = report_config(&r->opts, from->config, from->config_count, why);
    if (st == PTS_OK)
        st = report_options(&r->opts, from->option, from->option_count, why);
    if (st == PTS_OK && r->opts.ignore_callees)
        st = ignore_callees(r, why);
    if (st == PTS_OK && !has_switches(r)) { /* which perf looks for first */
        r->opts.run.time = NULL;
        return PTS_OK;
    }
    if (st == PTS_OK)
        st = report_check_groups(r, why);
    if (st == PTS_OK)
        st = report_set_up(&r->opts, &facts, why);
    if (st == PTS_OK && r->opts.parents) {
        st = parents_new(r->opts.parent, &r->parents, why);
        if (st == PTS_E_FORMAT)
            return parent_refused(&r->opts, why->text);
    }
    if (st != PTS_OK)
        return st;
    /* What is wrong with a time is said by the plan, and nothing else. */
    const bool runs = !r->opts.bad_list && time_is_right(r);
    put_start(r, runs);
    if (r->opts.tasks && !r->opts.header_only)
        st = tasks_new(r->opts.mmaps, &r->tasks);
    if (st < 0)
        return diag_set(why, st, UINT64_MAX, "out of memory");
    if (r->opts.header_only)
        return PTS_END;
    if (r->opts.bad_list)
        return list_refused(r);
    return runs ? report_check(&r->opts, &facts) : PTS_OK;
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
    pts_status st = prepare(r, from, why);
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
        .take = take,
        .end = end
    };
    return PTS_OK;
}
