/* retstack.c - return addresses of calls whose RET may be compressed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/retstack.h"

#include "decoder/base/arena.h"

void ret_free(struct ret_stack *s)
{
    mem_free(s->at);
    s->at = NULL;
    s->size = s->count = s->top = 0;
}

/* Turns the ring so that the oldest entry is the first. */
static void entries_take(const struct ret_stack *s, struct ret_entry *to)
{
    uint32_t first = s->top - s->count;

    for (uint32_t i = 0; i < s->count; i++)
        to[i] = s->at[(first + i) & (s->size - 1)];
}

bool ret_grow(struct ret_stack *s)
{
    uint32_t size = s->size ? s->size * 2 : RET_STACK_FIRST;

    if (s->size == RET_STACK_SIZE) {
        s->count--; /* the oldest is forgotten */
        return true;
    }
    struct ret_entry *at = mem_resize(NULL, size, sizeof(*at));
    if (!at) {
        s->failed = true;
        return false;
    }
    entries_take(s, at);
    mem_free(s->at);
    s->at = at;
    s->size = size;
    s->top = s->count;
    return true;
}

void ret_copy(struct ret_stack *to, const struct ret_stack *from)
{
    uint32_t first = from->top - from->count;

    ret_clear(to);
    for (uint32_t i = 0; i < from->count; i++)
        ret_push(to, from->at[(first + i) & (from->size - 1)].ip);
    to->open = from->open;
}
