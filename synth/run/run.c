/* run.c - one pass over a recording: records, queues and samples in perf's order.
 *
 * SPDX-License-Identifier: MIT
 *
 * Before a record is handled, all queues run up to its time; so records take effect at
 * the right point of the trace.  Without usable times a queue runs when the thread that
 * it traces exits, or at the end.
 *
 *     run_step -> run_hand_on   the sink takes a batch, or some of it
 *              -> fill          advance, until there is another
 *
 * What a run is doing is kept in the struct and not on the stack, since it stops
 * whenever a batch is full, in the middle of a queue or between two records.  Each step
 * finds out where it was:
 *
 *     record, epoch     records handled so far
 *     queues.running    timeless: a queue is being followed to its end
 *     filled            how the last filling ended: PTS_END, all is in batches
 *     taken             items of the batch that the sink has
 *
 * So a record may be read several times before it is handled, once for each batch that
 * the trace before it fills.
 */
#include "synth/run/run.h"

#include <assert.h>

enum {
    STEPS = 4096,         /* of which nothing comes, before somebody is asked, */
    STEP_BYTES = 1 << 20, /* or bytes of trace */
    DUMP_BYTES = 64 << 10 /* that a step of a dump looks at, at most */
};

/* --- Events ----------------------------------------------------------------------- */

/* Letter d: what was read on the way to an event, and whether it is an error. */
static pts_status log_event(struct run *r, const struct merge_event *m)
{
    struct batch *b = &r->delivery.batch;
    pts_status st = PTS_OK;

    if (m->ev->what & EV_ERROR)
        st = decode_log_error(&r->log, m->queue, m->ev, b);
    return st < 0 ? st : decode_log_put(&r->log, b);
}

/* The samples of an event and of those that follow it, without the first `had` of these, as far as they are of the
 * common kinds: *had goes up. */
static pts_status run_line(struct run *r, const struct merge_event *m,
                           const struct whose *w, uint32_t *had)
{
    const struct merge_line next = queues_line(&r->queues);
    const struct maker_line line = {m->ev + *had, next.count + 1 - *had, next.until,
                                    m->batch};
    uint32_t done = 0;

    assert(next.at == m->ev + 1);
    if (!line.count)
        return PTS_OK;
    pts_status st = maker_line(r->maker, m->queue, &line, w, &done);
    *had += done;
    if (*had)
        queues_took(&r->queues, &next, *had - 1);
    return st;
}

/* The samples of an event, and of those behind it. */
static pts_status make(struct run *r, const struct merge_event *m,
                       const struct whose *w)
{
    pts_status st = PTS_OK;
    uint32_t had = 0;

    if (!r->log.on)
        st = run_line(r, m, w, &had);
    if (st != PTS_OK || had)
        return st;
    st = maker_event(r->maker, m->queue, m->ev, m->batch, w);
    had = 1;
    return st == PTS_OK && !r->log.on ? run_line(r, m, w, &had) : st;
}

/* The same of a thread that no record has told of.  Samples out of the times that are asked for
 * do not tell perf of it. */
static pts_status make_unknown(struct run *r, const struct merge_event *m,
                               const struct whose *w)
{
    const struct decode_plan *d = &r->plan->decode;
    const struct sample at = {.time =
                                  d->timeless ? 0 : tsc_to_ns(m->ev->tsc, &d->clock),
                              .who.cpu = w->host.cpu};
    const uint64_t before = maker_samples(r->maker);

    queues_meet(&r->queues, m->queue, r->view.sb);
    pts_status st = make(r, m, w);
    if (maker_samples(r->maker) != before && filter_in_time(r->plan, &at))
        queues_sampled(&r->queues, m->queue);
    return st;
}

/* Whose stack begins with a turn of its queue, which only merge knows of. */
static bool goes_by_turns(const struct queues *q, const struct whose *w)
{
    return q->by_time && q->conf.net_calls && w->host.thread == SB_NONE &&
           w->host.tid != -1;
}

