/* recorded.c - the samples that a record stands for.
 *
 * SPDX-License-Identifier: MIT
 *
 * Mostly it is one; but a sample that read counters (PTS_SAMPLE_READ) stands for one of
 * each counter that moved since it was read last, with what it moved by as its period.
 */
#include "synth/run/run.h"

#include "synth/sample/guest.h"

/* p: as recorded; s: the same for the event that it counts for. */
static pts_status deliver_one(struct run *r, const struct sample *s,
                              const struct pts_sample *p)
{
    const struct pts_attr *a = &r->session->file->evsel.at[s->event].attr;
    struct sample *room = batch_room(&r->delivery.batch);
    struct sample_stacks stacks;
    pts_status st = room ? recorded_stacks(r, a, p, &stacks) : PTS_E_NOMEM;

    if (st == PTS_OK && r->plan->unwinds)
        st = recorded_unwind(r, a, p, &s->who, &stacks);
    if (st < 0)
        return st;
    *room = *s;
    room->stacks = &stacks; /* until it is copied */
    return deliver(&r->delivery, room, SAMPLE_RECORDED);
}

/* Of each counter's value the id is its own. */
static pts_status set_id(struct run *r, struct sample *s, uint64_t id)
{
    struct sample_more more = *s->more;

    if (more.id == id)
        return PTS_OK;
    more.id = id;
    s->more = batch_keep(&r->delivery.batch, &more, sizeof(more));
    return s->more ? PTS_OK : PTS_E_NOMEM;
}

/* One counter's value: as a sample of its event, unless it stood still. */
static pts_status deliver_value(struct run *r, struct sample *s,
                                const struct pts_sample *p, const struct pts_value *v)
{
    const struct perf_file *f = r->session->file;
    const struct pts_counter *id = perf_file_id(f, v->id);

    if (!id) {
        r->counts.unknown_ids++;
        return PTS_OK;
    }
    uint64_t *last = &r->recorded.last_value[id - f->ids.counter.at];
    s->event = id->event;
    s->period = v->value - *last;
    *last = v->value;
    pts_status st = s->period ? set_id(r, s, v->id) : PTS_OK;
    return st == PTS_OK && s->period ? deliver_one(r, s, p) : st;
}

static pts_status deliver_read(struct run *r, struct sample *s,
                               const struct pts_sample *p)
{
    struct recorded *rd = &r->recorded;
    pts_status st = PTS_OK;

    if (!rd->last_value)
        rd->last_value = arena_alloc(&r->arena, r->session->file->ids.counter.len *
                                                    sizeof(*rd->last_value));
    if (!rd->last_value)
        return PTS_E_NOMEM;
    for (uint64_t i = 0; st >= 0 && i < p->read.count; i++) {
        struct pts_value value = pts_value_at(&p->read, i);
        st = deliver_value(r, s, p, &value);
    }
    return st;
}

pts_status run_sample(struct run *r, const struct record *rec)
{
    const struct pts_sample *p = &rec->u.sample;
    const struct sample_more more = {.weight = p->weight,
                                     .ins_lat = p->ins_lat,
                                     .phys_addr = p->phys_addr,
                                     .data_page_size = p->data_page_size,
                                     .code_page_size = p->code_page_size,
                                     .data_src = p->data_src,
                                     .id = rec->head.id.id,
                                     .stream_id = rec->head.id.stream,
                                     .transaction = p->transaction,
                                     .cgroup = p->cgroup,
                                     .read = p->read,
                                     .iregs = p->intr,
                                     .uregs = p->user};
    /* the record itself makes its thread known */
    struct sample s = sample_of_record(rec, r->epoch + 1);

    s.who.thread = sb_thread(r->view.sb, s.who.pid, s.who.tid, s.who.epoch);
    if (mode_is_guest(s.cpumode) && r->plan->guests)
        guest_record(r->view.sb,
                     &(struct guest_of){
                         perf_file_id(r->session->file, rec->head.id.id),
                         s.who.pid,
                         {s.who.pid, s.who.tid}
        },
                     &s.who);
    s.ip = p->ip;
    s.addr = p->addr;
    s.period = p->period;
    s.raw = (struct raw_bytes){p->raw.ptr, (uint32_t)p->raw.len};
    s.more = batch_keep(&r->delivery.batch, &more, sizeof(more));
    if (!s.more)
        return PTS_E_NOMEM;
    if (p->type & PTS_SAMPLE_READ && p->read.format & PTS_READ_ID)
        return deliver_read(r, &s, p);
    return deliver_one(r, &s, p);
}
