/* run_open.c - beginning and ending a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order in which things are made is the order in which they depend on each other:
 *
 *     view      the records in order, who ran where     look_around
 *     places    what lies at addresses                  find_code
 *     plan      what is to be done                      plan_new
 *     delivery, maker, the sink                         employ
 *     queues    only if the trace is decoded            queues_open
 *
 * A dump shows packets as they are, and makes no queues.
 */
#include "synth/run/run.h"

#include "decoder/base/diag.h"
#include "decoder/pt/strict.h"
#include "synth/run/windows.h"

#include <stdlib.h>

/* Whether instructions are not those that perf 6.1 sees: later processors have more. */
static bool is_by_manual(const struct pts_session *s, const struct options *o)
{
    return o->strict_pt || pt_is_later(perf_feat_string(s->file, PTS_FEAT_CPUID));
}

static pts_status find_code(struct run *r, const struct options *o)
{
    const struct resolve_opts opts = {
        .syms = {.files = r->session->files,
                 .demangle = o->demangle,
                 .demangle_kernel = o->demangle_kernel,
                 .params = o->verbose,
                 .force = r->session->opts.force},
        .full_source_path = o->full_source_path,
        .kernel_path = o->show_kernel_path,
        .bare = r->session->file->raw,
    };
    pts_status st = code_store_new(r->view.sb, r->session->images, &r->codes);

    if (st < 0)
        return st;
    if (is_by_manual(r->session, o))
        code_store_by_manual(r->codes);
    return resolve_base_new(r->view.sb, r->codes, &opts, &r->places);
}

static pts_status look_around(struct run *r, const struct options *o,
                              struct pts_diag *why)
{
    struct pts_session *s = r->session;
    pts_status st = session_prepare(s, why);

    if (st >= 0)
        st = view_open(&r->view, s, o, why);
    if (st < 0)
        return st;
    /* After the walk over all records, since some of what is odd shows only there. */
    perf_file_report(s->file, o->quiet, s->opts.message, s->opts.message_ctx);
    st = find_code(r, o);
    return st < 0 ? diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st)) : PTS_OK;
}

pts_status run_new(struct pts_session *s, const struct options *o, struct run **out,
                   struct pts_diag *why)
{
    struct run *r = mem_zalloc(1, sizeof(*r));

    if (!r)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    r->session = s;
    r->counts.trace_at = NO_TRACE;
    pts_status st = look_around(r, o, why);
    if (st < 0) {
        run_free(r);
        return st;
    }
    *out = r;
    return PTS_OK;
}

void run_free(struct run *r)
{
    if (!r)
        return;
    queues_close(&r->queues);
    maker_free(r->maker);
    dlfilter_close(r->dlfilter);
    decode_log_free(&r->log);
    delivery_free(&r->delivery);
    resolve_free(r->ahead);
    deferred_free(&r->deferred);
    unwinding_free(r->recorded.unwinding);
    VEC_FREE(&r->recorded.chain);
    VEC_FREE(&r->recorded.branches);
    mem_free(r->missing_told);
    as_view_free(r->looking);
    plan_free(r->plan);
    resolve_base_free(r->places);
    code_store_free(r->codes);
    view_close(&r->view);
    arena_free(&r->arena);
    mem_free(r);
}

/* How many branches the processor keeps; a word of its PMU's capabilities. */
static uint32_t branch_registers(const struct perf_file *f)
{
    struct pts_feature_iter it = perf_feature_begin(f, PTS_FEAT_CPU_PMU_CAPS);
    struct pts_feature_item item;
    uint32_t n = 0;

    while (pts_feature_next(&it, &item) == PTS_OK)
        if (item.kind == PTS_ITEM_CAP && strcmp(item.u.cap.name, "branches") == 0)
            n = (uint32_t)strtoul(item.u.cap.value, NULL, 10);
    return n;
}

/* guests: whether some are shown. */
static struct plan_facts facts_of(const struct pts_session *s, bool guests)
{
    const struct perf_file *f = s->file;
    struct plan_facts facts = {
        .attr = s->attrs.at,
        .attr_count = s->attrs.len,
        .pipe = f->pipe,
        .aux = s->has_pt ? &s->info : NULL,
        .aux_off = perf_file_shown(f, f->data.info_off).off,
        .aux_size = s->info_size,
        .cpuid = perf_feat_string(f, PTS_FEAT_CPUID),
        .config = s->opts.config,
        .config_count = s->opts.config_count,
    };
    uint32_t online;

