/* rooms.c - room for events, used again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/rooms.h"

#include "decoder/base/arena.h"

#include <pthread.h>

struct rooms {
    pthread_mutex_t lock;
    VEC(struct room) kept; /* the one that was given last is taken first */
};

void room_clear(struct room *r)
{
    r->events.len = r->more.len = r->insns.len = 0;
    r->extras.len = r->blocks.len = 0;
}

void room_free(struct room *r)
{
    VEC_FREE(&r->events);
    VEC_FREE(&r->more);
    VEC_FREE(&r->insns);
    VEC_FREE(&r->extras);
    VEC_FREE(&r->blocks);
}

pts_status rooms_new(struct rooms **out)
{
    struct rooms *r = mem_zalloc(1, sizeof(*r));

    if (!r)
        return PTS_E_NOMEM;
    if (pthread_mutex_init(&r->lock, NULL) != 0) {
        mem_free(r);
        return PTS_E_NOMEM;
    }
    *out = r;
    return PTS_OK;
}

void rooms_free(struct rooms *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->kept.len; i++)
        room_free(&r->kept.at[i]);
    VEC_FREE(&r->kept);
    pthread_mutex_destroy(&r->lock);
    mem_free(r);
}

void rooms_take(struct rooms *r, struct room *out)
{
    *out = (struct room){0};
    pthread_mutex_lock(&r->lock);
    if (r->kept.len)
        *out = r->kept.at[--r->kept.len];
    pthread_mutex_unlock(&r->lock);
}

void rooms_give(struct rooms *r, struct room *from)
{
    room_clear(from);
    pthread_mutex_lock(&r->lock);
    struct room *to = from->events.cap ? VEC_PUSH(&r->kept) : NULL;
    if (to)
        *to = *from;
    pthread_mutex_unlock(&r->lock);
    if (!to)
        room_free(from);
    *from = (struct room){0};
}
