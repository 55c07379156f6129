/* run.c - one run over a recording: records, queues and samples in perf's order.
 *
 * SPDX-License-Identifier: MIT
 *
 * Before a record is handled, all queues run up to its time; so records take effect at
 * the right point of the trace (spec C6).  Without usable times a queue runs when the
 * thread that it traces exits, or at the end.
 */
#include "synth/run.h"

#include "decoder/diag.h"

enum {
    TEXT_CHUNK = 64 * 1024 /* text handed out at once, about */
};

/* --- Queues --- */

/* The first record with a time makes the queues known, and their first times. */
static pts_status queues_start(struct pts_stream *r)
{
    r->started = true;
    for (uint32_t i = 0; i < r->queue_count; i++) {
        struct run_queue *q = &r->queue[i];
        pts_status st = flow_start(q->flow);
        if (st < 0)
            return st;
        if (st == PTS_OK && !r->conf.timeless)
            merge_add(r->merge, i, flow_time(q->flow));
    }
    return PTS_OK;
}

/* --- Events --- */

static const struct who *queue_who(struct pts_stream *r, struct run_queue *q)
{
    if (r->epoch != q->who.epoch || !q->known) {
        if (r->epoch >= q->until || !q->known) {
            struct sb_who w = sb_who(r->sb, q->cpu, q->tid, q->use_current, r->epoch);
            q->who = (struct who){
                .pid = w.pid, .tid = w.tid, .cpu = w.cpu, .thread = w.thread};
            if (r->by_piece) /* not where the thread was last */
                q->who.cpu = q->cpu;
            q->until = w.until;
            q->known = true;
        }
        q->who.epoch = r->epoch;
        q->who.space = r->epoch;
    }
    return &q->who;
}

/* Events up to TSC `until`.  PTS_OK: there may be more; PTS_END: all done. */
static pts_status run_events(struct pts_stream *r, uint64_t until)
{
    struct merge_event m;

    while (r->text.len < TEXT_CHUNK) {
        pts_status st = merge_next(r->merge, until, &m);
        if (st == PTS_OK && run_missing_told(r, m.ev, r->epoch))
            continue;
        if (st == PTS_OK)
            st = synth_event(r->synth, m.queue, m.ev, m.payload,
                             queue_who(r, &r->queue[m.queue]), &r->text);
        if (st != PTS_OK)
            return st;
    }
    return PTS_OK;
}

/* Timeless: the queues of a thread (-1: all), one after the other. */
static pts_status run_threads(struct pts_stream *r, int32_t tid)
{
    if (!r->started) {
        pts_status st = queues_start(r);
        if (st < 0)
            return st;
    }
    for (;;) {
        if (r->running) {
            pts_status st = run_events(r, UINT64_MAX);
            if (st != PTS_END)
                return st;
            r->running = false;
            r->queue[r->next_queue - 1].done = true;
        }
        while (r->next_queue < r->queue_count &&
               (r->queue[r->next_queue].done ||
                (tid != -1 && r->queue[r->next_queue].tid != tid)))
            r->next_queue++;
        if (r->next_queue >= r->queue_count) {
            r->next_queue = 0;
            return PTS_END;
        }
        flow_place(r->queue[r->next_queue].flow, r->epoch);
        merge_run(r->merge, r->next_queue++);
        r->running = true;
    }
}

static struct run_queue *queue_of_sample(struct pts_stream *r,
                                         const struct perf_rec *rec, uint32_t *index)
{
    const struct pts_counter *from = perf_file_id(r->session->file, rec->id.id);
    uint32_t idx = from && from->idx > 0 ? (uint32_t)from->idx : 0;
    for (uint32_t i = 0; from && i < r->queue_count; i++) {
        *index = i;
        if (r->aux.at.at[i].idx == idx)
            return &r->queue[i];
    }
    return NULL;
}

