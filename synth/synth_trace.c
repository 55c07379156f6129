/* synth_trace.c - what is to be made of the trace, and what the decoder must know for
 * it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/ipflags.h"
#include "synth/synth_state.h"

#include "decoder/diag.h"
#include "walker/ild.h"

#include <stdio.h>

/* Words of priv[] (spec C1). */
enum {
    AUX_PMU_TYPE = 0,
    AUX_TIME_SHIFT = 1,
    AUX_TIME_MULT = 2,
    AUX_TIME_ZERO = 3,
    AUX_CAP_TIME_ZERO = 4,
    AUX_TSC_BIT = 5,
    AUX_PER_CPU = 9,
    AUX_MAX_NON_TURBO = 15,
    AUX_FILTER_LEN = 16,
    AUX_FILTER = 17
};

/* Bits of the traced event's config (spec A16). */
#define CFG_PWR_EVT (1ull << 4)
#define CFG_EVENT   (1ull << 31)

static uint64_t aux_word(const struct synth_setup *u, size_t i)
{
    return i < u->aux_count ? u->aux[i] : 0;
}

static bool is_traced(const struct synth_setup *u, const struct evl_event *e)
{
    return u->aux && e->attr.type == aux_word(u, AUX_PMU_TYPE);
}

bool trace_has_kernel(const struct synth *s, const struct synth_setup *u)
{
    for (size_t i = 0; i < s->evl.ev.len; i++) {
        const struct evl_event *e = &s->evl.ev.at[i];
        if (is_traced(u, e) && !(e->attr.flags & PERF_ATTR_EXCLUDE_KERNEL))
            return true;
    }
    return false;
}

static bool is_timeless(const struct synth *s, const struct synth_setup *u)
{
    uint64_t tsc_bit = aux_word(u, AUX_TSC_BIT);
    bool timeless = true;

    if (!tsc_bit || !aux_word(u, AUX_CAP_TIME_ZERO) ||
        itrace_on(&s->opt.itrace, ITRACE_ON(TIMELESS)))
        return true;
    for (size_t i = 0; i < s->evl.ev.len; i++) {
        const struct evl_event *e = &s->evl.ev.at[i];
        if (!(e->attr.sample_type & PERF_SAMPLE_TIME))
            return true;
        if (!is_traced(u, e))
            continue;
        if (!(e->attr.config & tsc_bit))
            return true;
        timeless = false;
    }
    return timeless;
}

static bool cap_event_trace(const struct synth_setup *u)
{
    uint64_t len = aux_word(u, AUX_FILTER_LEN);
    /* The filter string is NUL-terminated and padded to whole words. */
    uint64_t at = AUX_FILTER +
                  (len ? (len < u->aux_count * 8 ? (len + 8) / 8 : u->aux_count) : 0);

    return u->aux_count > AUX_FILTER_LEN && aux_word(u, at) != 0;
}

static void set_clock(struct synth *s, const struct synth_setup *u)
{
    struct synth_needs *n = &s->needs;

    n->timeless = is_timeless(s, u);
    n->conv = tsc_conv_of(aux_word(u, AUX_TIME_SHIFT), aux_word(u, AUX_TIME_MULT),
                          aux_word(u, AUX_TIME_ZERO));
    n->max_non_turbo = (uint32_t)aux_word(u, AUX_MAX_NON_TURBO);
    uint64_t hz = tsc_ticks_of_ns(1000000000, &n->conv);
    if (!n->max_non_turbo)
        n->max_non_turbo = (uint32_t)((hz + 50000000) / 100000000);
    if (n->max_non_turbo)
        n->cbr_khz = (uint32_t)(hz / n->max_non_turbo / 1000);
    n->cap_event_trace = cap_event_trace(u);
}

static void set_period(struct synth *s)
{
    const struct itrace *it = &s->opt.itrace;
    struct synth_needs *n = &s->needs;

    if (!itrace_on(it, ITRACE_ON(INSTRUCTIONS)))
        return;
    n->period_unit = it->unit == ITRACE_UNIT_INSNS ? PERIOD_INSNS : PERIOD_TICKS;
    n->period =
        it->unit == ITRACE_UNIT_NS ? tsc_ticks_of_ns(it->period, &n->conv) : it->period;
    if (!n->period) { /* each one */
        n->period_unit = PERIOD_INSNS;
        n->period = 1;
    }
}

