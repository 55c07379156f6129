/* turns.c - in which order queues pass a time, from what is known of a little while before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/turns.h"

#include <string.h>

enum { STATES = 256 }; /* at once */

/* What may be: the place of each queue among its times and, if shaped, the heap. */
struct state {
    uint32_t waiting; /* in the heap */
    uint32_t heap[TURNS_FEW];
    uint32_t at[];
};

struct turns_states {
    uint32_t count;
    size_t size; /* of each */
    char room[];
};

/* --- Times --- */

void turns_free(struct turns *t)
{
    for (uint32_t i = 0; t->queue && i < t->count; i++)
        VEC_FREE(&t->queue[i].time);
    mem_free(t->queue);
    mem_free(t->states);
    *t = (struct turns){0};
}

static pts_status make_room(struct turns *t, uint32_t queues)
{
    enum { SPARE = 2 }; /* states in hand */
    const size_t size = sizeof(struct state) + queues * sizeof(uint32_t);

    turns_free(t);
    t->queue = mem_zalloc((size_t)queues + 1, sizeof(*t->queue));
    t->states = mem_zalloc(1, sizeof(*t->states) + (STATES + SPARE) * size);
    if (!t->queue || !t->states)
        return PTS_E_NOMEM;
    t->states->size = size;
    t->count = queues;
    return PTS_OK;
}

void turns_stop(struct turns_stops *s, uint64_t tsc)
{
    if (s->count && tsc <= s->at[s->count - 1])
        return;
    if (s->count == TURNS_STOPS) {
        s->since = s->at[0];
        memmove(s->at, s->at + 1, --s->count * sizeof(s->at[0]));
    }
    s->at[s->count++] = tsc;
}

pts_status turns_begin(struct turns *t, uint32_t queues, uint64_t tsc,
                       const struct turns_stops *stops)
{
    pts_status st = t->count == queues && t->states ? PTS_OK : make_room(t, queues);

    for (uint32_t i = 0; st == PTS_OK && i < queues; i++)
        t->queue[i].time.len = 0;
    t->tsc = tsc;
    t->stops = stops;
    return st;
}

pts_status turns_time(struct turns *t, uint32_t queue, uint64_t tsc)
{
    struct turns_queue *q = &t->queue[queue];
    const uint64_t last = q->time.len ? q->time.at[q->time.len - 1] : 0;

    if (tsc < last)
        return PTS_E_UNSUPPORTED;
    if (tsc == last && q->time.len)
        return PTS_OK;
    uint64_t *at = VEC_PUSH(&q->time);
    if (!at)
        return PTS_E_NOMEM;
    *at = tsc;
    return tsc > t->tsc ? PTS_END : PTS_OK;
}

/* --- States --- */

static struct state *state_at(const struct turns *t, uint32_t i)
{
    return (struct state *)(t->states->room + i * t->states->size);
}

/* UINT64_MAX: it has come to its end. */
static uint64_t time_of(const struct turns *t, const struct state *s, uint32_t queue)
{
    const struct turns_queue *q = &t->queue[queue];

    return s->at[queue] < q->time.len ? q->time.at[s->at[queue]] : UINT64_MAX;
}

/* The least time, but that of queue `other`. */
static uint64_t least_time(const struct turns *t, const struct state *s, uint32_t other)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < t->count; i++) {
        const uint64_t at = time_of(t, s, i);
        if (i != other && at < least)
            least = at;
    }
    return least;
}

static bool state_add(struct turns *t, const struct state *s)
{
    struct turns_states *all = t->states;

    for (uint32_t i = 0; i < all->count; i++)
        if (memcmp(state_at(t, i), s, all->size) == 0)
            return true;
    if (all->count == STATES)
        return false;
    memcpy(state_at(t, all->count++), s, all->size);
    return true;
}

/* The one whose time is least: so that those that come to be the same are there together. */
static void state_take(struct turns *t, struct state *out)
{
    uint64_t least = UINT64_MAX;
    uint32_t first = 0;

    for (uint32_t i = 0; i < t->states->count; i++) {
        const uint64_t at = least_time(t, state_at(t, i), UINT32_MAX);
        if (at < least) {
            least = at;
            first = i;
        }
    }
    memcpy(out, state_at(t, first), t->states->size);
    memmove(state_at(t, first), state_at(t, --t->states->count), t->states->size);
}

/* --- Shapes --- */

/* Whether a queue that is not in the heap yet may be put into its next place. */
static bool has_place(const struct turns *t, const struct state *s, uint32_t queue)
{
    const uint32_t at = s->waiting;

    for (uint32_t i = 0; i < at; i++)
        if (s->heap[i] == queue)
            return false;
    return t->queue[queue].time.len &&
           (!at || time_of(t, s, s->heap[(at - 1) / 2]) <= time_of(t, s, queue));
}

/* The next shape behind one of which some places are filled: false: there is none. */
static bool next_shape(const struct turns *t, struct state *s, uint32_t *queue)
{
    for (; *queue < t->count; ++*queue)
        if (has_place(t, s, *queue)) {
            s->heap[s->waiting++] = *queue;
            *queue = 0;
            return true;
        }
    if (!s->waiting)
        return false;
    *queue = s->heap[--s->waiting] + 1;
    s->heap[s->waiting] = 0;
    return true;
}

/* Each in which so many queues can be.  False: there are too many. */
static bool add_shapes(struct turns *t, struct state *s, uint32_t waiting)
{
    uint32_t queue = 0; /* that is tried for the next place */

    while (next_shape(t, s, &queue)) {
        if (s->waiting < waiting)
            continue;
        if (!state_add(t, s))
            return false;
        queue = t->count;
    }
    return true;
}