/* Timeless samples: each brings a piece of trace, which is decoded in front of it. */
static pts_status run_piece(struct pts_stream *r, const struct perf_rec *rec)
{
    struct pts_sample s;
    uint32_t index;
    pts_status st = r->started ? PTS_OK : queues_start(r);
    if (st < 0)
        return st;
    if (!r->running) {
        struct run_queue *q = queue_of_sample(r, rec, &index);
        if (!q || rec->evsel == PERF_NO_EVSEL ||
            perf_rec_sample(r->session->file, rec, &s) != PTS_OK || !s.aux.len)
            return PTS_END;
        q->tid = rec->id.tid;
        q->use_current = q->known = false;
        flow_piece(q->flow, q->tid, r->epoch);
        merge_run(r->merge, index);
        r->running = true;
    }
    st = run_events(r, UINT64_MAX);
    r->running = st != PTS_END;
    return st;
}

/* What the trace has to say before a record of this time and kind. */
static pts_status run_until(struct pts_stream *r, const struct perf_rec *rec,
                            uint64_t tsc)
{
    if (!r->merge)
        return PTS_END;
    if (r->by_piece)
        return rec->type == PERF_REC_SAMPLE ? run_piece(r, rec) : PTS_END;
    if (r->conf.timeless) {
        struct pts_task task;
        if (rec->type != PERF_REC_EXIT || perf_rec_task(rec, &task) < 0)
            return PTS_END;
        return run_threads(r, task.tid);
    }
    if (!tsc)
        return PTS_END;
    if (!r->started) {
        pts_status st = queues_start(r);
        if (st < 0)
            return st;
    }
    return run_events(r, tsc);
}

static pts_status run_rest(struct pts_stream *r)
{
    if (!r->merge || r->by_piece)
        return PTS_END;
    if (r->conf.timeless)
        return run_threads(r, -1);
    if (!r->started) {
        pts_status st = queues_start(r);
        if (st < 0)
            return st;
    }
    return run_events(r, UINT64_MAX);
}

/* --- Records --- */

static pts_status sample_record(struct pts_stream *r, const struct perf_rec *rec)
{
    struct pts_sample p;

    if (rec->evsel == PERF_NO_EVSEL)
        return PTS_OK;
    if (perf_rec_sample(r->session->file, rec, &p) < 0) {
        r->counts.unprocessable++;
        return PTS_OK;
    }
    pts_status st = run_defer(r, rec, &p);
    return st == PTS_END ? run_sample(r, rec, &p, &r->text) : st;
}

static void aux_record(struct pts_stream *r, const struct perf_rec *rec)
{
    struct pts_aux aux;

    if (r->merge && perf_rec_aux(rec, &aux) >= 0 && aux.flags & PERF_AUX_TRUNCATED)
        synth_lost(r->synth, (int32_t)rec->id.cpu, rec->id.pid, rec->id.tid,
                   rec->id.time, &r->text);
}

static void error_record(struct pts_stream *r, const struct perf_rec *rec)
{
    struct pts_auxtrace_error e;

    if (!synth_options(r->synth)->itrace.dont_decode &&
        perf_rec_auxtrace_error(rec, &e) >= 0)
        rec_text_error(&r->text, &e);
}

/* Which event a counter counts, for the PEBS records that come after it. */
static pts_status counter_record(struct pts_stream *r, const struct perf_rec *rec)
{
    const struct pts_counter *from = perf_file_id(r->session->file, rec->id.id);
    uint32_t queue;
    uint64_t counter;

    if (!r->merge || !from || !queue_of_sample(r, rec, &queue) ||
        perf_rec_hw_id(rec, &counter) < 0)
        return PTS_OK;
    return synth_counter(r->synth, queue, counter, from->event);
}

static pts_status handle_record(struct pts_stream *r, const struct perf_rec *rec)
{
    run_count(r, rec);
    if (rec->type == PERF_REC_SAMPLE)
        return sample_record(r, rec);
    if (rec->type == PERF_REC_CALLCHAIN_DEFERRED)
        return run_undefer(r, rec);
    if (rec->type == PERF_REC_AUX)
        aux_record(r, rec);
    if (rec->type == PERF_REC_AUXTRACE_ERROR)
        error_record(r, rec);
    if (rec->type == PERF_REC_AUX_OUTPUT_HW_ID) {
        pts_status st = counter_record(r, rec);
        if (st < 0)
            return st;
    }
    if (rec->type == PERF_REC_FEATURE)
        run_feature(r, rec, &r->text);
    run_show(r, rec, &r->text);
    return run_stat(r, rec, &r->text);
}

