/* synth.c - a run is set up.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order of the checks is perf's, so that of several mistakes the same one is
 * reported.
 */
#include "synth/synth.h"

#include "decoder/diag.h"
#include "synth/synth_state.h"

#include <stdio.h>

pts_status synth_record_failed(struct synth *s, const struct synth_setup *u,
                               const struct failed_record *r, struct pts_diag *why)
{
    char text[sizeof(why->text) + 80];

    snprintf(text, sizeof(text), "%s\n%s", why->text, r->words);
    if (s->opt.message)
        s->opt.message(s->opt.message_ctx, PTS_MSG_WARNING, text);
    if (u->failed_at)
        *u->failed_at = r->off;
    return diag_set(why, PTS_E_RANGE, UINT64_MAX,
                    "%#llx [%#x]: failed to process type: %u%s",
                    (unsigned long long)r->off, (unsigned)r->size, (unsigned)r->type,
                    u->pipe ? "" : " [Invalid argument]");
}

static pts_status attr_failed(struct synth *s, const struct synth_setup *u,
                              const struct evl_attr *a, struct pts_diag *why)
{
    const struct failed_record r = {PERF_REC_HEADER_ATTR, a->record_size, a->record_off,
                                    ""};
    return synth_record_failed(s, u, &r, why);
}

static pts_status add_attrs(struct synth *s, const struct synth_setup *u,
                            struct pts_diag *why)
{
    pts_status st = PTS_OK;
    struct fields_check check = u->check;

    check.chains = s->chains_shown = u->pipe && !s->opt.hide_call_graph;
    for (size_t i = 0; st == PTS_OK && i < u->attr_count; i++) {
        st = evl_add(&s->evl, &u->attr[i]);
        if (st == PTS_OK && u->pipe)
            st = fields_check_made(&s->opt.fields, &s->evl, (uint32_t)i, &check, why);
        if (st == PTS_E_RANGE)
            return attr_failed(s, u, &u->attr[i], why);
        if (st == PTS_OK && s->evl.ev.at[i].has_chain)
            s->chains_shown = !s->opt.hide_call_graph;
    }
    return st;
}

static pts_status set_lists(struct synth *s, struct pts_diag *why)
{
    const struct options *o = &s->opt;
    struct select *sel = &s->sel;
    pts_status st = PTS_OK;

    if (o->dsos)
        st = select_names(sel, &sel->dsos, o->dsos, "dso", why);
    if (st == PTS_OK && o->stop_bt)
        st = select_names(sel, &sel->stop_bt, o->stop_bt, "symbol", why);
    if (st == PTS_OK && o->comms)
        st = select_names(sel, &sel->comms, o->comms, "comm", why);
    if (st == PTS_OK && o->pids)
        st = select_numbers(sel, &sel->pids, o->pids, "pid", why);
    if (st == PTS_OK && o->tids)
        st = select_numbers(sel, &sel->tids, o->tids, "tid", why);
    if (st == PTS_OK && o->symbols)
        st = select_symbols(sel, o->symbols, why);
    sel->addr_range = o->addr_range > 0 ? (uint64_t)o->addr_range : 0;
    return st;
}

/* Every class must say the cpu when cpus are selected. */
static pts_status set_cpus(struct synth *s, uint32_t available, struct pts_diag *why)
{
    for (int class = 0; class < ATTR_KERNEL_TYPES; class ++) {
        uint32_t i = evl_first_of(&s->evl, (enum out_class) class);
        if (i != EVL_NONE && !(s->evl.ev.at[i].attr.sample_type & PERF_SAMPLE_CPU))
            return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                            "File does not contain CPU events. Remove -C option to "
                            "proceed.");
    }
    pts_status st = cpus_parse(&s->sel.cpus, s->opt.cpu, available, why);
    if (s->sel.cpus.beyond && s->opt.message)
        s->opt.message(s->opt.message_ctx, PTS_MSG_WARNING,
                       "Perf can support 2048 CPUs. Consider raising MAX_NR_CPUS\n");
    return st;
}

/* Whether printing a recorded chain takes more than reading it. */
static bool is_unwound(const struct synth *s, const struct evl_event *e)
{
    static const uint64_t dump = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    uint64_t type = e->attr.sample_type;

    return type & PERF_SAMPLE_CALLCHAIN && !evl_is_dummy(e) &&
           s->opt.fields.of[e->class].on & F_(IP) && (type & dump) == dump;
}

static pts_status check_supported(struct synth *s, const struct synth_setup *u,
                                  struct pts_diag *why)
{
    const char *word = fields_unsupported(&s->opt.fields, &s->evl, &u->check);

    if (word)
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "the field %s is not supported yet", word);
    s->unwinds = false;
    for (size_t i = 0; s->chains_shown && i < u->attr_count; i++) {
        s->unwinds |= is_unwound(s, &s->evl.ev.at[i]);
    }
    return PTS_OK;
}

