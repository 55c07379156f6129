/* report_set_up.c - what the options of a report mean for a recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which modes they lead to, what only some keys ask for, and what perf refuses: some of it
 * before it prints anything, some behind its first lines.
 */
#include "synth/report/report_options.h"

#include "decoder/base/diag.h"

#include <stdio.h>
#include <string.h>

pts_status report_quit(const struct report_opts *o, const char *text)
{
    if (o->message)
        o->message(o->run.message_ctx, PTS_MSG_WARNING, text);
    return PTS_END;
}

/* What perf makes of a trace where nothing was said: instructions by time with their
 * callers, and all that is an event of its own, but no branches. */
static void trace_default(struct report_opts *o)
{
    struct itrace *it = &o->run.itrace;
    const uint32_t chains = ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN);

    if (it->set)
        return;
    itrace_default(it);
    it->set = true;
    itrace_instructions(it);
    it->what &= ~ITRACE_ON(BRANCHES);
    it->what |= chains;
}

/* Inlined functions are in stacks that are unwound. */
static bool has_dumps(const struct report_facts *f)
{
    for (size_t i = 0; i < f->attr_count; i++)
        if (f->attr[i].sample_type & PTS_SAMPLE_STACK_USER)
            return true;
    return false;
}

/* Of a pipe perf knows no event yet. */
static uint64_t sample_types(const struct report_opts *o, const struct report_facts *f)
{
    const struct itrace *it = &o->run.itrace;
    uint64_t types = 0;

    for (size_t i = 0; !f->pipe && i < f->attr_count; i++)
        types |= f->attr[i].sample_type;
    if (itrace_on(it, ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN)) ||
        (f->has_trace && !it->set))
        types |= PTS_SAMPLE_CALLCHAIN;
    if (itrace_on(it, ITRACE_ON(BRSTACK) | ITRACE_ON(ADD_BRSTACK)))
        types |= PTS_SAMPLE_BRANCH_STACK;
    return types;
}

/* Stack dumps beside branch stacks mean that these are for call chains. */
static void set_branches(struct report_opts *o, const struct report_facts *f,
                         uint64_t types)
{
    const struct itrace *it = &o->run.itrace;
    bool there = f->branch_stacks && !(types & PTS_SAMPLE_STACK_USER);

    there |= itrace_on(it, ITRACE_ON(BRSTACK) | ITRACE_ON(ADD_BRSTACK));
    o->branches = !o->history && (o->branch_asked || (there && !o->no_branches));
    o->hops = o->history && there;
    o->total_cycles &= o->branches;
    if (o->total_cycles)
        o->sort = NULL;
}

/* --branch-history: chains are of addresses, with lines. */
static void set_history(struct report_opts *o)
{
    o->chain.key = FRAME_ADDRESS;
    if (!o->sort)
        o->sort = "srcline,symbol,dso";
}

static void set_modes(struct report_opts *o, const struct report_facts *f)
{
    uint64_t types = sample_types(o, f);
    bool chains = types & PTS_SAMPLE_CALLCHAIN;
    const bool callers_first = o->children && !o->chain.order_set;

    set_branches(o, f, types);
    if (o->history)
        set_history(o);
    o->mem_clash = o->mem_mode && o->branches;
    if (f->tracepoints && (!o->sort || *o->sort == '+')) {
        o->default_sort = o->raw_trace ? "trace_fields" : "trace";
        o->by_trace = true;
        o->children &= !o->branches;
        o->branches = false;
    }
    o->mem_keys = o->mem_mode && !o->by_trace;
    o->no_mem_data = o->mem_keys && !(types & PTS_SAMPLE_DATA_SRC) && !f->pipe;
    o->no_branch_data = o->branches && !(types & PTS_SAMPLE_BRANCH_STACK) && !f->pipe;
    o->no_chain_data =
        (o->history || (o->chain.asked && o->chain.mode != CHAIN_NONE)) && !chains &&
        !o->hops && !f->pipe;
    /* Of --branch-history also where there are no callers to be counted. */
    o->chain.callers_first |= callers_first;
    o->no_children = o->children && !chains && !o->branches;
    o->children = o->children && chains && !o->branches;
    /* perf learns of a trace without the feature too late for children. */
    chains |= f->pipe || (f->traced && !o->run.itrace.set);
    o->chains = (chains || o->hops) && o->chain.mode != CHAIN_NONE && !o->branches;
    o->max_stack = frames_most(o->run.max_stack);
    if (itrace_on(&o->run.itrace, ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN)) &&
        o->run.itrace.callchain_size > o->max_stack)
        o->max_stack = o->run.itrace.callchain_size;
    o->run.max_stack = (int64_t)o->max_stack; /* --itrace may yet be made up */
    o->run.own_stack = true;
}