/* Which events are made: letters, and what the recording can have. */
static struct evl_make what_to_make(const struct synth *s, const struct synth_setup *u,
                                    const struct evl_event *pt)
{
    const struct itrace *it = &s->opt.itrace;
    bool power = itrace_on(it, ITRACE_ON(POWER));
    bool power_packets = power && pt->attr.config & CFG_PWR_EVT;
    bool intr = itrace_on(it, ITRACE_ON(INTR));
    struct evl_make m = {
        .wanted = {[MADE_BRANCHES] = itrace_on(it, ITRACE_ON(BRANCHES)),
                   [MADE_INSTRUCTIONS] = itrace_on(it, ITRACE_ON(INSTRUCTIONS)),
                   [MADE_TRANSACTIONS] = itrace_on(it, ITRACE_ON(TRANSACTIONS)),
                   [MADE_PTWRITE] = itrace_on(it, ITRACE_ON(PTWRITES)),
                   [MADE_CBR] = power,
                   [MADE_PSB] = power,
                   [MADE_MWAIT] = power_packets,
                   [MADE_PWRE] = power_packets,
                   [MADE_EXSTOP] = power_packets,
                   [MADE_PWRX] = power_packets,
                   [MADE_EVT] = intr && pt->attr.config & CFG_EVENT,
                   [MADE_IFLAG] = intr && s->needs.cap_event_trace},
        .timeless = s->needs.timeless,
        .per_cpu = aux_word(u, AUX_PER_CPU) != 0,
        .chains = itrace_on(it, ITRACE_ON(CALLCHAIN)),
        .branch_stacks = itrace_on(it, ITRACE_ON(BRSTACK)),
        .period = it->unit == ITRACE_UNIT_NS
                      ? tsc_ticks_of_ns(it->period, &s->needs.conv)
                      : it->period,
    };
    return m;
}

/* Instructions that the branch filter lets through. */
static uint32_t wanted_classes(const struct synth *s)
{
    static const uint32_t calls =
        1u << INSN_CALL | 1u << INSN_INT | 1u << INSN_SYSCALL | 1u << INSN_VMENTRY;
    static const uint32_t returns =
        1u << INSN_RET | 1u << INSN_IRET | 1u << INSN_SYSRET;

    if (!s->branch_filter || s->use_stacks)
        return UINT32_MAX;
    return (s->branch_filter & IPF_CALL ? calls : 0) |
           (s->branch_filter & IPF_RETURN ? returns : 0);
}

static void set_wanted_events(struct synth *s)
{
    const struct itrace *it = &s->opt.itrace;
    uint64_t bytes = F_(INSN) | F_(DISASM);
    uint32_t ev = 0;

    s->needs.want_classes = wanted_classes(s);
    uint64_t on =
        s->opt.fields.of[CLASS_HARDWARE].on | s->opt.fields.of[CLASS_SYNTH].on;
    if (s->pebs_event != EVL_NONE) { /* of any class */
        ev |= EV_BLOCK;
        for (size_t i = 0; i < CLASSES; i++)
            on |= s->opt.fields.of[i].on;
    }
    s->needs.insn_bytes = on & bytes;

    if (s->made[MADE_BRANCHES] != EVL_NONE || s->use_stacks)
        ev |= EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END;
    if (s->made[MADE_INSTRUCTIONS] != EVL_NONE)
        ev |= EV_INSN;
    if (s->made[MADE_TRANSACTIONS] != EVL_NONE)
        ev |= EV_TX;
    if (s->made[MADE_PTWRITE] != EVL_NONE)
        ev |= EV_PTWRITE;
    if (s->made[MADE_CBR] != EVL_NONE)
        ev |= EV_CBR | EV_PSB | EV_MWAIT | EV_PWRE | EV_EXSTOP | EV_PWRX;
    if (itrace_on(it, ITRACE_ON(INTR)))
        ev |= EV_CFE | EV_IFLAG;
    if (itrace_on(it, ITRACE_ON(ERRORS)))
        ev |= EV_ERROR;
    s->needs.events = ev;
    if (it->skip && ev & EV_CBR) { /* a delayed cbr comes with whatever is next */
        s->needs.events = UINT32_MAX;
        s->needs.want_classes = UINT32_MAX;
    }
}