/* As merge.c does: takes the first one out of the heap, or puts one in. */
static uint32_t shape_pop(const struct turns *t, struct state *s)
{
    struct queued heap[TURNS_FEW] = {0};

    for (uint32_t i = 0; i < s->waiting; i++)
        heap[i] = (struct queued){time_of(t, s, s->heap[i]), s->heap[i]};
    const uint32_t queue = queue_pop(heap, &s->waiting).queue;
    for (uint32_t i = 0; i < s->waiting; i++)
        s->heap[i] = heap[i].queue;
    s->heap[s->waiting] = 0;
    return queue;
}

static void shape_push(const struct turns *t, struct state *s, uint32_t queue)
{
    struct queued heap[TURNS_FEW] = {0};

    for (uint32_t i = 0; i < s->waiting; i++)
        heap[i] = (struct queued){time_of(t, s, s->heap[i]), s->heap[i]};
    queue_push(heap, &s->waiting, (struct queued){time_of(t, s, queue), queue});
    for (uint32_t i = 0; i < s->waiting; i++)
        s->heap[i] = heap[i].queue;
}

/* All of the beginning. */
static bool begin_states(struct turns *t)
{
    struct state *s = state_at(t, STATES);
    uint32_t waiting = 0;

    memset(s, 0, t->states->size);
    t->states->count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        waiting += t->queue[i].time.len != 0;
    t->shaped = waiting <= TURNS_FEW;
    if (!t->shaped)
        return state_add(t, s);
    if (t->stops->since)
        return add_shapes(t, s, waiting);
    /* The beginning: there they came in order. */
    for (uint32_t i = 0; i < t->count; i++)
        if (t->queue[i].time.len)
            shape_push(t, s, i);
    return state_add(t, s);
}

/* --- Turns --- */

/* The queues that are at the time in question, in the order in which they pass it as far as that is known. */
struct tied {
    uint32_t *queue;
    uint32_t count, known;
};

static bool is_tied(const struct tied *d, uint32_t queue, uint32_t *i)
{
    for (*i = 0; *i < d->count; ++*i)
        if (d->queue[*i] == queue)
            return true;
    return false;
}

static bool has_passed(const struct turns *t, const struct state *s, uint32_t queue)
{
    return time_of(t, s, queue) > t->tsc;
}

static uint32_t passed(const struct turns *t, const struct state *s,
                       const struct tied *d)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->count; i++)
        n += has_passed(t, s, d->queue[i]);
    return n;
}

/* A queue is the n-th to pass.  False: elsewhere another one was. */
static bool passes(struct tied *d, uint32_t queue, uint32_t n)
{
    uint32_t i;

    if (!is_tied(d, queue, &i) || i < n)
        return false;
    if (n == d->known) {
        d->queue[i] = d->queue[n];
        d->queue[n] = queue;
        d->known++;
    }
    return d->queue[n] == queue;
}

/* The last time that a queue may pass in its turn. */
static uint64_t turn_end(const struct turns *t, const struct state *s, uint32_t queue)
{
    const uint64_t others = least_time(t, s, queue), now = time_of(t, s, queue);

    for (uint32_t i = 0; i < t->stops->count; i++)
        if (t->stops->at[i] > now)
            return t->stops->at[i] - 1 < others ? t->stops->at[i] - 1 : others;
    return others;
}

/* The turn of a queue, which is not in the heap.  False: where it leads to is not known. */
static bool take_turn(struct turns *t, const struct state *from, uint32_t queue,
                      struct tied *d)
{
    const uint64_t end = turn_end(t, from, queue);
    struct state *to = state_at(t, STATES);
    uint32_t i;

    memcpy(to, from, t->states->size);
    while (time_of(t, to, queue) <= end && to->at[queue] < t->queue[queue].time.len)
        to->at[queue]++;
    if (has_passed(t, to, queue) && is_tied(d, queue, &i) &&
        !passes(d, queue, passed(t, from, d)))
        return false;
    if (passed(t, to, d) == d->count)
        return true;
    if (t->shaped && time_of(t, to, queue) != UINT64_MAX)
        shape_push(t, to, queue);
    return state_add(t, to);
}

static bool take_turns(struct turns *t, struct state *from, struct tied *d)
{
    const uint64_t least = least_time(t, from, UINT32_MAX);

    if (t->shaped)
        return take_turn(t, from, shape_pop(t, from), d);
    for (uint32_t i = 0; i < t->count; i++)
        if (time_of(t, from, i) == least && !take_turn(t, from, i, d))
            return false;
    return true;
}

static bool has_time(const struct turns_queue *q, uint64_t tsc)
{
    for (size_t i = q->time.len; i-- > 0 && q->time.at[i] >= tsc;)
        if (q->time.at[i] == tsc)
            return true;
    return false;
}

pts_status turns_order(struct turns *t, uint32_t *queue, uint32_t count)
{
    struct state *from = state_at(t, STATES + 1);
    struct tied d = {queue, count, 0};

    for (uint32_t i = 0; i < count; i++)
        if (!has_time(&t->queue[queue[i]], t->tsc))
            return PTS_E_UNSUPPORTED;
    if (!begin_states(t))
        return PTS_E_UNSUPPORTED;
    while (t->states->count) {
        state_take(t, from);
        if (!take_turns(t, from, &d))
            return PTS_E_UNSUPPORTED;
    }
    return d.known == count ? PTS_OK : PTS_E_UNSUPPORTED;
}
