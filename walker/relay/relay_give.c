/* relay_give.c - segments of a queue on their way to the crew and back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/relay/relay_give.h"

#include <string.h>

enum {
    WRONG_WEIGHT = 2, /* of a wrong guess; a right one has 1 */
    WRONG_FEW = 4,    /* behind more than that 2, 4, ... segments are left out */
    WRONG_MANY = 6
};

void relay_first_gone(struct relay *r)
{
    struct segment *s = relay_first_given(r);

    crew_recall(r->conf.team->crew, &s->task);
    segment_clear(s);
    r->first++;
    r->count--;
    r->telling = false;
}

/* The next one is given, of which that is known. */
static void give_one(struct relay *r, const uint8_t *missing)
{
    struct segment *s = &r->ring[(r->first + r->count) % r->kind.most];

    s->from = r->next;
    s->all_times = r->conf.flow->want_times &&
                   (r->kind.chained || r->crowded || r->conf.team->crowd);
    s->to = cut_behind(&r->conf.queue, r->next.begin, relay_bytes_of_segment(r));
    r->next = s->to;
    s->known = (struct flow_known){.ranges = r->conf.flow->range_count > 0,
                                   .buf = r->truth->at.buf,
                                   .trace_nr = r->truth->told.trace_nr,
                                   .range = r->truth->told.range};
    memcpy(s->missing, missing, r->dsos);
    r->count++;
    crew_give(r->conf.team->crew, &s->task);
}

void relay_give_known(struct relay *r, const struct carry *truth,
                      const struct flow *flow, const uint8_t *missing)
{
    const struct queue_place at = {truth->at.buf, truth->at.off};
    struct segment *s = &r->ring[(r->first + r->count) % r->kind.most];

    if (!r->next.any || queue_place_before(at, r->next.begin) ||
        queue_place_before(r->next.begin, at))
        return;
    s->guess = *truth;
    s->before = flow;
    give_one(r, missing);
}

void relay_give_start(struct relay *r)
{
    struct segment *s = &r->ring[r->first % r->kind.most];

    s->starts = true;
    s->to = r->next;
    memset(s->missing, 0, r->dsos); /* it starts, too */
    r->count++;
    crew_give(r->conf.team->crew, &s->task);
}

/* One may be on its way that looks at what the one before it knows. */
void relay_all_gone(struct relay *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        crew_recall(r->conf.team->crew, &r->ring[(r->first + i) % r->kind.most].task);
    while (r->count)
        relay_first_gone(r);
}

/* A leap may have left behind what was to come next. */
void relay_cut_again(struct relay *r)
{
    if (r->count ||
        (r->cuts &&
         !(r->next.any && queue_place_before(r->next.begin, relay_truth_at(r)))))
        return;
    r->next = cut_behind(&r->conf.queue, relay_truth_at(r), relay_bytes_of_segment(r));
    r->cuts = true;
}

void relay_give_ahead(struct relay *r)
{
    while (r->next.any && r->count < r->allowed && !r->kind.crowds_only)
        give_one(r, r->missing);
}

void relay_guess_more(struct relay *r)
{
    r->wrong -= r->wrong > 0;
    if (r->allowed < r->kind.most)
        r->allowed++;
}

/* More wrong guesses than right ones: fewer are made, as it costs to follow all again. */
void relay_guess_less(struct relay *r)
{
    r->wrong += WRONG_WEIGHT;
    uint32_t more = r->wrong > WRONG_FEW ? r->wrong - WRONG_FEW : 0;

    r->allowed = 1;
    if (!more)
        return;
    relay_all_gone(r);
    r->next =
        cut_behind(&r->conf.queue, relay_truth_at(r),
                   (uint64_t)r->kind.bytes << (more < WRONG_MANY ? more : WRONG_MANY));
}