/* A made event cannot be printed. */
static pts_status made_failed(struct synth *s, const struct synth_setup *u,
                              enum made_event made, struct pts_diag *why)
{
    char words[80];

    snprintf(words, sizeof(words),
             "intel_pt_synth_event: failed to synthesize '%s' event type\n",
             evl_made_name(made));
    const struct failed_record r = {PERF_REC_AUXTRACE_INFO, u->aux_size, u->aux_off,
                                    words};
    return synth_record_failed(s, u, &r, why);
}

static pts_status make_events(struct synth *s, const struct synth_setup *u,
                              struct pts_diag *why)
{
    uint32_t pt = EVL_NONE;

    for (size_t i = s->evl.ev.len; i-- > 0;)
        if (is_traced(u, &s->evl.ev.at[i]) && s->evl.ev.at[i].has_id)
            pt = (uint32_t)i;
    s->needs.pt_event = pt;
    if (pt == EVL_NONE)
        return PTS_OK;
    struct evl_make m = what_to_make(s, u, &s->evl.ev.at[pt]);
    struct fields_check check = u->check;
    check.chains = s->chains_shown;
    pts_status st = evl_make(&s->evl, pt, &m, s->made);
    for (size_t i = 0; st == PTS_OK && i < MADE_EVENTS; i++)
        if (s->made[i] != EVL_NONE) {
            s->made_count++; /* perf makes a record of it */
            st = fields_check_made(&s->opt.fields, &s->evl, s->made[i], &check, why);
            if (st == PTS_E_RANGE)
                return made_failed(s, u, (enum made_event)i, why);
        }
    evl_name_made(&s->evl, s->made);
    return st;
}

static pts_status set_ranges(struct synth *s)
{
    if (s->needs.timeless)
        return PTS_OK;
    for (size_t i = 0; i < s->sel.time.r.len; i++) {
        struct flow_range *r = VEC_PUSH(&s->ticks);
        if (!r)
            return PTS_E_NOMEM;
        struct time_range ticks = time_in_ticks(s->sel.time.r.at[i], &s->needs.conv);
        *r = (struct flow_range){ticks.start, ticks.end};
    }
    s->needs.range = s->ticks.at;
    s->needs.range_count = s->ticks.len;
    return PTS_OK;
}

pts_status trace_plan(struct synth *s, const struct synth_setup *u,
                      struct pts_diag *why)
{
    const struct itrace *it = &s->opt.itrace;

    s->has_trace = u->aux && !s->opt.dump && !s->opt.dump_unsorted;
    s->needs.decode = u->aux && !it->dont_decode;
    if (!s->needs.decode && !s->has_trace)
        return PTS_OK;
    if (itrace_on(it, ITRACE_ON(OTHER)))
        pebs_plan(s, u->cpuid);
    if (itrace_on(it, ITRACE_ON(CALLS)))
        s->branch_filter |= IPF_CALL | IPF_ASYNC | IPF_TRACE_END;
    if (itrace_on(it, ITRACE_ON(RETURNS)))
        s->branch_filter |= IPF_RETURN | IPF_TRACE_BEGIN;
    s->needs.approx_ipc = itrace_on(it, ITRACE_ON(APPROX_IPC));
    s->needs.quick = it->quick;
    if (itrace_on(it, ITRACE_ON(ADD_CALLCHAIN)))
        evl_add_chains(&s->evl);
    s->chains_shown |= itrace_on(it, ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN));
    set_clock(s, u);
    set_period(s);
    pts_status st = set_ranges(s);
    if (st == PTS_OK && s->has_trace) /* a dump makes none */
        st = make_events(s, u, why);
    set_wanted_events(s);
    return st;
}