/* perf ends with success when a list cannot be parsed. */
static pts_status end_quietly(struct synth *s, struct pts_diag *why)
{
    char text[sizeof(why->text) + 1];

    snprintf(text, sizeof(text), "%s\n", why->text);
    if (s->opt.message)
        s->opt.message(s->opt.message_ctx, PTS_MSG_WARNING, text);
    return PTS_END;
}

/* Of a pipe perf looks at options before it has read anything: there are no events and
 * no CPUs yet. */
static pts_status setup_all(struct synth *s, const struct synth_setup *u,
                            struct pts_diag *why)
{
    struct itrace *it = &s->opt.itrace;
    struct time_base base = {u->first_sample, u->last_sample, s->opt.reltime};
    pts_status st = u->pipe ? PTS_OK : add_attrs(s, u, why);

    if (st < 0)
        return st;
    if (u->aux && !it->dont_decode && itrace_unsupported(it))
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "--itrace: the letter %c is not supported yet",
                        itrace_unsupported(it));
    st = set_lists(s, why);
    if (st == PTS_E_RANGE)
        return end_quietly(s, why);
    if (st == PTS_OK && s->opt.cpu)
        st = set_cpus(s, u->pipe ? 0 : u->cpus_available, why);
    s->needs.cpus = &s->sel.cpus;
    if (st == PTS_OK && u->pipe && s->opt.time)
        st = time_parse(&s->sel.time, s->opt.time, &base, why);
    if (st == PTS_OK && u->pipe)
        st = add_attrs(s, u, why);
    if (st < 0)
        return st;
    stacks_plan(s, trace_has_kernel(s, u));
    if (st == PTS_OK && !u->pipe)
        st = fields_check_all(&s->opt.fields, &s->evl, &u->check, why);
    if (st == PTS_OK && !u->pipe && s->opt.time)
        st = time_parse(&s->sel.time, s->opt.time, &base, why);
    if (!it->set)
        itrace_default(it);
    if (st == PTS_OK)
        st = trace_plan(s, u, why);
    return st == PTS_OK ? check_supported(s, u, why) : st;
}

bool synth_unwinds(const struct synth *s)
{
    return s->unwinds;
}

uint64_t synth_max_stack(const struct synth *s)
{
    const struct itrace *it = &s->opt.itrace;
    uint64_t most = (uint64_t)s->opt.max_stack;

    if (itrace_on(it, ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN)) &&
        it->callchain_size > most)
        most = it->callchain_size;
    return most;
}

pts_status synth_new(const struct synth_setup *u, struct synth **out,
                     struct pts_diag *why)
{
    struct pts_diag own;
    struct synth *s = mem_zalloc(1, sizeof(*s));

    if (!s)
        return PTS_E_NOMEM;
    s->opt = *u->options;
    s->look = *u->look;
    for (size_t i = 0; i < MADE_EVENTS; i++)
        s->made[i] = EVL_NONE;
    s->needs.pt_event = EVL_NONE;
    s->pebs_event = EVL_NONE;
    pts_status st = setup_all(s, u, why ? why : &own);
    struct out_opts oo = {.ns = s->opt.ns,
                          .latency = s->opt.latency,
                          .reltime = s->opt.reltime,
                          .deltatime = s->opt.deltatime,
                          .native = u->native,
                          .xed = s->opt.xed,
                          .pad_dso = s->opt.pad_dso,
                          .chains = s->chains_shown,
                          .inlined = s->opt.inline_names,
                          .max_stack = synth_max_stack(s),
                          .max_blocks = (uint64_t)s->opt.max_blocks,
                          .stop_bt = s->opt.stop_bt ? &s->sel.stop_bt : NULL,
                          .tracepoints = u->tracepoints,
                          .has_clock = u->check.has_clock,
                          .clockid_ns = u->clockid_ns,
                          .tod_ns = u->tod_ns};
    if (st == PTS_OK)
        st = out_perf_new(&s->opt.fields, &s->evl, &s->look, &oo, &s->out);
    if (st != PTS_OK) {
        synth_free(s);
        return st;
    }
    s->filtering = s->sel.time.r.len || s->sel.cpus.on || select_threads(&s->sel) ||
                   select_places(&s->sel) || s->opt.graph_function;
    *out = s;
    return PTS_OK;
}

void synth_free(struct synth *s)
{
    if (!s)
        return;
    evl_free(&s->evl);
    select_free(&s->sel);
    VEC_FREE(&s->ticks);
    VEC_FREE(&s->queue);
    chain_free(&s->chains);
    out_perf_free(s->out);
    mem_free(s);
}

const struct synth_needs *synth_needs(const struct synth *s)
{
    return &s->needs;
}

const struct evlist *synth_evlist(const struct synth *s)
{
    return &s->evl;
}

const struct options *synth_options(const struct synth *s)
{
    return &s->opt;
}

uint64_t synth_made(const struct synth *s)
{
    return s->made_count;
}
