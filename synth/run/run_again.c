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

static pts_status pass(struct queues *q, uint64_t until)
{
    struct merge_event m;
    pts_status st;

    while ((st = queues_next(q, until, &m)) == PTS_OK) {
        if (m.ev && m.ev->what & EV_THREAD)
            queues_runs(q, m.queue, (int32_t)m.ev->from);
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
    return pass(&r->queues, until);
}

pts_status run_again(struct run *r)
{
    pts_status st = queues_again(&r->queues);

    for (size_t i = 0; st == PTS_OK && i < r->record; i++)
        st = pass_record(r, &r->view.order->rec.at[i]);
    return st;
}
