/* plan_trace.c - what is to be made of the trace, and what the decoder must know for
 * it.
 *
 * SPDX-License-Identifier: MIT
 *
 * An event of the decoder that leads to no sample is not asked for: the decoder goes
 * from leg to leg where nobody looks at branches.
 */
#include "synth/plan/plan_making.h"

#include "decoder/base/diag.h"
#include "synth/plan/config.h"
#include "walker/code/ild.h"

#include <ptscript/sample.h>

#include <stdio.h>
#include <string.h>

/* Bits of the traced event's config (IA32_RTIT_CTL). */
#define CFG_PWR_EVT (1ull << 4)
#define CFG_EVENT   (1ull << 31)

static bool is_traced(const struct making *m, const struct evl_event *e)
{
    return m->facts->aux && e->attr.type == m->facts->aux->pmu_type;
}

bool plan_traces_kernel(const struct making *m)
{
    const struct evlist *l = &m->plan->evl;

    for (size_t i = 0; i < l->ev.len; i++)
        if (is_traced(m, &l->ev.at[i]) &&
            !(l->ev.at[i].attr.flags & PTS_ATTR_EXCLUDE_KERNEL))
            return true;
    return false;
}

/* --- Time ------------------------------------------------------------------------- */

/* Times are of use when every sample has one, every trace has timestamps, and it was
 * recorded how to convert these.  Else each queue is followed by itself. */
static bool is_timeless(const struct making *m)
{
    const struct evlist *l = &m->plan->evl;
    uint64_t tsc_bit = m->facts->aux->tsc_bit;
    bool timeless = true;

    if (!tsc_bit || !m->facts->aux->cap_user_time_zero ||
        itrace_on(&m->plan->opt.itrace, ITRACE_ON(TIMELESS)))
        return true;
    for (size_t i = 0; i < l->ev.len; i++) {
        const struct evl_event *e = &l->ev.at[i];
        /* One event without times is enough: then records cannot be put in order with
         * the trace. */
        if (!(e->attr.sample_type & PTS_SAMPLE_TIME))
            return true;
        if (!is_traced(m, e))
            continue;
        if (!(e->attr.config & tsc_bit))
            return true;
        timeless = false;
    }
    return timeless;
}

/* The ratio at which core and TSC run equally fast: as recorded, else the TSC's
 * frequency in units of 100 MHz. */
static void set_clock(struct making *m)
{
    struct decode_plan *d = &m->plan->decode;

    d->timeless = is_timeless(m);
    d->clock = m->facts->aux->conv;
    d->max_non_turbo = m->facts->aux->max_ratio;
    /* Ticks in a second. */
    uint64_t hz = tsc_ticks_of_ns(1000000000, &d->clock);
    if (!d->max_non_turbo)
        d->max_non_turbo = (uint32_t)((hz + 50000000) / 100000000);
    if (d->max_non_turbo)
        d->cbr_khz = (uint32_t)(hz / d->max_non_turbo / 1000);
    d->cap_event_trace = m->facts->aux->event_trace != 0;
    d->one_machine = m->facts->guest_images;
}

static uint64_t period_of(const struct itrace *it, const struct tsc_conv *clock)
{
    return it->unit == ITRACE_UNIT_NS ? tsc_ticks_of_ns(it->period, clock) : it->period;
}

static void set_period(struct plan *p)
{
    const struct itrace *it = &p->opt.itrace;
    struct decode_plan *d = &p->decode;

    if (!itrace_on(it, ITRACE_ON(INSTRUCTIONS)))
        return;
    d->period_unit = it->unit == ITRACE_UNIT_INSNS ? PERIOD_INSNS : PERIOD_TICKS;
    d->period = period_of(it, &d->clock);
    if (!d->period) { /* each one */
        d->period_unit = PERIOD_INSNS;
        d->period = 1;
    }
}

/* The walker leaps to selected times, for which it needs them in ticks.  The filter
 * looks at nanoseconds once more: a tick is not a nanosecond. */
static pts_status set_ranges(struct plan *p)
{
    const struct time_ranges *t = &p->sel.time;

    for (size_t i = 0; !p->decode.timeless && i < t->r.len; i++) {
        struct flow_range *r = VEC_PUSH(&p->decode.range);
        if (!r)
            return PTS_E_NOMEM;
        struct time_range ticks = time_in_ticks(t->r.at[i], &p->decode.clock);
        *r = (struct flow_range){ticks.start, ticks.end};
    }
    return PTS_OK;
}

/* --- Events that are made --------------------------------------------------------- */

static bool has_what_it_needs(const struct making *m, const struct made_row *row,
                              const struct evl_event *pt)
{
    switch (row->needs) {
    case MADE_NEEDS_NOTHING:
        return true;
    case MADE_NEEDS_PWR_EVT:
        return pt->attr.config & CFG_PWR_EVT;
    case MADE_NEEDS_EVENT_TRACE:
        return pt->attr.config & CFG_EVENT;
    case MADE_NEEDS_CAP_EVENT_TRACE:
        return m->plan->decode.cap_event_trace;
    }
    return false;
}

