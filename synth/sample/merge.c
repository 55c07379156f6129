/* merge.c - the events of all queues in the order in which perf prints them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Queues wait in a heap by time (queue_heap.h).
 */
#include "synth/sample/merge.h"

#include "decoder/base/arena.h"
#include "synth/sample/queue_heap.h"

#define NO_QUEUE UINT32_MAX

struct queue {
    struct event_batch batch;
    uint32_t at;
    uint32_t time;                /* of the event there: that of so many is the next */
    const struct pt_event *waits; /* printed when it runs again */
    bool stopped;                 /* its turn ended ... */
    uint64_t stopped_tsc;         /* ... here */
};

struct merge {
    struct merge_source source;
    struct queue *queue;
    struct queued *heap;
    uint32_t heap_count;
    uint32_t running;       /* NO_QUEUE: none */
    struct relay_turn turn; /* of it */
    uint32_t turns;         /* how many there were, with it */
};

pts_status merge_new(uint32_t queues, const struct merge_source *source,
                     struct merge **out)
{
    struct merge *m = mem_zalloc(1, sizeof(*m));
    if (!m)
        return PTS_E_NOMEM;
    m->source = *source;
    m->running = NO_QUEUE;
    m->queue = mem_zalloc((size_t)queues + 1, sizeof(*m->queue));
    m->heap = mem_zalloc((size_t)queues + 1, sizeof(*m->heap));
    if (!m->queue || !m->heap) {
        merge_free(m);
        return PTS_E_NOMEM;
    }
    *out = m;
    return PTS_OK;
}

void merge_free(struct merge *m)
{
    if (!m)
        return;
    mem_free(m->queue);
    mem_free(m->heap);
    mem_free(m);
}

void merge_add(struct merge *m, uint32_t q, uint64_t tsc)
{
    queue_push(m->heap, &m->heap_count, (struct queued){tsc, q});
}

bool merge_began(const struct merge *m)
{
    return m->turns != 0;
}

uint32_t merge_turns(const struct merge *m)
{
    return m->turns;
}

void merge_run(struct merge *m, uint32_t q)
{
    m->turns++;
    m->running = q;
    m->turn = (struct relay_turn){UINT64_MAX, UINT64_MAX};
}

/* The least queue runs next.  False: none is before `until`. */
/* It runs until its time passes that of the next queue: a tie does not stop it. */
static bool run_least(struct merge *m, uint64_t until)
{
    if (!m->heap_count || m->heap[0].tsc >= until)
        return false;
    m->running = queue_pop(m->heap, &m->heap_count).queue;
    m->turn = (struct relay_turn){until, m->heap_count ? m->heap[0].tsc : UINT64_MAX};
    m->turns++;
    if (m->turn.others < until - 1)
        m->turn.until = m->turn.others + 1;
    return true;
}

/* A time that is not before the end of its turn ends it. */
static bool stops(const struct merge *m, struct queue *q, uint64_t tsc)
{
    q->stopped = tsc >= m->turn.until;
    q->stopped_tsc = tsc;
    return q->stopped;
}

/* False: one of the times of an event that says no more ends the turn; there may be others
 * behind it. */
static bool pass_times(const struct merge *m, struct queue *q,
                       const struct pt_event *ev)
{
    bool on = true;

    while (on && q->time <= ev->later)
        on = !stops(m, q, ev->times[q->time++]);
    if (q->time > ev->later) {
        q->time = 0;
        q->at++;
    }
    return on;
}

/* The next batch where one is at its end.  No event in it: *paused. */
static pts_status fill(struct merge *m, struct queue *q, bool *paused)
{
    if (q->at < q->batch.count)
        return PTS_OK;
    q->at = 0;
    q->batch.count = 0;
    pts_status st = m->source.next(m->source.ctx, m->running, &m->turn, &q->batch);
    *paused = st == PTS_OK && !q->batch.count;
    return st;
}

/* An event that is not before the end of its turn waits, and comes first in the next
 * one.  Errors never wait, as in perf.  Without an event: *paused, or the turn ends. */
static pts_status next_of(struct merge *m, struct queue *q, const struct pt_event **ev,
                          bool *paused)
{
    pts_status st;

    q->stopped = false;
    if (q->waits) {
        *ev = q->waits;
        q->waits = NULL;
        return PTS_OK;
    }
    while ((st = fill(m, q, paused)) == PTS_OK && !*paused) {
        const struct pt_event *next = &q->batch.at[q->at];
        if (!next->what) {
            if (!pass_times(m, q, next))
                break;
            continue;
        }
        q->at++;
        if (next->what & EV_ERROR || !stops(m, q, next->tsc))
            *ev = next;
        else
            q->waits = next;
        break;
    }
    return st;
}

pts_status merge_next(struct merge *m, uint64_t until, struct merge_event *out)
{
    for (;;) {
        if (m->running == NO_QUEUE && !run_least(m, until))
            return PTS_END;
        struct queue *q = &m->queue[m->running];
        const struct pt_event *ev = NULL;
        bool paused = false;
        pts_status st = next_of(m, q, &ev, &paused);
        if (st < 0)
            return st;
        if (paused) {
            out->ev = NULL;
            return PTS_OK;
        }
        if (ev) {
            /* EV_THREAD goes on to who asks for whom a queue runs */
            *out = (struct merge_event){m->running, ev, &q->batch};
            return PTS_OK;
        }
        if (q->stopped) /* else it is at its end */
            merge_add(m, m->running, q->stopped_tsc);
        m->running = NO_QUEUE;
    }
}

struct merge_line merge_line(const struct merge *m)
{
    const struct queue *q = &m->queue[m->running];

    return (struct merge_line){q->batch.at + q->at, q->batch.count - q->at,
                               m->turn.until};
}

void merge_took(struct merge *m, uint32_t count)
{
    m->queue[m->running].at += count;
}
