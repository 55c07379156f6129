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

enum {
    TASKS_OF_ONE = 2 /* for each thread at once */,
    PARTS = 64 /* of a task, at most */
};

/* Parts that are looked at by one, from the last on. */
struct part_task {
    struct crew_task task;
    const struct plain_search *how;
    struct plain_part part[PARTS];
    struct queue_place place[PARTS]; /* where they begin */
    uint32_t count;
    uint64_t bytes; /* of all */
};

static void look(struct crew_task *task, uint32_t who)
{
    struct part_task *t = (struct part_task *)task;

    (void)who;
    plain_read(t->how->sizes, t->part, t->count, t->how->stretch);
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

/* Adds the last part that has not been cut off. */
static bool cut_off(struct part_cut *c, struct part_task *t)
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
    t->part[t->count] = (struct plain_part){at, end, b->ptr + b->len, NULL};
    t->place[t->count++] = (struct queue_place){c->buf, c->left};
    t->bytes += (uint64_t)(end - at);
    return true;
}

/* A task of about as many bytes as one looks at.  False: nothing is left. */
static bool cut_task(struct part_cut *c, struct part_task *t)
{
    t->task = (struct crew_task){.run = look};
    t->how = c->how;
    t->count = 0;
    t->bytes = 0;
    while (t->count < PARTS && t->bytes < c->how->part_bytes && cut_off(c, t))
        ;
    return t->count;
}

/* Some tasks, begun side by side; their number. */
static uint32_t give_some(struct part_cut *c, struct part_task *at, uint32_t room)
{
    uint32_t n = 0;

    for (; n < room && cut_task(c, &at[n]); n++) {
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
        how->passed(how->ctx, t->bytes);
}

/* What is behind these parts is plain.  Whether all of them are, too. */
static bool parts_are_plain(struct flow_queue *q, const struct part_task *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct plain_part *p = &t->part[i];
        if (p->plain == p->end)
            return false;
        q->plain_end = true;
        q->plain = t->place[i];
        q->plain.off += (uint64_t)(p->plain - p->at);
        if (p->plain != p->at)
            return false;
    }
    return true;
}

pts_status plain_end_find(const struct plain_search *how, struct flow_queue *queue)
{
    const uint32_t room = how->crew ? crew_size(how->crew) * TASKS_OF_ONE : 1;
    struct part_task *at = mem_zalloc(room, sizeof(*at));
    struct part_cut cut = {how, queue, queue->count, 0};
    const pts_status st = at ? PTS_OK : PTS_E_NOMEM;
    bool plain = at != NULL;

    while (plain) {
        uint32_t n = give_some(&cut, at, room);
        plain = n > 0;
        for (uint32_t i = 0; i < n; i++) {
            await(&cut, &at[i]);
            plain = plain && parts_are_plain(queue, &at[i]);
        }
    }
    mem_free(at);
    return st;
}