/* Events up to TSC `until`.  PTS_OK: there may be more; PTS_END: all done. */
static pts_status run_events(struct run *r, uint64_t until)
{
    struct queues *q = &r->queues;
    struct merge_event m;

    q->epoch = r->epoch;
    /* A full batch is PTS_OK, and so much of the trace: who called comes back, and the merge goes on where it
     * was. */
    while (!batch_full(&r->delivery.batch) && q->gone < STEP_BYTES) {
        pts_status st = queues_next(q, until, &m);
        if (st == PTS_E_UNSUPPORTED && (st = run_again(r)) == PTS_OK)
            continue;
        if (st != PTS_OK)
            return st;
        r->paused = !m.ev;
        if (r->paused)
            return r->log.on ? decode_log_put(&r->log, &r->delivery.batch) : PTS_OK;
        if (m.ev->what & EV_THREAD) {
            queues_runs(q, m.queue, (int32_t)m.ev->from);
            continue;
        }
        if (queues_told_before(q, m.ev)) {
            if ((st = run_calls_again(r, &m)) < 0)
                return st;
            continue;
        }
        if (run_missing_told(r, m.ev))
            continue;
        if (r->log.on && (st = log_event(r, &m)) < 0)
            return st;
        const struct whose *w = queues_who(q, m.queue, r->view.sb, r->epoch);
        if (goes_by_turns(q, w)) {
            queues_untell(q, m.ev);
            if ((st = run_again(r)) < 0)
                return st;
            continue;
        }
        st = w->host.thread == SB_NONE && w->host.tid != -1 ? make_unknown(r, &m, w)
                                                            : make(r, &m, w);
        if (st != PTS_OK)
            return st;
    }
    return PTS_OK;
}

/* Timeless: the queues of a thread (-1: all), one after the other. */
static pts_status run_threads(struct run *r, int32_t tid)
{
    struct queues *q = &r->queues;

    for (;;) {
        if (q->running) {
            pts_status st = run_events(r, UINT64_MAX);
            if (st != PTS_END)
                return st;
            q->running = false;
            /* A queue runs once.  The thread may exit again, as another one with the
             * same number. */
            q->at[q->next - 1].done = true;
        }
        while (q->next < q->count &&
               (q->at[q->next].done || (tid != -1 && q->at[q->next].tid != tid)))
            q->next++;
        if (q->next >= q->count) {
            q->next = 0;
            return PTS_END;
        }
        /* Without times the side-band is asked as it is now, at the exit of the
         * thread. */
        flow_place(relay_flow(q->at[q->next].relay), r->epoch);
        merge_run(q->merge, q->next++);
        q->running = true;
    }
}

static const struct pts_counter *counter_of(const struct run *r,
                                            const struct record *rec)
{
    return perf_file_id(r->session->file, rec->head.id.id);
}

/* Timeless samples: each brings a piece of trace, which is decoded in front of it. */
static pts_status run_piece(struct run *r, const struct record *rec)
{
    struct queues *q = &r->queues;
    uint32_t index;

    if (!q->running) {
        bool found = queues_find(q, counter_of(r, rec), &index);
        if (!found || rec->how != PTS_RECORD_WHOLE || !rec->u.sample.aux.len)
            return PTS_END;
        struct run_queue *one = &q->at[index];
        one->tid = rec->head.id.tid;
        /* Whose piece it is says the sample; who ran on the CPU does not matter. */
        one->use_current = one->known = false;
        flow_piece(relay_flow(one->relay), one->tid, r->epoch);
        merge_run(q->merge, index);
        q->running = true;
    }
    pts_status st = run_events(r, UINT64_MAX);
    q->running = st != PTS_END;
    return st;
}

/* What the trace has to say before a record of this time and kind. */
static pts_status run_until(struct run *r, const struct record *rec, uint64_t tsc)
{
    struct queues *q = &r->queues;
    bool sample = rec->head.type == PTS_RECORD_SAMPLE;
    bool exit = record_is(rec, PTS_RECORD_EXIT);

    if (!q->merge)
        return PTS_END;
    /* What makes the trace run: samples that bring a piece, exits, or times.  A record
     * without a time does not. */
    if (q->by_piece ? !sample : q->conf.timeless ? !exit : !tsc)
        return PTS_END;
    run_needs_kernel(r);
    pts_status st = queues_start(q);
    if (st < 0)
        return st;
    if (q->by_piece)
        return run_piece(r, rec);
    return q->conf.timeless ? run_threads(r, rec->u.task.tid) : run_events(r, tsc);
}

static pts_status run_rest(struct run *r)
{
    struct queues *q = &r->queues;

    if (!q->merge || q->by_piece)
        return PTS_END;
    run_needs_kernel(r);
    pts_status st = queues_start(q);
    if (st < 0)
        return st;
    return q->conf.timeless ? run_threads(r, -1) : run_events(r, UINT64_MAX);
}

/* --- Records ---------------------------------------------------------------------- */

static bool is_wanted(const struct run *r, uint32_t type)
{
    const struct sink *k = &r->sink;

    return k->wants_record && k->wants_record(k->wants.ctx, type);
}

static pts_status pass_on(struct run *r, enum item_kind kind, const struct record *rec)
{
    return batch_record(&r->delivery.batch, kind, rec->head.off, r->epoch);
}

/* Of others nobody looks up what lies at their addresses. */
static bool in_time(const struct run *r, const struct record *rec)
{
    const struct sample s = {.time = rec->head.id.time,
                             .who.cpu = (int32_t)rec->head.id.cpu};

    return filter_in_time(r->plan, &s);
}

