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

bool queues_prints(void *ctx, const struct pt_event *ev)
{
    const struct queues *q = ctx;
    const bool call = q->conf.net_calls && !(ev->what & ~(uint32_t)EVS_CALL);

    return !(ev->what & EV_THREAD) && !call;
}

bool queues_told_before(struct queues *q, const struct pt_event *ev)
{
    if (!q->again)
        return false;
    q->again -= queues_prints(q, ev);
    return true;
}

/* Calls are those of a thread. */
static bool same_stack(struct queues *q, uint32_t a, uint32_t b)
{
    const struct sideband *sb = relay_made_of(q->at[a].relay)->sb;
    const struct chain_key x = chain_key_of(&queues_who(q, a, sb, q->epoch)->host);
    const struct chain_key y = chain_key_of(&queues_who(q, b, sb, q->epoch)->host);

    return x.idle || y.idle ? x.idle && y.idle && x.cpu == y.cpu : x.thread == y.thread;
}

bool queues_order_matters(void *ctx, const struct merge_event *silent,
                          const struct merge_event *other)
{
    return !(silent->ev->what & EV_THREAD) &&
           same_stack(ctx, silent->queue, other->queue);
}

static const struct relay *relay_of(void *ctx, uint32_t queue)
{
    const struct queues *q = ctx;

    return q->at[queue].relay;
}

pts_status queues_order(void *ctx, const struct by_time_tie *tie)
{
    struct queues *q = ctx;
    const struct scout_queues of = {relay_of, q, q->count, &q->conf, queues_passed(q)};

    return scout_order(&q->scout, &of, tie);
}

pts_status queues_next(struct queues *q, uint64_t until, struct merge_event *out)
{
    if (!q->by_time)
        return merge_next(q->merge, until, out);
    pts_status st = by_time_next(q->by_time, until, out);
    q->told += st == PTS_OK && out->ev && queues_prints(q, out->ev);
    return st;
}

struct merge_line queues_line(const struct queues *q)
{
    return q->by_time ? by_time_line(q->by_time) : merge_line(q->merge);
}

void queues_took(struct queues *q, const struct merge_line *line, uint32_t count)
{
    if (!q->by_time) {
        merge_took(q->merge, count);
        return;
    }
    for (const struct pt_event *ev = line->at; ev < line->at + count; ev++)
        q->told += ev->what && queues_prints(q, ev);
    by_time_took(q->by_time, count);
}

void queues_untell(struct queues *q, const struct pt_event *ev)
{
    q->told -= queues_prints(q, ev);
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
    scout_free(&q->scout);
    q->by_time = NULL;
    q->team.relay.marks = 0; /* they were for its ties */
    q->team.relay.crowded = true;
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
