/* export.c - a recording as rows of tables: the sink that makes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * For a sample, in this order (perf 6.1): its event, machine, main thread and that one's comm,
 * thread, the thread's comm; its number; calls that a gap in the trace ends; file and symbol where it
 * is, then those of the target; other calls that end; the sample; what its raw data say.
 */
#include "synth/export/export.h"

#include "synth/export/branch_types.h"

#include <ptscript/attr.h>
#include <ptscript/sample.h>

#include <string.h>

/* --- Samples ---------------------------------------------------------------------- */

static pts_status event_id(struct exporter *e, uint32_t event, uint32_t *id)
{
    while (e->evsel.len <= event) {
        uint32_t *at = VEC_PUSH(&e->evsel);
        if (!at)
            return PTS_E_NOMEM;
        *at = 0;
    }
    *id = e->evsel.at[event];
    if (*id)
        return PTS_OK;
    *id = e->evsel.at[event] = ++e->evsels;
    const struct export_value row[] = {EXPORT_N(*id),
                                       EXPORT_S(e->scene.plan->evl.ev.at[event].name)};
    return EXPORT_PUT(&e->to, EVSEL, row);
}

static bool same_who(const struct who *a, const struct who *b)
{
    return a->thread == b->thread && a->tid == b->tid && a->pid == b->pid &&
           a->epoch == b->epoch && a->guest == b->guest;
}

/* Sample after sample is of the same thread, of which nothing has changed. */
static pts_status ids_of(struct exporter *e, const struct who *who,
                         struct export_ids *ids)
{
    if (e->last_ids.thread && same_who(&e->last, who)) {
        *ids = e->last_ids;
        return PTS_OK;
    }
    pts_status st = export_who_ids(&e->who, who, ids);
    e->last = *who;
    e->last_ids = *ids;
    return st;
}

/* What a row of a sample refers to. */
struct refs {
    uint32_t event;
    struct export_ids who;
    struct export_at from, to;
    uint32_t call_path;
};

/* All ones for a recorded one that has none. */
static uint64_t time_of(const struct exporter *e, const struct sample *s)
{
    const struct evl_event *ev = &e->scene.plan->evl.ev.at[s->event];

    return s->recorded && !(ev->attr.sample_type & PTS_SAMPLE_TIME) ? UINT64_MAX
                                                                    : s->time;
}

static pts_status put_sample(struct exporter *e, const struct sample *s,
                             const struct refs *r)
{
    const struct sample_more *m = s->more;
    const struct export_value row[] = {
        EXPORT_N(e->samples),
        EXPORT_N(r->event),
        EXPORT_N(r->who.machine),
        EXPORT_N(r->who.thread),
        EXPORT_N(r->who.comm),
        EXPORT_N(r->from.dso_id),
        EXPORT_N(r->from.symbol_id),
        EXPORT_N(r->from.off),
        EXPORT_N(s->ip),
        EXPORT_N(time_of(e, s)),
        EXPORT_N(s->who.cpu),
        EXPORT_N(r->to.dso_id),
        EXPORT_N(r->to.symbol_id),
        EXPORT_N(r->to.off),
        EXPORT_N(s->addr),
        EXPORT_N(s->period),
        EXPORT_N(m ? m->weight : 0),
        EXPORT_N(m ? m->transaction : 0),
        EXPORT_N(m ? m->data_src : 0),
        EXPORT_N(s->flags & BRANCH_TYPE_FLAGS),
        EXPORT_N((s->flags & PTS_FLAG_IN_TX) != 0),
        EXPORT_N(r->call_path),
        EXPORT_N(s->insn_cnt),
        EXPORT_N(s->cyc_cnt),
        EXPORT_N(s->flags),
    };
    return EXPORT_PUT(&e->to, SAMPLE, row);
}

static pts_status put_synth(struct exporter *e, const struct sample *s,
                            const struct evl_event *ev)
{
    const struct export_value row[] = {
        EXPORT_N(e->samples),
        EXPORT_N(ev->attr.config),
        {.kind = EXPORT_BYTES, .len = s->raw.len, .bytes = s->raw.ptr}
    };
    return EXPORT_PUT(&e->to, SYNTH, row);
}

