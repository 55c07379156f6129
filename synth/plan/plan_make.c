/* plan_make.c - what a run is to do, worked out before it begins.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order of the checks is perf's, so that of several mistakes the same one is
 * reported.  Of a pipe perf looks at options before it has read anything: there are no
 * events and no CPUs yet.
 *
 * What is checked first decides which error is shown, so the order is perf's.  It
 * differs between a file, whose events are in the header, and a pipe, where they come
 * as records after the options have been looked at:
 *
 *     file   events, lists, cpus, stacks, checks of the file, times, trace, checks of all
 *     pipe   lists, cpus, times, events, stacks,                     trace, checks of all
 */
#include "synth/plan/hints.h"
#include "synth/plan/plan.h"

#include "decoder/base/arena.h"
#include "decoder/base/diag.h"
#include "synth/plan/config.h"
#include "synth/plan/plan_making.h"

#include <stdio.h>
#include <string.h>

/* --- Events ----------------------------------------------------------------------- */

static pts_status attr_failed(struct making *m, const struct evl_attr *a)
{
    const struct bad_record r = {PTS_RECORD_HEADER_ATTR, a->record_size, a->record_off,
                                 ""};
    return plan_bad_record(m, &r);
}

static pts_status check_one(const struct making *m, uint32_t i)
{
    const struct wants *w = m->wants;

    return w->check_event
               ? w->check_event(w->ctx, &m->plan->evl, i, m->plan->chains_shown, m->why)
               : PTS_OK;
}

/* Of a pipe the events are checked one by one, as perf reads them; of a file all at
 * once, later. */
static pts_status add_attrs(struct making *m)
{
    const struct plan_facts *f = m->facts;
    struct plan *p = m->plan;
    pts_status st = PTS_OK;

    p->guests = f->guests;
    p->chains_shown = f->pipe && !p->opt.hide_call_graph;
    for (size_t i = 0; st == PTS_OK && i < f->attr_count; i++) {
        st = evl_add(&p->evl, &f->attr[i]);
        if (st == PTS_OK && f->pipe)
            st = check_one(m, (uint32_t)i);
        if (st == PTS_E_RANGE)
            return attr_failed(m, &f->attr[i]);
        if (st == PTS_OK && p->evl.ev.at[i].has_chain)
            p->chains_shown = !p->opt.hide_call_graph;
    }
    return st;
}

/* --- Selection -------------------------------------------------------------------- */

static pts_status set_lists(struct making *m)
{
    const struct options *o = &m->plan->opt;
    struct select *sel = &m->plan->sel;
    struct pts_diag *why = m->why;
    pts_status st = PTS_OK;

    if (o->dsos)
        st = select_names(sel, &sel->dsos, o->dsos, "dso", why);
    if (st == PTS_OK && o->comms)
        st = select_names(sel, &sel->comms, o->comms, "comm", why);
    if (st == PTS_OK && o->pids)
        st = select_numbers(sel, &sel->pids, o->pids, "pid", why);
    if (st == PTS_OK && o->tids)
        st = select_numbers(sel, &sel->tids, o->tids, "tid", why);
    if (st == PTS_OK && o->symbols)
        st = select_symbols(sel, o->symbols, why);
    if (st == PTS_OK && o->stop_bt)
        st = select_names(sel, &sel->stop_bt, o->stop_bt, "symbol", why);
    if (st == PTS_OK && o->graph_function) {
        sel->graph =
            arena_strndup(&sel->strings, o->graph_function, strlen(o->graph_function));
        st = sel->graph ? PTS_OK : PTS_E_NOMEM;
    }
    sel->addr_range = o->addr_range > 0 ? (uint64_t)o->addr_range : 0;
    return st;
}

static void hint_cpus(const struct plan *p, uint32_t available)
{
    char text[80];

    snprintf(text, sizeof(text),
             "the recording is of a machine with %u CPUs, from 0 on", available);
    if (!p->sel.cpus.unknown)
        hint_give(HINT_CPU, p->opt.message, p->opt.message_ctx);
    else if (available && p->opt.message)
        p->opt.message(p->opt.message_ctx, PTS_MSG_NOTE, text);
}

/* Every class must say the cpu when cpus are selected. */
static pts_status set_cpus(struct making *m)
{
    struct plan *p = m->plan;
    /* The header of a pipe has not been read when perf comes here, so every CPU is too
     * large. */
    uint32_t available = m->facts->pipe ? 0 : m->facts->cpus_available;

    for (int class = 0; class < PTS_KERNEL_TYPES; class ++) {
        uint32_t i = evl_first_of(&p->evl, (enum out_class) class);
        if (i != EVL_NONE && !p->opt.own_cpus &&
            !(p->evl.ev.at[i].attr.sample_type & PTS_SAMPLE_CPU))
            return diag_set(m->why, PTS_E_FORMAT, UINT64_MAX,
                            "File does not contain CPU events. Remove -C option to "
                            "proceed.");
    }
    pts_status st = cpus_parse(&p->sel.cpus, p->opt.cpu, available, m->why);
    if (st < 0)
        hint_cpus(p, available);
    if (p->sel.cpus.beyond)
        plan_warn(p, "Perf can support 2048 CPUs. Consider raising MAX_NR_CPUS\n");
    return st;
}