/* A made event cannot be printed. */
static pts_status made_failed(struct making *m, enum made_event made)
{
    char words[80];

    snprintf(words, sizeof(words),
             "intel_pt_synth_event: failed to synthesize '%s' event type\n",
             made_row(made)->name);
    const struct bad_record r = {PTS_RECORD_AUXTRACE_INFO, m->facts->aux_size,
                                 m->facts->aux_off, words};
    return plan_bad_record(m, &r);
}

static pts_status check_made(struct making *m)
{
    const struct wants *w = m->wants;
    struct plan *p = m->plan;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < MADE_EVENTS; i++) {
        if (p->made.event[i] == EVL_NONE || !w->check_event)
            continue;
        st = w->check_event(w->ctx, &p->evl, p->made.event[i], p->chains_shown, m->why);
        if (st == PTS_E_RANGE)
            return made_failed(m, (enum made_event)i);
    }
    return st;
}

/* The first event with a trace; EVL_NONE. */
static uint32_t traced_event(const struct making *m)
{
    const struct evlist *l = &m->plan->evl;

    for (size_t i = 0; i < l->ev.len; i++)
        if (is_traced(m, &l->ev.at[i]) && l->ev.at[i].has_id)
            return (uint32_t)i;
    return EVL_NONE;
}

static pts_status list_events(struct making *m, uint32_t pt)
{
    struct plan *p = m->plan;
    const struct itrace *it = &p->opt.itrace;
    const struct made_how how = {
        .timeless = p->decode.timeless,
        .per_cpu = m->facts->aux->per_cpu,
        .chains = itrace_on(it, ITRACE_ON(CALLCHAIN)),
        .branch_stacks = itrace_on(it, ITRACE_ON(BRSTACK)),
        .period = period_of(it, &p->decode.clock),
    };

    for (int i = 0; i < MADE_EVENTS; i++) {
        const struct made_row *row = made_row((enum made_event)i);
        p->made.listed[i] =
            itrace_on(it, row->letter) && has_what_it_needs(m, row, &p->evl.ev.at[pt]);
    }
    pts_status st = made_list(&p->made, &p->evl, pt, &how);
    if (st == PTS_OK)
        st = check_made(m);
    made_name_all(&p->made, &p->evl);
    return st;
}

/* Samples are made by the letter alone, also of packets that the recorded configuration
 * does not have; but perf looks at most letters only where there is a traced event. */
static pts_status make_events(struct making *m)
{
    struct plan *p = m->plan;
    uint32_t pt = traced_event(m);
    pts_status st = pt == EVL_NONE ? PTS_OK : list_events(m, pt);

    for (int i = 0; i < MADE_EVENTS; i++) {
        uint32_t letter = made_row((enum made_event)i)->letter;
        if (itrace_on(&p->opt.itrace, letter) &&
            (pt != EVL_NONE || letter == ITRACE_ON(INTR)))
            made_deliver(&p->made, (enum made_event)i);
    }
    return st;
}

static bool is_by_trace(const struct evl_event *e)
{
    return e->attr.flags & PTS_ATTR_AUX_OUTPUT && e->has_id;
}

static void set_pebs(struct making *m)
{
    const struct evlist *l = &m->plan->evl;
    struct pebs_plan *pebs = &m->plan->pebs;
    uint32_t count = 0;

    pebs->cpuid = m->facts->cpuid;
    for (size_t i = 0; i < l->ev.len; i++)
        if (is_by_trace(&l->ev.at[i]) && !count++)
            pebs->event = (uint32_t)i;
    pebs->single = count == 1;
}

/* --- What the decoder is to look for ---------------------------------------------- */

/* Branches that somebody looks at: those that the branch filter lets through, and for call
 * stacks calls and returns.  Last branches are any. */
static uint32_t wanted_classes(const struct plan *p)
{
    static const uint32_t calls =
        1u << INSN_CALL | 1u << INSN_INT | 1u << INSN_SYSCALL | 1u << INSN_VMENTRY;
    static const uint32_t returns =
        1u << INSN_RET | 1u << INSN_IRET | 1u << INSN_SYSRET;

    bool all = p->made.events & EV_BRANCH && !p->branch_filter;
    if (all || p->stack.last_branches || p->opt.itrace.skip)
        return UINT32_MAX;
    return (p->stack.any || p->branch_filter & PTS_FLAG_CALL ? calls : 0) |
           (p->stack.any || p->branch_filter & PTS_FLAG_RETURN ? returns : 0);
}

static bool is_wanted(const struct making *m, enum want what)
{
    const struct wants *w = m->wants;
    uint32_t want =
        w->of_class(w->ctx, CLASS_HARDWARE) | w->of_class(w->ctx, CLASS_SYNTH);

    for (int class = 0; m->plan->pebs.event != EVL_NONE && class < CLASSES; class ++)
        want |= w->of_class(w->ctx, (enum out_class) class);
    return want & what;
}