/* A chain that was made is that of the calls, if these are made, too. */
static pts_status take_chain(struct exporter *e, const struct sample *s, struct refs *r)
{
    uint32_t max = e->scene.plan->opt.itrace.callchain_size + 1;
    struct sample_stacks own = {.chain = e->words};
    struct sample of = *s;

    if (e->with_calls && !s->recorded && s->stacks && s->stacks->chain)
        own.chain_len =
            calls_chain(&e->calls, r->who.thread, s->who.cpu, s->ip, e->words, max);
    if (own.chain_len)
        of.stacks = &own;
    return export_chain_id(&e->chains, &of, r->who.machine, &r->call_path);
}

static struct call_place place_of(const struct export_at *at, uint64_t addr)
{
    return (struct call_place){addr, at->symbol_id, at->off};
}

static pts_status take_branch(struct exporter *e, const struct sample *s,
                              const struct refs *r)
{
    const struct call_branch b = {
        .from = place_of(&r->from, s->ip),
        .to = place_of(&r->to, s->addr),
        .sample = e->samples,
        .time = time_of(e, s),
        .insns = s->insn_cnt,
        .cycles = s->cyc_cnt,
        .flags = s->flags,
        .trace_nr = s->trace_nr,
        .len = s->insn_len,
        .thread = r->who.thread,
        .comm = r->who.comm,
        .pid = r->who.pid,
        .tid = s->who.tid,
        .cpu = s->who.cpu,
        .machine = s->who.guest,
    };
    return calls_take(&e->calls, &b);
}

static pts_status take_sample(struct exporter *e, const struct sample *s)
{
    const struct evl_event *ev = &e->scene.plan->evl.ev.at[s->event];
    struct refs r = {0};

    if (ev->attr.type == PTS_TYPE_TRACEPOINT) {
        e->unhandled++;
        return PTS_OK;
    }
    export_where_look(&e->where, &s->who, s->cpumode, s->ip, &r.from);
    if (evl_has_target(ev))
        export_where_look(&e->where, &s->who, s->cpumode | PLACE_TARGET, s->addr,
                          &r.to);
    pts_status st = event_id(e, s->event, &r.event);
    if (st == PTS_OK)
        st = ids_of(e, &s->who, &r.who);
    e->samples++;
    if (st == PTS_OK && e->with_calls && evl_has_target(ev))
        st = calls_gap(&e->calls, r.who.thread, s->who.cpu, s->trace_nr);
    if (st == PTS_OK)
        st = export_where_ids(&e->where, r.who.machine, &r.from);
    if (st == PTS_OK && e->with_chains)
        st = take_chain(e, s, &r);
    if (st == PTS_OK)
        st = export_where_ids(&e->where, r.who.machine, &r.to);
    if (st == PTS_OK && e->with_calls && evl_has_target(ev))
        st = take_branch(e, s, &r);
    if (st == PTS_OK)
        st = put_sample(e, s, &r);
    return st == PTS_OK && ev->attr.type == PTS_TYPE_SYNTH ? put_synth(e, s, ev) : st;
}

/* --- Switches of threads ---------------------------------------------------------- */

static bool is_switch(uint32_t type)
{
    return type == PTS_RECORD_SWITCH || type == PTS_RECORD_SWITCH_CPU_WIDE;
}

static pts_status put_switch(struct exporter *e, const struct record *rec,
                             const struct export_ids *out, const struct export_ids *in)
{
    enum { OUT = 1, PREEMPTED = 2 };
    uint32_t host = 0;
    bool leaves = rec->head.misc & PTS_MISC_SWITCH_OUT;
    bool preempted = leaves && rec->head.misc & PTS_MISC_SWITCH_PREEMPT;
    pts_status st = export_who_host(&e->who, &host);
    const struct export_value row[] = {
        EXPORT_N(++e->switches),
        EXPORT_N(host),
        EXPORT_N(rec->head.id.time),
        EXPORT_N((int32_t)rec->head.id.cpu),
        EXPORT_N(out->thread),
        EXPORT_N(out->comm),
        EXPORT_N(in->thread),
        EXPORT_N(in->comm),
        EXPORT_N((leaves ? OUT : 0) | (preempted ? PREEMPTED : 0)),
    };
    return st == PTS_OK ? EXPORT_PUT(&e->to, CONTEXT_SWITCH, row) : st;
}

