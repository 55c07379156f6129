/* rooms.c - room for events, used again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/rooms.h"

#include "decoder/base/arena.h"

#include <pthread.h>

/* Events that a new room is made for at most: from there on it grows. */
enum { USUAL_MOST = 1 << 16 };

struct rooms {
    pthread_mutex_t lock;
    size_t usual; /* events: as many as any segment told, up to USUAL_MOST */
    uint32_t count, most;
    struct room at[];
};

pts_status rooms_new(uint32_t most, struct rooms **out)
{
    struct rooms *r = mem_zalloc(1, sizeof(*r) + most * sizeof(r->at[0]));

    if (!r)
        return PTS_E_NOMEM;
    if (pthread_mutex_init(&r->lock, NULL) != 0) {
        mem_free(r);
        return PTS_E_NOMEM;
    }
    r->most = most;
    *out = r;
    return PTS_OK;
}

static void room_free(struct room *room)
{
    VEC_FREE(&room->events);
    VEC_FREE(&room->more);
    VEC_FREE(&room->insns);
}

void rooms_free(struct rooms *r)
{
    if (!r)
        return;
    while (r->count)
        room_free(&r->at[--r->count]);
    pthread_mutex_destroy(&r->lock);
    mem_free(r);
}

void rooms_take(struct rooms *r, struct room *out)
{
    pthread_mutex_lock(&r->lock);
    const size_t usual = r->usual;
    if (r->count)
        *out = r->at[--r->count];
    pthread_mutex_unlock(&r->lock);
    if (!out->events.cap && usual)
        (void)VEC_ROOM(&out->events, usual); /* else it grows */
}

void rooms_give(struct rooms *r, struct room *from)
{
    pthread_mutex_lock(&r->lock);
    bool kept = r->count < r->most;
    if (from->events.len > r->usual)
        r->usual = from->events.len < USUAL_MOST ? from->events.len : USUAL_MOST;
    if (kept)
        r->at[r->count++] = *from;
    pthread_mutex_unlock(&r->lock);
    if (!kept)
        room_free(from);
    *from = (struct room){0};
}