    facts.branch_registers = branch_registers(f);
    facts.guest_images = f->bare.images;
    facts.samples = f->data.samples;
    facts.guests = guests;
    perf_feat_nrcpus(f, &facts.cpus_available, &online);
    if (f->raw) /* not known */
        facts.cpus_available = SEL_CPUS;
    perf_feat_sample_time(f, &facts.first_sample, &facts.last_sample);
    return facts;
}

bool run_lists_fit(const struct pts_session *s, const struct options *o)
{
    const struct plan_facts facts = facts_of(s, false);

    return plan_lists_fit(&facts, o);
}

/* It is shown samples before anybody else. */
static pts_status filter_load(struct run *r, struct pts_diag *why)
{
    const struct dlfilter_scene scene = {r->session->file, r->plan,
                                         resolve_lookup(r->ahead)};
    pts_status st = dlfilter_open(&scene, &r->dlfilter, why);

    if (st == PTS_OK)
        r->delivery.gate = dlfilter_gate(r->dlfilter);
    return st;
}

/* Whoever works on the plan. */
static pts_status employ(struct run *r, struct pts_diag *why)
{
    const struct plan *p = r->plan;
    const struct scene scene = {r->session->file, r->view.order, r->view.sb, p,
                                r->places,        run_looks_at,  r};
    /* Filters ask for names before the sink does; they have a resolver of their own, as
     * asking changes what it keeps for its caller (the last text). */
    pts_status st =
        p->filtering || p->opt.dlfilter ? resolve_new(r->places, &r->ahead) : PTS_OK;

    if (st == PTS_OK)
        st = delivery_init(&r->delivery, p, r->ahead ? resolve_lookup(r->ahead) : NULL);
    if (st == PTS_OK && p->opt.dlfilter) {
        st = filter_load(r, why);
        if (st < 0)
            return st;
    }
    r->dumping = p->opt.dump || p->opt.dump_unsorted;
    r->delivery.hidden_too = r->dumping;
    if (st == PTS_OK && p->decode.on && !r->dumping) {
        st = as_view_new(r->view.sb, &r->looking);
        r->delivery.without_insn =
            p->opt.unseen || p->opt.code_unseen || p->opt.scripted ? NULL
                                                                   : run_looks_at;
        r->delivery.ctx = r;
    }
    if (st == PTS_OK)
        st = maker_new(p, &r->delivery, &r->maker);
    diag_set(why, PTS_OK, UINT64_MAX, "%s",
             ""); /* a sink may say why it cannot begin */
    if (st == PTS_OK && r->sink.begin)
        st = r->sink.begin(r->sink.wants.ctx, &scene);
    if (st == PTS_OK && r->sink.series)
        r->delivery.series = r->sink.series(r->sink.wants.ctx);
    if (st < 0 && why && why->text[0])
        return st;
    return st < 0 ? diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st)) : PTS_OK;
}

/* Those who follow the queues can do more. */
static pts_status get_help(struct run *r, bool parts, struct pts_diag *why)
{
    struct crew *crew = r->queues.team.relay.crew;

    if (!crew || !parts)
        return PTS_OK;
    pts_status st = r->sink.employ(r->sink.wants.ctx, crew);
    r->helped = st >= 0;
    return st < 0 ? diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st)) : PTS_OK;
}

void run_nothing(struct run *r)
{
    r->finished = true;
    r->filled = PTS_END;
}

pts_status run_plan(struct run *r, const struct options *o, const struct sink *sink,
                    struct plan_failed *failed, struct pts_diag *why)
{
    const struct pts_open_opts *open = &r->session->opts;
    const struct plan_facts facts = facts_of(r->session, sb_guests_shown(r->view.sb));

    r->sink = *sink;
    pts_status st = plan_new(&facts, o, &r->sink.wants, &r->plan, failed, why);
    if (st == PTS_END) { /* perf has nothing to say either */
        run_nothing(r);
        return PTS_OK;
    }
    if (st == PTS_OK)
        st = employ(r, why);
    if (st == PTS_OK && r->plan->opt.index) /* it is of use at once */
        st = windows_keep(r->session, why);
    if (st < 0 || r->dumping || !r->plan->decode.on)
        return st;
    if (!o->quiet)
        perf_file_warn_pipe(r->session->file, open->message, open->message_ctx);
    decode_log_open(&r->log, r->plan);
    r->queues.log = r->log.on ? &r->log : NULL;
    const bool parts = r->sink.parts && r->sink.parts(r->sink.wants.ctx);
    const struct queues_from from = {r->session, r->plan, r->view.sb, r->codes, parts};
    st = queues_open(&r->queues, &from, why);
    return st < 0 ? st : get_help(r, parts, why);
}