static pts_status set_times(struct making *m)
{
    struct plan *p = m->plan;
    const struct time_base base = {m->facts->first_sample, m->facts->last_sample,
                                   p->opt.reltime};

    pts_status st =
        p->opt.time ? time_parse(&p->sel.time, p->opt.time, &base, m->why) : PTS_OK;

    if (st < 0)
        hint_give(HINT_TIME, p->opt.message, p->opt.message_ctx);
    return st;
}

/* perf ends with success when a list cannot be parsed. */
static pts_status end_quietly(struct making *m)
{
    char text[sizeof(m->why->text) + 1];

    snprintf(text, sizeof(text), "%s\n", m->why->text);
    plan_warn(m->plan, text);
    return PTS_END;
}

/* Whether perf takes the recording for one of --call-graph lbr: the sample types of all events
 * say so. */
static bool has_lbr_chains(const struct making *m)
{
    static const uint64_t dump = PTS_SAMPLE_REGS_USER | PTS_SAMPLE_STACK_USER;
    const struct evlist *l = &m->plan->evl;
    uint64_t any = 0;

    if (m->plan->opt.own_order)
        return m->plan->opt.own_lbr_chains;
    for (uint32_t i = 0; !m->facts->pipe && i < l->ev.len; i++)
        any |= l->ev.at[i].attr.sample_type;
    return any & PTS_SAMPLE_BRANCH_STACK && (any & dump) != dump;
}

/* Where there is nothing to join, perf says so and goes on. */
static void set_stitching(struct making *m)
{
    if (!m->plan->opt.stitch_lbr)
        return;
    if (has_lbr_chains(m)) {
        m->plan->stitch_depth = m->facts->branch_registers;
        return;
    }
    if (m->plan->opt.own_order)
        plan_warn(m->plan, "Warning:\n");
    plan_warn(m->plan, "Can't find LBR callchain. Switch off --stitch-lbr.\n"
                       "Please apply --call-graph lbr when recording.\n");
}

bool plan_lists_fit(const struct plan_facts *facts, const struct options *options)
{
    struct plan *p = mem_zalloc(1, sizeof(*p));
    struct plan_failed failed;
    struct pts_diag why;
    struct making m = {p, facts, NULL, &failed, &why};

    if (!p)
        return false;
    p->opt = *options;
    p->opt.message = NULL; /* what is wrong is said when the plan is made */
    pts_status st = facts->pipe ? PTS_OK : add_attrs(&m);
    if (st == PTS_OK)
        st = set_lists(&m);
    if (st == PTS_OK && p->opt.cpu)
        st = set_cpus(&m);
    plan_free(p);
    return st == PTS_OK;
}

static pts_status set_selection(struct making *m)
{
    struct plan *p = m->plan;
    pts_status st = set_lists(m);

    if (st == PTS_E_RANGE)
        return end_quietly(m);
    set_stitching(m);
    if (st == PTS_OK && p->opt.cpu)
        st = set_cpus(m);
    if (st == PTS_OK && m->facts->pipe)
        st = set_times(m);
    return st;
}

/* The event of this name, as the recording has it: of a pipe perf knows none yet, nor
 * names that it makes up. */
static pts_status find_switch(struct making *m, const char *name, const char *what,
                              uint32_t *out)
{
    const struct plan_facts *f = m->facts;

    *out = EVL_NONE;
    if (!name)
        return PTS_OK;
    for (uint32_t i = 0; !f->pipe && i < f->attr_count; i++)
        if (f->attr[i].name && strcmp(f->attr[i].name, name) == 0) {
            *out = i;
            return PTS_OK;
        }
    return diag_set(m->why, PTS_E_MISSING, UINT64_MAX,
                    "ERROR: %s event not found (%s)\nHINT:  use 'perf evlist' to see "
                    "the available event names",
                    what, name);
}

static pts_status set_switches(struct making *m)
{
    struct select *sel = &m->plan->sel;
    const struct options *o = &m->plan->opt;
    pts_status st = find_switch(m, o->switch_on, "switch-on", &sel->switch_on);

    return st < 0 ? st : find_switch(m, o->switch_off, "switch-off", &sel->switch_off);
}

/* --- Stacks ----------------------------------------------------------------------- */

/* L: so many branches may lie between a sample and its record. */
enum { LATE_KERNEL = 1024, LATE_USER = 1 };