/* What perf takes for chains of --call-graph lbr, where it shows or counts any. */
static bool has_lbr_chains(const struct report_opts *o, const struct report_facts *f)
{
    static const uint64_t dump = PTS_SAMPLE_REGS_USER | PTS_SAMPLE_STACK_USER;
    const uint64_t types = sample_types(o, f);
    const bool shown =
        o->chain.mode != CHAIN_NONE && (o->chain.asked || types & PTS_SAMPLE_CALLCHAIN);

    return (shown || o->history || o->children) && types & PTS_SAMPLE_BRANCH_STACK &&
           (types & dump) != dump;
}

static pts_status set_lists(struct report_opts *o, struct pts_diag *why)
{
    struct select *s = &o->sel;
    pts_status st = PTS_OK;

    if (o->dsos)
        st = select_names(s, &s->dsos, o->dsos, "dso", why);
    if (st == PTS_OK && o->comms)
        st = select_names(s, &s->comms, o->comms, "comm", why);
    if (st == PTS_OK && o->pids)
        st = select_numbers(s, &s->pids, o->pids, "pid", why);
    if (st == PTS_OK && o->tids)
        st = select_numbers(s, &s->tids, o->tids, "tid", why);
    if (st == PTS_OK && o->symbols)
        st = select_symbols(s, o->symbols, why);
    return st;
}

/* What only some keys ask for. */
static void set_asked(struct report_opts *o)
{
    for (uint32_t i = 0; i < o->key_count; i++) {
        const char *name = o->key[i]->name;
        o->srclines |= strcmp(name, "srcline") == 0;
        o->srcfiles |= strcmp(name, "srcfile") == 0;
        o->branch_lines |= strncmp(name, "srcline_", 8) == 0;
        o->parents |= strcmp(name, "parent") == 0;
        o->traces |= strcmp(name, "trace") == 0;
        o->times |= strcmp(name, "time") == 0;
        o->around |= strcmp(name, "socket") == 0 || strncmp(name, "cgroup", 6) == 0;
        o->more |= o->key[i]->more;
    }
    /* perf looks at it when it goes over the rows again. */
    o->by_socket = o->socket >= 0 && o->collapses;
    if (o->by_socket)
        o->more = o->around = o->by_moment = true;
}

/* A sample that read the counters of its group stands for one of each. */
static bool counts_by_sample(struct report_opts *o, const struct report_facts *f)
{
    o->stats_read = false;
    for (size_t i = 0; o->stats && i < f->attr_count; i++)
        o->stats_read |= (f->attr[i].sample_type & PTS_SAMPLE_READ) != 0;
    return o->stats_read;
}

