/* retstack.c - return addresses of calls whose RET may be compressed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/retstack.h"

#include "decoder/base/arena.h"

#include <string.h>

void ret_free(struct ret_stack *s)
{
    mem_free(s->at);
    s->at = NULL;
    s->size = s->count = 0;
}

static void forget_older_half(struct ret_stack *s)
{
    const uint32_t half = s->size / 2;

    s->count -= half;
    s->stale = s->stale > half ? s->stale - half : 0;
    memmove(s->at, s->at + half, s->count * sizeof(*s->at));
}

bool ret_grow(struct ret_stack *s)
{
    if (s->size == RET_STACK_SIZE) {
        forget_older_half(s);
        return true;
    }
    uint32_t size = s->size ? s->size * 2 : RET_STACK_FIRST;
    struct ret_entry *at = mem_resize(s->at, size, sizeof(*at));
    if (!at) {
        s->failed = true;
        return false;
    }
    s->at = at;
    s->size = size;
    return true;
}

void ret_copy(struct ret_stack *to, const struct ret_stack *from)
{
    ret_clear(to);
    for (uint32_t i = 0; i < from->count; i++)
        ret_push(to, from->at[i].ip);
    to->open = from->open;
}