/* Only those that somebody asks for are followed: it costs a step at every branch. */
static void set_stacks(struct making *m)
{
    struct plan *p = m->plan;
    const struct itrace *it = &p->opt.itrace;
    bool depth = m->wants->of_class(m->wants->ctx, CLASS_HARDWARE) & WANT_DEPTH ||
                 p->sel.graph || p->opt.calls_too;
    uint32_t late = 0;

    /* A sample of another event is recorded some branches after what it is about, so
     * more than are shown are kept. */
    if (itrace_on(it, ITRACE_ON(ADD_BRSTACK)))
        late = plan_traces_kernel(m) ? LATE_KERNEL : LATE_USER;
    p->stack.calls =
        depth || itrace_on(it, ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN));
    if (itrace_on(it, ITRACE_ON(BRSTACK) | ITRACE_ON(ADD_BRSTACK)))
        p->stack.last_branches = it->brstack_size + late;
    p->stack.any = p->stack.calls || p->stack.last_branches;
    p->stack.at_made =
        !depth && p->stack.calls != (p->stack.last_branches > 0) &&
        !(itrace_on(it, ITRACE_ON(ADD_CALLCHAIN) | ITRACE_ON(ADD_BRSTACK)) &&
          m->facts->samples);
}

/* Whether a recorded chain takes more than reading it. */
static bool is_unwound(const struct plan *p, const struct evl_event *e)
{
    static const uint64_t dump = PTS_SAMPLE_REGS_USER | PTS_SAMPLE_STACK_USER;
    uint64_t type = e->attr.sample_type;

    return type & PTS_SAMPLE_CALLCHAIN && !evl_is_dummy(e) &&
           p->want[e->class] & WANT_CHAINS && (type & dump) == dump;
}

uint64_t plan_max_stack(const struct plan *p)
{
    const struct itrace *it = &p->opt.itrace;
    uint64_t most = frames_most(p->opt.max_stack);

    if (!p->opt.own_stack &&
        itrace_on(it, ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN)) &&
        it->callchain_size > most)
        most = it->callchain_size;
    return most;
}

/* --- The plan --------------------------------------------------------------------- */

/* Everything is known now. */
/* Checks may turn fields on or off, so what is wanted is asked for when they are
 * through. */
static pts_status finish(struct making *m)
{
    const struct wants *w = m->wants;
    struct plan *p = m->plan;
    pts_status st = w->check_all ? w->check_all(w->ctx, &p->evl, m->why) : PTS_OK;

    for (int class = 0; class < CLASSES; class ++)
        p->want[class] = w->of_class(w->ctx, (enum out_class) class);
    for (size_t i = 0; p->chains_shown && i < m->facts->attr_count; i++)
        p->unwinds |= is_unwound(p, &p->evl.ev.at[i]);
    p->callers_first = config_callers_first(m->facts->config, m->facts->config_count);
    p->filtering = p->sel.time.r.len || p->sel.cpus.on || select_threads(&p->sel) ||
                   select_places(&p->sel) || p->sel.graph ||
                   p->sel.switch_on != EVL_NONE || p->sel.switch_off != EVL_NONE;
    return st;
}

static pts_status make(struct making *m)
{
    const struct wants *w = m->wants;
    struct plan *p = m->plan;
    struct itrace *it = &p->opt.itrace;
    bool pipe = m->facts->pipe;
    pts_status st = pipe ? PTS_OK : add_attrs(m);

    if (st < 0)
        return st;
    st = set_selection(m);
    if (st == PTS_OK && pipe)
        st = add_attrs(m);
    if (st != PTS_OK)
        return st;
    set_stacks(m);
    if (!pipe && w->check_file)
        st = w->check_file(w->ctx, &p->evl, m->why);
    if (st == PTS_OK && !pipe)
        st = set_times(m);
    if (st == PTS_OK)
        st = set_switches(m);
    /* Only now: checks before this ask what was given. */
    if (!it->set)
        itrace_default(it);
    if (st == PTS_OK && !pipe && w->check_recorded)
        st = w->check_recorded(w->ctx, &p->evl, m->why);
    if (st == PTS_OK)
        st = plan_trace(m);
    return st == PTS_OK ? finish(m) : st;
}

pts_status plan_new(const struct plan_facts *facts, const struct options *options,
                    const struct wants *wants, struct plan **out,
                    struct plan_failed *failed, struct pts_diag *why)
{
    struct plan *p = mem_zalloc(1, sizeof(*p));
    struct making m = {p, facts, wants, failed, why};

    failed->off = UINT64_MAX;
    if (!p)
        return PTS_E_NOMEM;
    p->opt = *options;
    made_init(&p->made);
    p->sel.switch_on = p->sel.switch_off = EVL_NONE;
    p->pebs.event = EVL_NONE;
    pts_status st = make(&m);
    if (st != PTS_OK) {
        plan_free(p);
        return st;
    }
    *out = p;
    return PTS_OK;
}

void plan_free(struct plan *p)
{
    if (!p)
        return;
    evl_free(&p->evl);
    select_free(&p->sel);
    VEC_FREE(&p->decode.range);
    mem_free(p);
}
