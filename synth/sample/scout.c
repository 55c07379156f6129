/* scout.c - which of several events at the same time comes first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/scout.h"

/* A queue is not followed further than that for one tie, bytes. */
enum { FAR = 2 << 20 };
/* Where more has to be followed once more, bytes and a share of all that was, it costs less to tell all times
 * from the beginning. */
enum { FEW = 256 << 10, SHARE = 8 };

void scout_free(struct scout *s)
{
    turns_free(&s->turns);
}

/* The times of an event.  PTS_END: they are behind the tie. */
static pts_status take(struct turns *t, uint32_t queue, const struct pt_event *ev)
{
    const uint64_t since = t->stops->since;
    const uint32_t more = ev->what ? 0 : ev->later;
    pts_status st = PTS_OK;

    if (ev->what & EV_ERROR) /* it stops nobody */
        return PTS_OK;
    for (uint32_t i = 0; st == PTS_OK && i <= more; i++) {
        if (ev->times[i] >= since)
            st = turns_time(t, queue, ev->times[i]);
    }
    return st;
}

static pts_status follow(struct scout *s, uint32_t queue, struct flow *f)
{
    struct turns *const t = &s->turns;
    const uint64_t begin = flow_passed(f);
    struct event_batch b;
    pts_status st = PTS_OK;

    flow_until(f, t->stops->since);
    while (st == PTS_OK && flow_passed(f) - begin < FAR) {
        st = flow_next(f, &b);
        for (uint32_t i = 0; st == PTS_OK && i < b.count; i++)
            st = take(t, queue, &b.at[i]);
    }
    s->followed += flow_passed(f) - begin;
    return st == PTS_OK ? PTS_E_UNSUPPORTED : st;
}

/* From a place before the first stop. */
static pts_status follow_queue(struct scout *s, const struct scout_queues *of,
                               uint32_t queue)
{
    const uint64_t since = s->turns.stops->since;
    struct relay_scout found = {NULL, 0};
    pts_status st = relay_scout(of->relay(of->ctx, queue), &s->conf, since, &found);

    if (st == PTS_OK && found.tsc >= since)
        st = turns_time(&s->turns, queue, found.tsc);
    if (st == PTS_OK)
        st = follow(s, queue, found.flow);
    /* A return address that it could not have: what it told may be wrong. */
    if (st >= 0 && found.flow && flow_missed(found.flow))
        st = PTS_E_UNSUPPORTED;
    flow_free(found.flow);
    return st == PTS_END ? PTS_OK : st;
}

pts_status scout_order(struct scout *s, const struct scout_queues *of,
                       const struct by_time_tie *tie)
{
    if (s->followed > FEW + of->passed / SHARE)
        return PTS_E_UNSUPPORTED;
    s->conf = *of->conf;
    s->conf.want_times = true;
    s->conf.last_branches = 0; /* they are told later than at their times */
    pts_status st = turns_begin(&s->turns, of->count, tie->tsc, &tie->stops);
    for (uint32_t i = 0; st == PTS_OK && i < of->count; i++)
        st = follow_queue(s, of, i);
    return st == PTS_OK ? turns_order(&s->turns, tie->queue, tie->count) : st;
}
