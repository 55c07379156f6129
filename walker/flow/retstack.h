/* retstack.h - return addresses of calls whose RET may be compressed.
 *
 * SPDX-License-Identifier: MIT
 *
 * Hardware keeps 64 (SDM, definition of TIP).  A ring that overwrites its oldest entry would do
 * for it; perf keeps them all, and a stream that was damaged may need them, so this one
 * holds enough that nothing but runaway recursion is ever forgotten:
 *
 *     at   |  .  .  .  a  b  c  d  .  .  |       count 4; d is the newest
 *                                  ^ top
 *
 * Most threads are not deep, and a recording may have very many of them: room is made as
 * it is needed.
 *
 * A PSB empties it.  Whoever begins to follow a trace at a PSB therefore needs nothing of
 * what was before, unless that PSB cannot be used, in a damaged trace: then it is `open`
 * below, and an address that is asked for in vain is `missed`.
 */
#ifndef PTS_WALKER_FLOW_RETSTACK_H
#define PTS_WALKER_FLOW_RETSTACK_H

#include <stdbool.h>
#include <stdint.h>

/* How many it holds at first, and at most: powers of two. */
enum { RET_STACK_FIRST = 64, RET_STACK_SIZE = 1 << 16 };

/* Zero-initialise. */
struct ret_stack {
    uint64_t *at;
    uint32_t size; /* room in it; 0: none yet */
    uint32_t top;  /* index of the next entry, modulo the size */
    uint32_t count;
    bool open;   /* there may have been more that are not known */
    bool missed; /* one of these was asked for */
    bool failed; /* there was no memory for one */
};

void ret_free(struct ret_stack *s);
/* Room for more, or, at most, that of the oldest; false: there is not even that. */
bool ret_grow(struct ret_stack *s);

static inline void ret_push(struct ret_stack *s, uint64_t ip)
{
    if (s->count == s->size && !ret_grow(s))
        return;
    s->at[s->top] = ip;
    s->top = (s->top + 1) & (s->size - 1);
    s->count++;
}

/* The newest entry, or 0 when there is none. */
static inline uint64_t ret_pop(struct ret_stack *s)
{
    if (!s->count) {
        s->missed |= s->open;
        return 0;
    }
    s->count--;
    s->top = (s->top - 1) & (s->size - 1);
    return s->at[s->top];
}

/* The same without taking it. */
static inline uint64_t ret_peek(struct ret_stack *s)
{
    s->missed |= s->open && !s->count;
    return s->count ? s->at[(s->top - 1) & (s->size - 1)] : 0;
}

static inline void ret_clear(struct ret_stack *s)
{
    s->count = 0;
    s->open = false;
}

/* The same entries in another one. */
void ret_copy(struct ret_stack *to, const struct ret_stack *from);

#endif
