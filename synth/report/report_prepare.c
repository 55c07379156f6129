/* report_prepare.c - what a report is asked for, and what it says before anything is run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "synth/report/report.h"

#include <stdio.h>

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

pts_status report_prepare(struct report *r, const struct output_from *from,
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
