/* retstack.h - return addresses of calls whose RET may be compressed.
 *
 * SPDX-License-Identifier: MIT
 *
 * Hardware keeps 64 (SDM 33.4.2.2).  A ring that overwrites its oldest entry would do
 * for it; perf keeps them all, and a stream that was damaged may need them, so this one
 * holds enough that nothing but runaway recursion is ever forgotten.
 */
#ifndef PTS_WALKER_RETSTACK_H
#define PTS_WALKER_RETSTACK_H

#include <stdbool.h>
#include <stdint.h>

enum { RET_STACK_SIZE = 1 << 16 };

struct ret_stack {
    uint64_t *at; /* RET_STACK_SIZE entries, kept by the owner */
    uint32_t top; /* index of the next entry, modulo the size */
    uint32_t count;
};

static inline void ret_push(struct ret_stack *s, uint64_t ip)
{
    s->at[s->top] = ip;
    s->top = (s->top + 1) % RET_STACK_SIZE;
    if (s->count < RET_STACK_SIZE)
        s->count++;
}

/* The newest entry, or 0 when there is none. */
static inline uint64_t ret_pop(struct ret_stack *s)
{
    if (!s->count)
        return 0;
    s->count--;
    s->top = (s->top + RET_STACK_SIZE - 1) % RET_STACK_SIZE;
    return s->at[s->top];
}

/* The same without taking it. */
static inline uint64_t ret_peek(const struct ret_stack *s)
{
    return s->count ? s->at[(s->top + RET_STACK_SIZE - 1) % RET_STACK_SIZE] : 0;
}

static inline void ret_clear(struct ret_stack *s)
{
    s->count = 0;
}

#endif
