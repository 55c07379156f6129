/* perf_order.c - the order in which perf handles the records of a file.
 *
 * SPDX-License-Identifier: MIT
 *
 *     file      10 30   round   20 40   round   35 50   round   15   end
 *     limit                 30              40              50
 *     let go                 -        10 20 30           35 40      15 50
 *
 * A round ends when perf record has emptied the buffer of every CPU once.  What was in
 * none of them then cannot be earlier than what was in one of them a round before; a
 * record that is (15) comes too late, and perf warns of it.
 *
 * Records held back are sorted only when a round ends: the kernel's buffers, one per CPU,
 * were written one after the other, so they are a few ascending runs and merging these
 * pairwise is nearly linear.
 */
#include "decoder/record/perf_order.h"

#include "decoder/base/diag.h"

typedef VEC(struct perf_order_entry) entries;

/* Records that are held back until rounds end. */
struct held {
    entries q, scratch;
    VEC(size_t) runs; /* where ascending runs of q begin */
    uint64_t limit;   /* what the next round may let go */
    uint64_t latest;  /* the latest time in q, or the last there was */
    uint64_t let_go;  /* time of the last record let go */
    bool to_the_end;  /* rounds let go of nothing */
    bool round_last;  /* a round is told when it has let go */
};

static void merge_two(const struct perf_order_entry *a, size_t na,
                      const struct perf_order_entry *b, size_t nb,
                      struct perf_order_entry *to)
{
    while (na && nb) {
        bool second = b->time < a->time; /* equal times keep their order */
        *to++ = second ? *b : *a;
        second ? (b++, nb--) : (a++, na--);
    }
    memcpy(to, na ? a : b, (na ? na : nb) * sizeof(*to));
}

/* One pass: runs 0 and 1 become one, 2 and 3, ... */
static void merge_pass(struct held *w)
{
    size_t out = 0, n = w->runs.len;
    for (size_t i = 0; i < n; i += 2) {
        size_t from = w->runs.at[i];
        size_t mid = i + 1 < n ? w->runs.at[i + 1] : w->q.len;
        size_t end = i + 2 < n ? w->runs.at[i + 2] : w->q.len;
        merge_two(w->q.at + from, mid - from, w->q.at + mid, end - mid,
                  w->scratch.at + from);
        w->runs.at[out++] = from;
    }
    w->runs.len = out;
    entries swap = w->q;
    w->scratch.len = w->q.len;
    w->q = w->scratch;
    w->scratch = swap;
}

static bool sort(struct held *w)
{
    w->runs.len = 0;
    for (size_t i = 0; i < w->q.len; i++) {
        if (i > 0 && w->q.at[i - 1].time <= w->q.at[i].time)
            continue;
        size_t *run = VEC_PUSH(&w->runs);
        if (!run)
            return false;
        *run = i;
    }
    w->scratch.len = 0;
    if (w->runs.len > 1 && !VEC_ROOM(&w->scratch, w->q.len))
        return false;
    while (w->runs.len > 1)
        merge_pass(w);
    return true;
}

/* Lets go of everything up to w->limit. */
static bool flush(struct held *w, struct perf_order *o)
{
    size_t n = 0;
    if (w->limit == 0 || w->q.len == 0)
        return true;
    if (!sort(w))
        return false;
    while (n < w->q.len && w->q.at[n].time <= w->limit)
        n++;
    if (n == 0)
        return true;
    if (!VEC_ROOM(&o->rec, n))
        return false;
    memcpy(o->rec.at + o->rec.len, w->q.at, n * sizeof(*w->q.at));
    o->rec.len += n;
    w->let_go = w->q.at[n - 1].time;
    w->q.len -= n;
    memmove(w->q.at, w->q.at + n, w->q.len * sizeof(*w->q.at));
    return true;
}

static bool let_wait(struct held *w, struct perf_order *o, struct perf_order_entry e)
{
    if (e.time < w->let_go)
        o->late++;
    if (w->q.len == 0 || e.time > w->latest)
        w->latest = e.time;
    struct perf_order_entry *slot = VEC_PUSH(&w->q);
    if (slot)
        *slot = e;
    return slot;
}

static bool handle_now(struct perf_order *o, struct perf_order_entry e)
{
    struct perf_order_entry *slot = VEC_PUSH(&o->rec);
    if (slot)
        *slot = e;
    return slot;
}

/* Records without a time do not wait, and so overtake those that do. */
static bool order_one(const struct perf_rec *r, struct held *w, struct perf_order *o)
{
    bool timed =
        r->id.has & PTS_SAMPLE_TIME && r->id.time != 0 && r->id.time != UINT64_MAX;
    struct perf_order_entry e =
        perf_order_entry(r->off, r->type, timed ? r->id.time : 0);
    if (timed && !o->file_order)
        return let_wait(w, o, e);
    if (r->type != PTS_RECORD_FINISHED_ROUND || o->file_order || w->to_the_end)
        return handle_now(o, e);
    if (!w->round_last && !handle_now(o, e))
        return false;
    if (!flush(w, o))
        return false;
    w->limit = w->latest;
    return !w->round_last || handle_now(o, e);
}

pts_status perf_order_make(const struct perf_file *f, enum perf_order_how how,
                           struct perf_order *out, struct pts_diag *why)
{
    struct perf_order o = {.file_order = how == PERF_ORDER_FILE, .damaged = UINT64_MAX};
    struct held w = {.to_the_end = how == PERF_ORDER_TIME,
                     .round_last = how == PERF_ORDER_LET_GO};
    struct perf_rec r;
    bool ok = true;
    struct perf_passed passed = {0};
    /* Where records have no sample ids perf falls back to their order, inject but not. */
    if (!f->pipe && how != PERF_ORDER_TIME && !perf_file_id_all(f, UINT64_MAX))
        o.file_order = true;
    for (uint64_t off = f->data.off; ok && off < f->data.end; off = perf_rec_next(&r)) {
        /* One too short for its sample id has no time; who handles it will see. */
        bool whole = perf_rec_at(f, off, &r) == PTS_OK;
        perf_rec_passed(f, &passed, &r);
        if (!whole)
            r.id.has = 0;
        if (off < o.damaged && r.type < PERF_REC_USER &&
            (!whole || r.evsel == PTS_NO_EVENT))
            o.damaged = off;
        ok = order_one(&r, &w, &o);
    }
    w.limit = UINT64_MAX;
    ok = ok && flush(&w, &o);
    VEC_FREE(&w.q);
    VEC_FREE(&w.scratch);
    VEC_FREE(&w.runs);
    if (!ok) {
        perf_order_free(&o);
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    }
    *out = o;
    return PTS_OK;
}

void perf_order_free(struct perf_order *o)
{
    VEC_FREE(&o->rec);
}

struct pts_bytes perf_order_tracing(const struct perf_file *f,
                                    const struct perf_order *o)
{
    struct perf_rec r;

    for (size_t i = 0; f->pipe && i < o->rec.len; i++)
        if (!perf_order_is_made(o->rec.at[i].off) &&
            perf_rec_at(f, o->rec.at[i].off, &r) == PTS_OK &&
            r.type == PTS_RECORD_TRACING_DATA)
            return perf_rec_payload(&r);
    return f->feature[PTS_FEAT_TRACING_DATA];
}