static pts_status run_record(struct pts_stream *r)
{
    const struct perf_order_entry *e = &r->order->rec.at[r->record];
    const struct synth_needs *needs = synth_needs(r->synth);
    uint64_t tsc = 0;
    struct perf_rec rec;

    pts_status st = perf_rec_at(r->session->file, e->off, &rec);
    bool good = st >= 0;
    if (e->time && needs->decode)
        tsc = tsc_of_ns(e->time, &needs->conv);
    if (good) {
        st = run_until(r, &rec, tsc);
        if (st != PTS_END)
            return st;
        st = handle_record(r, &rec);
    } else {
        r->counts.unprocessable++;
        st = PTS_OK;
    }
    r->record++;
    r->epoch = (uint32_t)r->record;
    return st;
}

/* --- The stream --- */

/* Warnings and help, once. */
static pts_status run_end(struct pts_stream *r)
{
    if (!r->finished) {
        r->finished = true;
        r->counts.unordered = r->order->late;
        if (r->dumping)
            r->counts.records = r->order->rec.len;
        else
            r->counts.records += synth_made(r->synth);
        if (synth_options(r->synth)->show_lost)
            r->counts.lost_records = 0; /* their lines have said it */
        synth_finish(r->synth, &r->counts);
        run_notes(r);
    }
    return PTS_END;
}

static pts_status run_step(struct pts_stream *r)
{
    if (r->whole)
        return PTS_END;
    if (r->dumping) {
        pts_status st = dump_step(&r->dump, &r->text);
        return st == PTS_END ? run_end(r) : st;
    }
    if (r->record < r->order->rec.len)
        return run_record(r);
    pts_status st = run_rest(r);
    if (st == PTS_END)
        st = run_defer_end(r);
    return st == PTS_END ? run_end(r) : st;
}

static pts_status damaged_at(const struct perf_file *f, struct perf_place at,
                             pts_status st, const char *text, struct pts_diag *why)
{
    bool same = at.path == f->path; /* else: of which file of the directory */
    return diag_set(why, st, at.off, "%s%s%s", same ? "" : at.path, same ? "" : ": ",
                    text);
}

/* All was told; a damaged file is still a fault, as it is for perf. */
static pts_status run_ended(const struct pts_stream *r, struct pts_diag *why)
{
    const struct perf_file *f = r->session->file;
    uint64_t off = f->damaged < r->order->damaged ? f->damaged : r->order->damaged;

    if (f->odd & PERF_ODD_CUT)
        return damaged_at(f, f->bad, PTS_E_TRUNCATED,
                          "the data end inside a record or have one of an impossible "
                          "size: all before it was used",
                          why);
    if (f->odd & PERF_ODD_PACKED)
        return damaged_at(
            f, f->bad, PTS_E_FORMAT,
            "a compressed record cannot be unpacked: all before it was used", why);
    if (off != UINT64_MAX)
        return damaged_at(f, perf_file_place(f, off), PTS_E_FORMAT,
                          "a damaged record: all others were used", why);
    return PTS_END;
}

pts_status pts_stream_next_text(pts_stream *r, const char **text, size_t *n,
                                struct pts_diag *why)
{
    pts_status st = PTS_OK;

    if (!r->ahead)
        r->text.len = 0;
    r->ahead = false;
    if (r->broken >= 0) {
        while (st == PTS_OK && r->text.len < TEXT_CHUNK)
            st = run_step(r);
        if (r->text.failed)
            st = PTS_E_NOMEM;
        if (st < 0) {
            r->broken = st;
            diag_set(&r->why, st, UINT64_MAX, "%s", pts_status_name(st));
        }
    }
    if (r->broken < 0 && !r->text.len) {
        *why = r->why;
        return r->broken;
    }
    *text = r->text.at;
    *n = r->text.len;
    if (r->text.len)
        return PTS_OK;
    return r->whole ? PTS_END : run_ended(r, why);
}
