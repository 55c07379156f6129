/* queues.c - the queues of a trace, decoded and merged.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/queues.h"

static void queue_add(struct queues *q, uint32_t queue, uint64_t tsc)
{
    if (q->by_time)
        by_time_add(q->by_time, queue, tsc);
    else
        merge_add(q->merge, queue, tsc);
}

pts_status queues_start(struct queues *q)
{
    if (q->started)
        return PTS_OK;
    q->started = true;
    for (uint32_t i = 0; i < q->count; i++) {
        pts_status st = relay_start(q->at[i].relay);
        if (st < 0)
            return st;
        /* PTS_END: the queue has no events, and the merge need not know it. */
        if (st == PTS_OK && !q->conf.timeless)
            queue_add(q, i, flow_time(relay_flow(q->at[i].relay)));
    }
    return PTS_OK;
}

bool queues_began(const struct queues *q)
{
    return q->by_time ? by_time_began(q->by_time) : merge_began(q->merge);
}

static bool is_printed(const struct merge_event *m)
{
    return m->ev && !(m->ev->what & EV_THREAD);
}

pts_status queues_next(struct queues *q, uint64_t until, struct merge_event *out)
{
    pts_status st;

    if (q->by_time) {
        st = by_time_next(q->by_time, until, out);
        q->told += st == PTS_OK && is_printed(out);
        return st;
    }
    while ((st = merge_next(q->merge, until, out)) == PTS_OK && q->again &&
           is_printed(out))
        q->again--;
    return st;
}

static pts_status queue_again(struct queues *q, struct run_queue *one)
{
    struct relay_conf conf = *relay_made_of(one->relay);
    struct relay *relay;

    conf.flow = &q->timed;
    pts_status st = relay_new(&conf, &relay);
    if (st < 0)
        return st;
    relay_free(one->relay);
    one->relay = relay;
    one->ended = false;
    queues_nobody(q, one);
    return PTS_OK;
}

pts_status queues_again(struct queues *q)
{
    pts_status st = PTS_OK;

    by_time_free(q->by_time);
    q->by_time = NULL;
    q->again = q->told;
    q->timed = q->conf;
    q->timed.want_times = true;
    for (uint32_t i = 0; st >= 0 && i < q->count; i++)
        st = queue_again(q, &q->at[i]);
    q->started = false;
    return st < 0 ? st : queues_start(q);
}

uint64_t queues_passed(const struct queues *q)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < q->count; i++)
        n += q->at[i].ended ? q->at[i].bytes : relay_passed(q->at[i].relay);
    return n;
}

bool queues_find(const struct queues *q, const struct pts_counter *from,
                 uint32_t *queue)
{
    /* perf takes an index that is not known for the first queue. */
    uint32_t idx = from && from->idx > 0 ? (uint32_t)from->idx : 0;

    for (uint32_t i = 0; from && i < q->count; i++) {
        *queue = i;
        if (q->aux.at.at[i].idx == idx)
            return true;
    }
    return false;
}