/* What leads to nothing is not asked for, since the walker goes much faster where
 * nobody looks at branches. */
static void set_wanted_events(struct making *m)
{
    struct plan *p = m->plan;
    struct decode_plan *d = &p->decode;

    d->want_classes = wanted_classes(p);
    d->net_calls = p->stack.at_made && !(p->made.events & EV_BRANCH);
    d->last_branches = p->stack.last_branches;
    d->insn_bytes = is_wanted(m, WANT_CODE);
    d->cycles = is_wanted(m, WANT_CYCLES);
    d->events = p->made.events;
    if (p->stack.any)
        d->events |= EV_BRANCH;
    if (d->events & EV_BRANCH)
        d->events |= EV_TRACE_BEGIN | EV_TRACE_END;
    if (p->pebs.event != EVL_NONE)
        d->events |= EV_BLOCK;
    if (itrace_on(&p->opt.itrace, ITRACE_ON(ERRORS)))
        d->events |= EV_ERROR;
    if (p->opt.itrace.skip && d->events & EV_CBR) {
        /* a delayed cbr comes with whatever is next */
        d->events = UINT32_MAX;
        d->want_classes = UINT32_MAX;
        d->net_calls = false;
    }
}

/* perf looks when it comes to the trace, also if it only dumps it. */
static void set_config(struct making *m)
{
    struct plan *p = m->plan;
    struct config config;

    config_read(m->facts->config, m->facts->config_count, p->opt.message,
                p->opt.message_ctx, &config);
    p->decode.max_loops = config.max_loops;
    p->decode.log_size = config.log_size;
    p->stack.mispredicted = config.mispred_all;
}

static bool is_switch(const struct making *m, const struct evl_event *e)
{
    return m->facts->aux->have_sched_switch == AUX_SWITCHES_TRACEPOINT
               ? e->name && strcmp(e->name, "sched:sched_switch") == 0
               : e->attr.flags & PTS_ATTR_CONTEXT_SWITCH;
}

/* perf uses no trace whose switches no event can tell; whoever dumps it, or does not look at it
 * at all, does not notice. */
static pts_status check_switches(struct making *m)
{
    const struct evlist *l = &m->plan->evl;
    uint32_t how = m->facts->aux->have_sched_switch;
    bool found = how != AUX_SWITCHES_TRACEPOINT && how != AUX_SWITCHES_OWN;

    if (!m->plan->decode.on && !m->wants->check_event)
        return PTS_OK;
    for (size_t i = 0; !found && i < l->ev.len; i++)
        found = is_switch(m, &l->ev.at[i]);
    const struct bad_record r = {
        PTS_RECORD_AUXTRACE_INFO, m->facts->aux_size, m->facts->aux_off,
        how == AUX_SWITCHES_TRACEPOINT
            ? "intel_pt_process_auxtrace_info: missing sched_switch event\n"
            : "intel_pt_process_auxtrace_info: missing context_switch attribute "
              "flag\n"};
    return found || m->plan->opt.dump || m->plan->opt.dump_unsorted
               ? PTS_OK
               : plan_bad_record(m, &r);
}

pts_status plan_trace(struct making *m)
{
    struct plan *p = m->plan;
    const struct itrace *it = &p->opt.itrace;

    if (m->facts->aux)
        set_config(m);
    p->has_trace = m->facts->aux && !p->opt.dump && !p->opt.dump_unsorted;
    p->trace_type = p->has_trace ? m->facts->aux->pmu_type : 0;
    p->decode.on = m->facts->aux && !it->dont_decode;
    if (!p->decode.on && !p->has_trace)
        return PTS_OK;
    if (itrace_on(it, ITRACE_ON(OTHER)))
        set_pebs(m);
    if (itrace_on(it, ITRACE_ON(CALLS)))
        p->branch_filter |= PTS_FLAG_CALL | PTS_FLAG_ASYNC | PTS_FLAG_TRACE_END;
    if (itrace_on(it, ITRACE_ON(RETURNS)))
        p->branch_filter |= PTS_FLAG_RETURN | PTS_FLAG_TRACE_BEGIN;
    p->decode.approx_ipc = itrace_on(it, ITRACE_ON(APPROX_IPC));
    p->decode.quick = it->quick;
    p->decode.strict = p->opt.strict_pt;
    if (itrace_on(it, ITRACE_ON(ADD_CALLCHAIN)))
        evl_add_chains(&p->evl);
    p->chains_shown |= itrace_on(it, ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN));
    set_clock(m);
    set_period(p);
    pts_status st = check_switches(m);
    if (st == PTS_OK)
        st = set_ranges(p);
    if (st == PTS_OK && p->has_trace) /* a dump makes none */
        st = make_events(m);
    set_wanted_events(m);
    return st;
}