/* A dump shows samples as they come, and only says so where it cannot read one. */
static pts_status sample_record(struct run *r, const struct record *rec)
{
    if (rec->head.evsel == PTS_NO_EVENT || r->plan->opt.records_only)
        return PTS_OK;
    if ((rec->head.misc & PTS_MISC_MODE) == PTS_MODE_KERNEL && in_time(r, rec))
        run_needs_kernel(r);
    if (rec->how != PTS_RECORD_WHOLE) {
        r->counts.unprocessable += !r->dumping;
        return PTS_OK;
    }
    pts_status st = r->dumping ? PTS_END : run_defer(r, rec);
    return st == PTS_END ? run_sample(r, rec) : st;
}

static pts_status aux_record(struct run *r, const struct record *rec)
{
    bool lost = rec->u.aux.flags & PTS_AUX_TRUNCATED;

    /* Nothing is said of a trace that is not decoded. */
    return r->queues.merge && lost ? maker_lost(r->maker, &rec->head.id) : PTS_OK;
}

static pts_status error_record(struct run *r, const struct record *rec)
{
    return r->plan->opt.itrace.dont_decode
               ? PTS_OK
               : batch_error(&r->delivery.batch, &rec->u.auxtrace_error);
}

/* Which event a counter counts, for the PEBS records that come after it. */
static pts_status counter_record(struct run *r, const struct record *rec)
{
    const struct pts_counter *from = counter_of(r, rec);
    uint32_t queue;

    if (!r->queues.merge || !queues_find(&r->queues, from, &queue))
        return PTS_OK;
    return maker_counter(r->maker, queue, rec->u.hw_id.hw_id, from->event);
}

/* Records that matter to the trace. */
static pts_status trace_record(struct run *r, const struct record *rec)
{
    if (rec->head.type == PTS_RECORD_CALLCHAIN_DEFERRED)
        return run_undefer(r, rec);
    if (record_is(rec, PTS_RECORD_AUX))
        return aux_record(r, rec);
    if (record_is(rec, PTS_RECORD_AUXTRACE_ERROR))
        return error_record(r, rec);
    if (record_is(rec, PTS_RECORD_AUX_OUTPUT_HW_ID))
        return counter_record(r, rec);
    return PTS_OK;
}

/* Told to the sink before it is handled, so that the line of a record is above what it
 * leads to. */
static pts_status handle_record(struct run *r, const struct record *rec)
{
    pts_status st = PTS_OK;

    counts_add(&r->counts, rec, r->plan);
    if (is_wanted(r, rec->head.type))
        st = pass_on(r, ITEM_RECORD, rec);
    if (st == PTS_OK && rec->head.type == PTS_RECORD_SAMPLE)
        st = sample_record(r, rec);
    if (st == PTS_OK && !r->dumping)
        st = trace_record(r, rec);
    if (st == PTS_OK && r->dumping && aux_is_in(rec))
        st = pass_on(r, ITEM_TRACE, rec);
    return st;
}

static pts_status unreadable_record(struct run *r, const struct record *rec)
{
    if (r->dumping)
        return pass_on(r, ITEM_RECORD, rec);
    r->counts.unprocessable++;
    return PTS_OK;
}

/* What stands in no record takes effect at its time, and is not told. */
static pts_status run_made(struct run *r, uint64_t tsc)
{
    const struct record none = {0};

    return run_until(r, &none, tsc);
}

static pts_status run_record(struct run *r)
{
    const struct perf_order_entry *e = &r->view.order->rec.at[r->record];
    struct record rec;
    pts_status st;

    if (perf_order_is_made(e->off)) {
        st = run_made(r, run_tsc(r, e));
        if (st != PTS_END)
            return st;
        st = PTS_OK;
    } else if (record_read(r->session->file, e->off, &rec) < 0) {
        st = unreadable_record(r, &rec);
    } else {
        /* PTS_END means "as far as that": only then the record takes effect.  Any other
         * value ends the step here, and the record comes again. */
        st = run_until(r, &rec, run_tsc(r, e));
        if (st != PTS_END)
            return st;
        if (r->log.on)
            decode_log_record(&r->log, &rec.head,
                              e->time ? tsc_of_ns(e->time, &r->plan->decode.clock) : 0);
        st = handle_record(r, &rec);
        perf_rec_passed(r->session->file, &r->queues.touched, &rec.head);
    }
    r->record++;
    r->epoch = (uint32_t)r->record;
    return st;
}

/* --- Batches ---------------------------------------------------------------------- */

/* PTS_END: the recording and its trace have been gone through. */
static pts_status advance(struct run *r)
{
    if (r->record < r->view.order->rec.len)
        return run_record(r);
    pts_status st = run_rest(r);
    return st == PTS_END ? run_defer_end(r) : st;
}