pts_status report_set_up(struct report_opts *o, const struct report_facts *facts,
                         struct pts_diag *why)
{
    const uint32_t chains = ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN);

    if (o->hierarchy && o->fields)
        return report_usage(o, false, true,
                            o->quiet
                                ? ""
                                : "Error: --hierarchy and --fields options cannot be "
                                  "used together\n",
                            "");
    if (o->stats && o->tasks)
        return report_quit(o, o->quiet ? ""
                                       : "Error: --tasks and --mmaps can't be used "
                                         "together with --stats\n");
    if (o->sort && strstr(o->sort, "ipc")) /* also in a word that is no key */
        return report_usage(
            o, true, false, "",
            "ptscript: IPC is no key, but a column beside the key symbol "
            "(-F names it)\n");
    if (o->run.dump && report_is_list(o))
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "-D is not supported yet together with --stats, --tasks and "
                        "--mmaps");
    set_modes(o, facts);
    if (o->mem_clash)
        return report_quit(o, o->quiet ? "" : "branch and mem mode incompatible\n");
    o->children &= !o->hierarchy &&
                   !o->mem_mode; /* which the order of chains goes by all the same */
    o->run.own_lbr_chains = has_lbr_chains(o, facts);
    o->fields_of.attr = facts->attr;
    o->fields_of.attr_count = facts->pipe ? 0 : facts->attr_count;
    o->fields_of.formats = facts->formats;
    o->fields_of.raw = o->raw_trace;
    pts_status st = set_lists(o, &o->list_problem);
    o->bad_list = st == PTS_E_RANGE;
    if (st == PTS_OK || o->bad_list)
        st = report_columns(o, why);
    o->collapses |= o->hierarchy;
    set_asked(o);
    o->raws = o->lists.has_fields;
    o->no_parent_data = o->by_parent && !facts->pipe &&
                        !(sample_types(o, facts) & PTS_SAMPLE_CALLCHAIN);
    o->dumps = has_dumps(facts);
    o->by_tree |= o->inlined && o->children && o->dumps;
    trace_default(o);
    if (report_is_list(o)) {
        o->run.itrace.dont_decode = true;
        o->run.unseen = true;
        o->run.unwarned = true;
        o->run.records_only = !counts_by_sample(o, facts);
    }
    if (o->chain.mode == CHAIN_NONE && !o->history)
        o->run.itrace.what &= ~chains;
    return st;
}

/* -C: the first event of each type must say where its samples are from. */
static pts_status check_cpus(struct report_opts *o, const struct report_facts *f)
{
    struct pts_diag why = {0};
    char text[sizeof(why.text) + 140];
    bool without = false;

    for (size_t i = 0; !f->pipe && i < f->attr_count; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= f->attr[k].type != f->attr[i].type;
        without |= first && f->attr[i].type < PTS_KERNEL_TYPES &&
                   !(f->attr[i].sample_type & PTS_SAMPLE_CPU);
    }
    if (!without && cpus_parse(&o->cpus, o->cpu, f->cpus, &why) == PTS_OK) {
        o->run.cpu = o->cpu; /* nor is the trace of others decoded */
        o->run.own_cpus = true;
        return PTS_OK;
    }
    snprintf(
        text, sizeof(text), "%s%s%sError:\nfailed to set cpu bitmap\n",
        o->cpus.beyond ? "Perf can support 2048 CPUs. Consider raising MAX_NR_CPUS\n"
                       : "",
        o->quiet  ? ""
        : without ? "File does not contain CPU events. Remove -C option to proceed."
                  : why.text,
        o->quiet ? "" : "\n");
    return report_quit(o, text);
}

pts_status report_check(struct report_opts *o, const struct report_facts *facts)
{
    pts_status st = o->cpu ? check_cpus(o, facts) : PTS_OK;

    if (st != PTS_OK)
        return st;
    if (o->no_parent_data)
        return report_quit(o, "Error:\nSelected --sort parent, but no callchain data. "
                              "Did you call 'perf record' without -g?\n");
    if (o->no_chain_data)
        return report_quit(o, "Error:\nSelected -g or --branch-history.\n"
                              "But no callchain or branch data.\n"
                              "Did you call 'perf record' without -g or -b?\n");
    if (o->no_branch_data)
        return report_quit(o, "Error:\nSelected -b but no branch data. Did you call "
                              "perf record without -b?\n");
    if (o->no_mem_data)
        return report_quit(o, "Error:\nSelected --mem-mode but no mem data. Did you "
                              "call perf record without -d?\n");
    return PTS_OK;
}
