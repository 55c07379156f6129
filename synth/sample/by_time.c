/* by_time.c - the few events of all queues in the order of their times.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each queue waits in a heap by the time of its next event or, as long as that is not known, by a
 * time before which none comes.  perf's times of a queue may go back, where it estimates; an event
 * is printed then as late as those before it are.
 */
#include "synth/sample/by_time.h"

#include "decoder/base/arena.h"

struct lane {
    struct event_batch batch;
    uint32_t at;
    bool known; /* the event there is the next one, and is printed at that time: */
    uint64_t tsc;
};

struct waiting {
    uint64_t tsc; /* of the lane */
    uint32_t queue;
};

struct by_time {
    struct by_time_source source;
    struct lane *lane;
    struct waiting *heap;
    uint32_t count; /* in the heap */
    bool began;
};

pts_status by_time_new(uint32_t queues, const struct by_time_source *source,
                       struct by_time **out)
{
    struct by_time *b = mem_zalloc(1, sizeof(*b));

    if (!b)
        return PTS_E_NOMEM;
    b->source = *source;
    b->lane = mem_zalloc((size_t)queues + 1, sizeof(*b->lane));
    b->heap = mem_zalloc((size_t)queues + 1, sizeof(*b->heap));
    if (!b->lane || !b->heap) {
        by_time_free(b);
        return PTS_E_NOMEM;
    }
    *out = b;
    return PTS_OK;
}

void by_time_free(struct by_time *b)
{
    if (!b)
        return;
    mem_free(b->lane);
    mem_free(b->heap);
    mem_free(b);
}

bool by_time_began(const struct by_time *b)
{
    return b->began;
}

/* --- The heap --- */

static void put(struct by_time *b, uint32_t queue)
{
    const struct waiting w = {b->lane[queue].tsc, queue};
    uint32_t at = b->count++;

    for (uint32_t up; at && b->heap[up = (at - 1) / 2].tsc > w.tsc; at = up)
        b->heap[at] = b->heap[up];
    b->heap[at] = w;
}

static uint32_t take_least(struct by_time *b)
{
    const uint32_t queue = b->heap[0].queue, n = --b->count;
    const struct waiting last = b->heap[n];
    uint32_t at = 0, child;

    while ((child = 2 * at + 1) < n) {
        child += child + 1 < n && b->heap[child + 1].tsc < b->heap[child].tsc;
        if (b->heap[child].tsc >= last.tsc)
            break;
        b->heap[at] = b->heap[child];
        at = child;
    }
    b->heap[at] = last;
    return queue;
}

void by_time_add(struct by_time *b, uint32_t q, uint64_t tsc)
{
    b->lane[q].tsc = tsc;
    put(b, q);
}

/* --- A queue --- */

static void reach(struct lane *l, uint64_t tsc)
{
    if (tsc > l->tsc)
        l->tsc = tsc;
}

/* An event: it is the next one, or tells no more than times. */
static void look(struct lane *l)
{
    const struct pt_event *ev = &l->batch.at[l->at];

    l->known = ev->what;
    if (!l->known)
        l->at++;
    if (!(ev->what & EV_ERROR)) /* that is told when the event before it is */
        reach(l, ev->tsc);
    for (uint32_t i = 1; !l->known && i <= ev->extra; i++)
        reach(l, ev->times[i]);
}

/* Follows a queue to its next event.  Without one: *paused; PTS_END: there is none. */
static pts_status follow(struct by_time *b, uint32_t queue, bool *paused)
{
    const struct relay_turn alone = {UINT64_MAX, UINT64_MAX};
    const struct merge_source *from = &b->source.events;
    struct lane *l = &b->lane[queue];

    while (!l->known) {
        if (l->at < l->batch.count) {
            look(l);
            continue;
        }
        l->at = l->batch.count = 0;
        pts_status st = from->next(from->ctx, queue, &alone, &l->batch);
        if (st != PTS_OK)
            return st;
        *paused = !l->batch.count;
        if (*paused) {
            reach(l, b->source.reached(from->ctx, queue));
            break;
        }
    }
    return PTS_OK;
}

static const struct pt_event *next_of(const struct by_time *b, uint32_t queue)
{
    const struct lane *l = &b->lane[queue];

    return l->known ? &l->batch.at[l->at] : NULL;
}

/* Which of two at the same time comes first does not matter where one of them prints nothing. */
static bool prints(const struct pt_event *ev)
{
    return ev && !(ev->what & EV_THREAD);
}

/* --- In order --- */

/* The least one; where it prints something, another one at the same time that prints nothing, or of
 * which it is not known, goes first.  False: a tie. */
static bool take_next(struct by_time *b, uint32_t *queue)
{
    const uint32_t least = *queue = take_least(b);

    if (!b->count || b->heap[0].tsc != b->lane[least].tsc || !prints(next_of(b, least)))
        return true;
    *queue = take_least(b);
    put(b, least);
    return !prints(next_of(b, *queue));
}

static void tell(struct by_time *b, uint32_t queue, struct merge_event *out)
{
    struct lane *l = &b->lane[queue];

    *out = (struct merge_event){queue, &l->batch.at[l->at++], &l->batch};
    l->known = false;
    put(b, queue);
}

pts_status by_time_next(struct by_time *b, uint64_t until, struct merge_event *out)
{
    bool paused = false;

    out->ev = NULL;
    while (!paused && b->count && b->heap[0].tsc < until) {
        uint32_t queue;

        b->began = true;
        if (!take_next(b, &queue))
            return PTS_E_UNSUPPORTED;
        if (b->lane[queue].known) {
            tell(b, queue, out);
            return PTS_OK;
        }
        pts_status st = follow(b, queue, &paused);
        if (st < 0)
            return st;
        if (st != PTS_END)
            put(b, queue);
    }
    return paused ? PTS_OK : PTS_END;
}