/* Nothing of threads that nobody knows, or of one that takes turns with the idle task. */
static pts_status take_switch(struct exporter *e, const struct record *rec,
                              uint32_t epoch)
{
    struct export_ids of = {0}, other = {0};
    bool idle = false, other_idle = false;
    const struct pts_thread own = {rec->head.id.pid, rec->head.id.tid};
    uint32_t host;
    pts_status st = export_who_host(&e->who, &host);

    if (st == PTS_OK)
        st = export_who_switched(&e->who, own, epoch, &of, &idle);
    if (st == PTS_OK && record_is(rec, PTS_RECORD_SWITCH_CPU_WIDE))
        st = export_who_switched(&e->who, rec->u.thread, epoch, &other, &other_idle);
    if (st < 0 || ((!of.thread || idle) && (!other.thread || other_idle)))
        return st;
    return rec->head.misc & PTS_MISC_SWITCH_OUT ? put_switch(e, rec, &of, &other)
                                                : put_switch(e, rec, &other, &of);
}

static pts_status take_record(struct exporter *e, const struct item *item)
{
    struct record rec;

    if (record_read(e->scene.file, item->record, &rec) != PTS_OK ||
        rec.how != PTS_RECORD_WHOLE || !is_switch(rec.head.type) ||
        cpus_skip(&e->scene.plan->sel.cpus, (int32_t)rec.head.id.cpu))
        return PTS_OK;
    return take_switch(e, &rec, item->epoch + 1);
}

/* --- The sink --------------------------------------------------------------------- */

static uint32_t of_class(void *ctx, enum out_class class)
{
    const struct exporter *e = ctx;

    (void)class;
    return WANT_CYCLES | (e->with_chains ? WANT_CHAINS : 0u);
}

static bool wants_record(void *ctx, uint32_t type)
{
    (void)ctx;
    return is_switch(type);
}

static bool tells_exec(const struct perf_file *f)
{
    for (size_t i = 0; i < f->evsel.len; i++)
        if (f->evsel.at[i].attr.flags & PTS_ATTR_COMM_EXEC)
            return true;
    return false;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct exporter *e = ctx;

    e->scene = *scene;
    e->who.to = e->where.to = e->paths.to = e->calls.to = &e->to;
    e->calls.where = &e->where;
    e->calls.paths = e->chains.paths = &e->paths;
    e->chains.where = &e->where;
    e->who.scene = e->where.scene = &e->scene;
    e->who.comm_exec = tells_exec(scene->file);
    pts_status st = export_where_init(&e->where);
    if (st == PTS_OK)
        st = call_paths_init(&e->paths);
    return st == PTS_OK ? branch_types_put(&e->to) : st;
}

static pts_status take_item(struct exporter *e, const struct item *item)
{
    switch (item->kind) {
    case ITEM_SAMPLE:
        return item->sample.hidden ? PTS_OK : take_sample(e, &item->sample);
    case ITEM_RECORD:
        return take_record(e, item);
    case ITEM_SERIES: /* not asked for */
    case ITEM_ERROR:
    case ITEM_TRACE:
    case ITEM_TEXT:
        return PTS_OK;
    }
    return PTS_OK;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct exporter *e = ctx;
    pts_status st = PTS_OK;

    for (*next = from; st == PTS_OK && *next < b->item.len;)
        st = take_item(e, &b->item.at[(*next)++]);
    return st;
}

static pts_status end(void *ctx)
{
    struct exporter *e = ctx;

    return calls_end(&e->calls);
}

struct sink export_sink(struct exporter *e)
{
    return (struct sink){
        .wants = {.ctx = e, .of_class = of_class},
        .wants_record = wants_record,
        .begin = begin,
        .take = take,
        .end = end
    };
}

void export_free(struct exporter *e)
{
    export_who_free(&e->who);
    export_where_free(&e->where);
    call_paths_free(&e->paths);
    calls_free(&e->calls);
    export_chains_free(&e->chains);
    VEC_FREE(&e->evsel);
}
