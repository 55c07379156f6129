/* plain_end.c - how far a queue must be followed for its errors.
 *
 * SPDX-License-Identifier: MIT
 *
 *     queue    ........PSB.......PSB.......PSB.......PSB......|
 *     parts                 4         3         2         1      are looked at side by side
 *     plain            |    no      plain     plain     plain
 *     followed =============|
 */
#include "walker/flow/plain_end.h"

#include "decoder/base/arena.h"
#include "decoder/pt/psb.h"

enum { PARTS_OF_ONE = 2 /* for each thread at once */ };

struct part_task {
    struct crew_task task;
    struct plain_part part;
    struct queue_place place; /* where it begins */
    const uint8_t *plain;
};

static void look(struct crew_task *task, uint32_t who)
{
    struct part_task *t = (struct part_task *)task;

    (void)who;
    t->plain = plain_from(&t->part);
}

/* Where parts are cut off, from the end of the queue to its beginning. */
struct part_cut {
    const struct plain_search *how;
    struct flow_queue *queue;
    uint32_t buf;  /* index of the buffer that is being cut; queue->count: none yet */
    uint64_t left; /* bytes of it */
};

bool plain_is_enough(const struct flow_config *c)
{
    return c->quick == 1 && !(c->want & ~(uint32_t)EV_ERROR) && !c->want_times &&
           !c->strict && !c->bare && !c->range_count;
}

/* The buffer before it, if that is of the same trace. */
static bool cut_before(struct part_cut *c)
{
    const struct pt_buf *bufs = c->queue->bufs;

    while (!c->left) {
        if (!c->buf || (c->buf < c->queue->count && !bufs[c->buf].consecutive))
            return false;
        c->left = bufs[--c->buf].len;
    }
    return true;
}

/* The last part that has not been cut off. */
static bool cut_off(struct part_cut *c, struct part_task *out)
{
    const uint64_t bytes = c->how->part_bytes;

    if (!cut_before(c))
        return false;
    const struct pt_buf *b = &c->queue->bufs[c->buf];
    const uint8_t *end = b->ptr + c->left, *at = NULL;

    for (uint64_t back = bytes; !at && back < c->left; back += bytes)
        at = psb_find_last(end - back, end);
    if (!at)
        at = b->ptr;
    c->left = (uint64_t)(at - b->ptr);
    *out = (struct part_task){
        .task = {.run = look     },
        .part = {    c->how->sizes,              at, end, b->ptr + b->len, c->how->stretch},
        .place = { c->buf, c->left}
    };
    return true;
}

/* Some parts, begun side by side; their number. */
static uint32_t give_some(struct part_cut *c, struct part_task *at, uint32_t room)
{
    uint32_t n = 0;

    for (; n < room && cut_off(c, &at[n]); n++) {
        if (c->how->crew)
            crew_give(c->how->crew, &at[n].task);
    }
    return n;
}

static void await(const struct part_cut *c, struct part_task *t)
{
    const struct plain_search *how = c->how;

    if (how->crew)
        crew_await(how->crew, &t->task);
    else
        look(&t->task, 0);
    if (how->passed)
        how->passed(how->ctx, (uint64_t)(t->part.end - t->part.at));
}

/* What is behind the part is plain.  Whether all of it is, too. */
static bool part_is_plain(struct flow_queue *q, const struct part_task *t)
{
    if (t->plain == t->part.end)
        return false;
    q->plain_end = true;
    q->plain = t->place;
    q->plain.off += (uint64_t)(t->plain - t->part.at);
    return t->plain == t->part.at;
}

pts_status plain_end_find(const struct plain_search *how, struct flow_queue *queue)
{
    const uint32_t room = how->crew ? crew_size(how->crew) * PARTS_OF_ONE : 1;
    struct part_task *at = mem_zalloc(room, sizeof(*at));
    struct part_cut cut = {how, queue, queue->count, 0};
    const pts_status st = at ? PTS_OK : PTS_E_NOMEM;
    bool plain = at != NULL;

    while (plain) {
        uint32_t n = give_some(&cut, at, room);
        plain = n > 0;
        for (uint32_t i = 0; i < n; i++) {
            await(&cut, &at[i]);
            plain = plain && part_is_plain(queue, &at[i]);
        }
    }
    mem_free(at);
    return st;
}
