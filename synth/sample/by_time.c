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
#include "synth/sample/queue_heap.h"

struct lane {
    struct event_batch batch;
    uint32_t at;
    bool known; /* the event there is the next one, and is printed at that time: */
    uint64_t tsc;
};

struct by_time {
    struct by_time_source source;
    struct lane *lane;
    struct queued *heap;
    struct queued *same; /* room for those at the same time */
    uint32_t count;      /* in the heap */
    uint64_t until;      /* as by_time_next was told */
    bool began;
    struct by_time_tie tie; /* the last one, in order; and the stops, up to now */
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
    b->same = mem_zalloc((size_t)queues + 1, sizeof(*b->same));
    b->tie.queue = mem_zalloc((size_t)queues + 1, sizeof(*b->tie.queue));
    if (!b->lane || !b->heap || !b->same || !b->tie.queue) {
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
    mem_free(b->same);
    mem_free(b->tie.queue);
    mem_free(b);
}

bool by_time_began(const struct by_time *b)
{
    return b->began;
}

/* --- The heap --- */

static void put(struct by_time *b, uint32_t queue)
{
    queue_push(b->heap, &b->count, (struct queued){b->lane[queue].tsc, queue});
}

static uint32_t take_least(struct by_time *b)
{
    return queue_pop(b->heap, &b->count).queue;
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
    for (uint32_t i = 1; !l->known && i <= ev->later; i++)
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

/* --- In order --- */

static struct merge_event event_of(const struct by_time *b, uint32_t queue)
{
    const struct lane *l = &b->lane[queue];

    return (struct merge_event){queue, &l->batch.at[l->at], &l->batch};
}

/* Of several at the same time the i-th prints nothing, and may go before the others. */
static bool may_go(const struct by_time *b, const struct queued *at, uint32_t n,
                   uint32_t i)
{
    void *ctx = b->source.events.ctx;
    const struct merge_event silent = event_of(b, at[i].queue);

    if (b->source.prints(ctx, silent.ev))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        const struct merge_event other = event_of(b, at[k].queue);
        if (k != i && b->source.matters(ctx, &silent, &other))
            return false;
    }
    return true;
}

/* Of several at the same time one of which the event is not known yet, or prints nothing: behind it there
 * may be one that does.  UINT32_MAX: there is none. */
static uint32_t first_of(const struct by_time *b, const struct queued *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!b->lane[at[i].queue].known)
            return i;
    for (uint32_t i = 0; i < n; i++)
        if (may_go(b, at, n, i))
            return i;
    return UINT32_MAX;
}

/* Where time has gone back, or is not that of an event, it is not known in what order others would see. */
static bool is_at_its_time(const struct by_time *b, uint32_t queue)
{
    const struct pt_event *ev = event_of(b, queue).ev;

    return !(ev->what & EV_ERROR) && ev->tsc == b->lane[queue].tsc;
}

/* Of several that all print something, a tie that is new. */
static pts_status find_order(struct by_time *b, uint32_t n)
{
    struct by_time_tie *t = &b->tie;

    t->tsc = b->same[0].tsc;
    t->count = n;
    for (uint32_t i = 0; i < n; i++) {
        t->queue[i] = b->same[i].queue;
        if (!is_at_its_time(b, t->queue[i]))
            return PTS_E_UNSUPPORTED;
    }
    return b->source.order(b->source.events.ctx, t);
}

/* The first one, as the index of a queue among those that are left. */
static bool first_in_order(const struct by_time *b, uint32_t n, uint32_t *first)
{
    for (uint32_t k = 0; k < b->tie.count; k++)
        for (*first = 0; *first < n; ++*first)
            if (b->same[*first].queue == b->tie.queue[k])
                return true;
    return false;
}

static pts_status break_tie(struct by_time *b, uint32_t n, uint32_t *first)
{
    pts_status st = b->tie.tsc == b->same[0].tsc ? PTS_OK : find_order(b, n);

    return st == PTS_OK && !first_in_order(b, n, first) ? PTS_E_UNSUPPORTED : st;
}

/* All that are at the least time, out of the heap. */
static uint32_t take_same(struct by_time *b, uint32_t least)
{
    const uint64_t tsc = b->lane[least].tsc;
    uint32_t n = 1;

    b->same[0] = (struct queued){tsc, least};
    while (b->count && b->heap[0].tsc == tsc) {
        b->same[n].tsc = tsc;
        b->same[n++].queue = take_least(b);
    }
    return n;
}

/* Whether another one is at the time of the first in the heap, of which the event is known. */
static bool is_tied(const struct by_time *b)
{
    const uint64_t tsc = b->heap[0].tsc;

    return b->lane[b->heap[0].queue].known &&
           ((b->count > 1 && b->heap[1].tsc == tsc) ||
            (b->count > 2 && b->heap[2].tsc == tsc));
}

/* The one that goes on of those that are tied: it becomes the first in the heap. */
static pts_status untie(struct by_time *b)
{
    const uint32_t n = take_same(b, take_least(b));
    pts_status st = PTS_OK;
    uint32_t first = first_of(b, b->same, n);
    if (first == UINT32_MAX)
        st = break_tie(b, n, &first);
    if (st == PTS_OK)
        put(b, b->same[first].queue); /* others at its time stay behind it */
    for (uint32_t i = 0; i < n; i++)
        if (st != PTS_OK || i != first)
            put(b, b->same[i].queue);
    return st;
}

/* It stays where it is in the heap until it is followed. */
static void tell(struct by_time *b, uint32_t queue, struct merge_event *out)
{
    struct lane *l = &b->lane[queue];

    *out = event_of(b, queue);
    l->at++;
    l->known = false;
}

pts_status by_time_next(struct by_time *b, uint64_t until, struct merge_event *out)
{
    bool paused = false;
    pts_status st;

    out->ev = NULL;
    b->until = until;
    while (!paused && b->count && b->heap[0].tsc < until) {
        b->began = true;
        if (is_tied(b) && (st = untie(b)) != PTS_OK)
            return st;
        const uint32_t queue = b->heap[0].queue;
        if (b->lane[queue].known) {
            tell(b, queue, out);
            return PTS_OK;
        }
        st = follow(b, queue, &paused);
        if (st < 0)
            return st;
        if (st == PTS_END)
            take_least(b);
        else
            queue_replace(b->heap, b->count,
                          (struct queued){b->lane[queue].tsc, queue});
    }
    if (paused)
        return PTS_OK;
    turns_stop(&b->tie.stops, until);
    return PTS_END;
}

/* --- Behind the event that was told, which is of the first queue in the heap --- */

/* The least time of another queue. */
static uint64_t others_from(const struct by_time *b)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 1; i < b->count && i < 3; i++)
        if (b->heap[i].tsc < least)
            least = b->heap[i].tsc;
    return least;
}

/* Events whose time has gone back are as late as those before them: so none may be where another queue has
 * got that far, too. */
struct merge_line by_time_line(const struct by_time *b)
{
    const struct lane *l = &b->lane[b->heap[0].queue];
    const uint64_t others = others_from(b);
    const uint64_t until = others < b->until ? others : b->until;

    return (struct merge_line){l->batch.at + l->at,
                               l->tsc < until ? l->batch.count - l->at : 0, until};
}

void by_time_took(struct by_time *b, uint32_t count)
{
    struct lane *l = &b->lane[b->heap[0].queue];

    for (; count; count--) {
        look(l);
        l->at += l->known;
    }
    l->known = false;
}
