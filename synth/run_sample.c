/* run_sample.c - recorded samples on their way to be printed.
 *
 * SPDX-License-Identifier: MIT
 *
 * A sample that read counters (PERF_SAMPLE_READ) stands for one sample of each counter
 * that moved since it was read last, with what it moved by as its period.
 */
#include "synth/run.h"

struct sample run_sample_of(const struct pts_stream *r, const struct perf_rec *rec)
{
    const struct pts_sample_id *id = &rec->id;
    return (struct sample){
        .who = {.pid = id->pid,
                .tid = id->tid,
                .cpu = (int32_t)id->cpu,
                .thread = SB_NONE,
                .epoch = r->epoch,
                .space = r->epoch},
        .time = id->time == UINT64_MAX ? 0 : id->time,
        .event = rec->evsel,
        .misc = rec->misc,
        .cpumode = rec->misc & PERF_MISC_CPUMODE
    };
}

/* What the dump says of a sample in front of its line. */
static void dump_where(struct pts_stream *r, const struct sample *s, struct text *t)
{
    const struct lookup *look = resolve_lookup(r->resolve);
    struct place at;

    look->place(look->ctx, &s->who, s->cpumode, s->ip, &at);
    if (!at.dso_path && (s->cpumode == CPUMODE_USER || s->cpumode == CPUMODE_KERNEL))
        at.dso_path = "<not found>";
    text_fmt(t, " ... thread: %s:%d\n ...... dso: %s\n", look->comm(look->ctx, &s->who),
             s->who.tid, at.dso_path ? at.dso_path : "[hypervisor]");
}

/* p: as recorded; s: the same for the event that it counts for. */
static pts_status deliver(struct pts_stream *r, struct sample *s,
                          const struct pts_sample *p, struct text *t)
{
    struct sample_stacks stacks;
    pts_status st =
        run_stacks(r, &r->session->file->evsel.at[s->event].attr, p, &stacks);

    if (st == PTS_OK && synth_unwinds(r->synth))
        st = run_unwind(r, &r->session->file->evsel.at[s->event].attr, p, &s->who,
                        &stacks);
    if (st < 0)
        return st;
    s->stacks = &stacks;
    if (r->dumping && synth_sample_in_time(r->synth, s))
        dump_where(r, s, t);
    st = synth_sample(r->synth, s, t);
    s->stacks = NULL;
    return st;
}

/* One counter's value: as a sample of its event, unless it stood still. */
static pts_status deliver_value(struct pts_stream *r, struct sample *s,
                                const struct pts_sample *p, const struct pts_value *v,
                                struct text *t)
{
    const struct perf_file *f = r->session->file;
    const struct pts_counter *id = perf_file_id(f, v->id);

    if (!id) {
        r->counts.unknown_ids++;
        return PTS_OK;
    }
    uint64_t *last = &r->last_value[id - f->id.at];
    s->event = id->event;
    s->period = v->value - *last;
    *last = v->value;
    return s->period ? deliver(r, s, p, t) : PTS_OK;
}

static pts_status deliver_read(struct pts_stream *r, struct sample *s,
                               const struct pts_sample *p, struct text *t)
{
    pts_status st = PTS_OK;

    if (!r->last_value)
        r->last_value =
            arena_alloc(&r->arena, r->session->file->id.len * sizeof(*r->last_value));
    if (!r->last_value)
        return PTS_E_NOMEM;
    for (uint64_t i = 0; st >= 0 && i < p->read.count; i++) {
        struct pts_value value = pts_value_at(&p->read, i);
        st = deliver_value(r, s, p, &value, t);
    }
    return st;
}

pts_status run_sample(struct pts_stream *r, const struct perf_rec *rec,
                      const struct pts_sample *p, struct text *t)
{
    struct sample s = run_sample_of(r, rec);
    struct sample_more more = {.weight = p->weight,
                               .ins_lat = p->ins_lat,
                               .phys_addr = p->phys_addr,
                               .data_page_size = p->data_page_size,
                               .code_page_size = p->code_page_size,
                               .data_src = p->data_src,
                               .iregs = p->intr,
                               .uregs = p->user};

    /* the record itself makes its thread known */
    s.who.epoch = s.who.space = r->epoch + 1;
    s.who.thread = sb_thread(r->sb, s.who.pid, s.who.tid, s.who.epoch);
    s.ip = p->ip;
    s.addr = p->addr;
    s.period = p->period;
    s.raw = (struct raw_bytes){p->raw.ptr, (uint32_t)p->raw.len};
    s.more = &more;
    if (p->type & PERF_SAMPLE_READ && p->read.format & PERF_READ_ID)
        return deliver_read(r, &s, p, t);
    return deliver(r, &s, p, t);
}