/* No more than are wanted. */
static void batch_begin(struct run *r)
{
    const struct sink *k = &r->sink;
    uint64_t left = k->left ? k->left(k->wants.ctx) : UINT64_MAX;
    size_t most = BATCH_ITEMS;

    r->kept = r->helped ? k->room(k->wants.ctx) : 0;
    if (r->kept)
        most = r->kept;
    r->delivery.batch.most = left < most ? (size_t)left : most;
}

/* Until there is a batch, or so long that whoever waits for it should be asked. */
static pts_status fill(struct run *r)
{
    pts_status st = PTS_OK;

    batch_begin(r);
    r->paused = false;
    r->queues.gone = 0;
    if (!r->delivery.batch.most)
        return PTS_END;
    for (unsigned n = 0; st == PTS_OK && n < STEPS && !r->paused &&
                         r->queues.gone < STEP_BYTES && !batch_full(&r->delivery.batch);
         n++)
        st = run_other_id(r) ? PTS_END : advance(r);
    return st;
}

/* Warnings and help, once.  perf warns, too, when a filter ended the run. */
static pts_status finish(struct run *r)
{
    struct run_counts *c = &r->counts;

    if (r->finished)
        return PTS_END;
    r->finished = true;
    c->unordered = r->view.order->late;
    c->records = r->dumping ? r->view.order->rec.len - r->view.order->made
                            : c->records + maker_records(r->maker);
    c->samples += maker_samples(r->maker);
    c->trace_errors += maker_errors(r->maker);
    if (r->plan->opt.text.show_lost)
        c->lost_records = 0; /* their lines have said it */
    if (!r->silent)
        counts_warn(c, r->plan);
    if (r->plan->opt.debug_mode)
        in_order_end(&r->delivery.in_order, r->plan);
    if (r->filled == PTS_E_FILTER)
        return r->filled;
    if (!r->silent)
        run_notes(r);
    pts_status st = r->sink.end ? r->sink.end(r->sink.wants.ctx) : PTS_OK;
    return st < 0 ? st : PTS_END;
}

void run_stop(struct run *r)
{
    struct batch *b = &r->delivery.batch;
    /* What a batch of a dump has may be all of a trace. */
    bool drop = r->dumping && b->item.len;

    if (drop)
        batch_empty(b);
    r->taken = drop ? 0 : r->taken;
    if (drop || r->filled == PTS_OK)
        r->filled = PTS_E_CANCELLED;
}

/* Without a trace to decode the records are what takes time. */
void run_progress(const struct run *r, struct pts_progress *out)
{
    const struct queues *q = &r->queues;
    const struct perf_order *o = r->view.order;

    out->done = q->merge ? queues_passed(q) : r->record;
    out->all = q->merge ? q->bytes : o->rec.len;
    out->in_trace = q->merge != NULL;
    out->given = r->given;
    out->time_ns = r->last_ns;
}

static pts_status gate_open(struct run *r)
{
    r->gate = GATE_OPEN;
    return dlfilter_start(r->dlfilter, &r->delivery.batch);
}

static void gate_shut(struct run *r)
{
    pts_status st = dlfilter_stop(r->dlfilter, &r->delivery.batch);

    r->gate = GATE_SHUT;
    if (st < 0)
        r->filled = st;
}

int run_filter_result(const struct run *r)
{
    return r->dlfilter ? dlfilter_result(r->dlfilter) : 0;
}

bool run_filter_failed_made(const struct run *r)
{
    return r->dlfilter && dlfilter_failed_made(r->dlfilter);
}

pts_status run_step(struct run *r)
{
    const struct batch *b = &r->delivery.batch;

    /* The text of a dump is longer than what it is about. */
    perf_file_passed(r->session->file, &r->queues.touched, r->dumping ? DUMP_BYTES : 0);

    if (r->filled == PTS_OK && !b->item.len)
        r->filled = r->dlfilter && r->gate == GATE_NEW ? gate_open(r) : fill(r);
    if (r->filled == PTS_END && r->log.on) {
        r->log.on = false;
        pts_status st = decode_log_put(&r->log, &r->delivery.batch);
        decode_log_close(&r->log);
        r->filled = st < 0 ? st : r->filled;
    }
    /* What it prints then is part of a text that is whole, or was meant to end. */
    if (r->gate == GATE_OPEN && (r->filled == PTS_END || r->filled == PTS_E_FILTER ||
                                 r->filled == PTS_E_CANCELLED))
        gate_shut(r);
    /* Items first, then the status: what was made before a failure is still
     * delivered. */
    if (b->item.len || b->kept)
        return run_hand_on(r);
    if (r->helped && r->filled != PTS_OK) {
        pts_status st = r->sink.rest(r->sink.wants.ctx);
        if (st != PTS_END)
            return st;
    }
    return r->filled == PTS_END || (r->filled == PTS_E_FILTER && !r->finished)
               ? finish(r)
               : r->filled;
}
