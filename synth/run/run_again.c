/* run_again.c - the queues once more, with all their times.
 *
 * SPDX-License-Identifier: MIT
 *
 *     by_time   o----o------o---o==    two events at the same time
 *     merge     --------------------o--o--o--->
 *               told before         ^ here merge goes on
 *
 * Each record that has taken effect stopped the queues, and where they stopped is a part of what
 * decides between the two.
 */
#include "synth/run/run.h"

pts_status run_calls_again(struct run *r, const struct merge_event *m)
{
    struct queues *q = &r->queues;
    struct pt_event calls = *m->ev;

    calls.what &= EVS_CALL;
    if (!q->conf.net_calls || !calls.what)
        return PTS_OK;
    const struct whose *w = queues_who(q, m->queue, r->view.sb, r->epoch);
    return maker_event(r->maker, m->queue, &calls, m->batch, w);
}

static pts_status pass(struct run *r, uint64_t until)
{
    struct queues *q = &r->queues;
    struct merge_event m;
    pts_status st;

    while ((st = queues_next(q, until, &m)) == PTS_OK) {
        if (!m.ev)
            continue;
        if (m.ev->what & EV_THREAD) {
            queues_runs(q, m.queue, (int32_t)m.ev->from);
            continue;
        }
        (void)queues_told_before(q, m.ev); /* here all are */
        st = run_calls_again(r, &m);
        if (st < 0)
            break;
    }
    return st == PTS_END ? PTS_OK : st;
}

/* As run.c did. */
static pts_status pass_record(struct run *r, const struct perf_order_entry *e)
{
    const uint64_t until = run_tsc(r, e);
    struct record rec;

    if (!until || (!perf_order_is_made(e->off) &&
                   record_read(r->session->file, e->off, &rec) < 0))
        return PTS_OK;
    return pass(r, until);
}

pts_status run_again(struct run *r)
{
    const uint32_t epoch = r->epoch;
    pts_status st = queues_again(&r->queues);

    stacks_free(&r->delivery.stacks);
    stacks_init(&r->delivery.stacks, r->plan);
    for (size_t i = 0; st == PTS_OK && i < r->record; i++) {
        r->epoch = (uint32_t)i;
        st = pass_record(r, &r->view.order->rec.at[i]);
    }
    r->epoch = epoch;
    return st;
}
