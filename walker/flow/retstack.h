/* retstack.h - return addresses of calls whose RET may be compressed.
 *
 * SPDX-License-Identifier: MIT
 *
 * Hardware keeps 64 (SDM, definition of TIP).  perf keeps them all, and a stream that was damaged may
 * need them, so this one holds enough that nothing but runaway recursion is ever forgotten: the older
 * half, when there is no more room.
 *
 *     at   |  a  b  c  d  .  .  .  .  |       count 4; d is the newest
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
#include <stddef.h>
#include <stdint.h>

/* A return mostly goes back to where its call was walked from leg to leg (legs.h): which one is
 * there is then noted with the call, and need not be looked up.  It holds until the maps or the
 * mode may have changed; such an entry is stale.
 */
struct leg;
struct stretch;
struct ret_entry {
    uint64_t ip;
    struct leg *leg; /* that begins there; NULL: not known */
    const struct stretch *in;
};

/* How many it holds at first, and at most: powers of two. */
enum { RET_STACK_FIRST = 32, RET_STACK_SIZE = 1 << 17 };

/* Zero-initialise. */
struct ret_stack {
    struct ret_entry *at;
    uint32_t size; /* room in it; 0: none yet */
    uint32_t count;
    uint32_t stale; /* so many from the oldest on are; it may be more than there are */
    bool open;      /* there may have been more that are not known */
    bool missed;    /* one of these was asked for */
    bool failed;    /* there was no memory for one */
};

void ret_free(struct ret_stack *s);
/* Room for more, at most that of the older half; false: there is not even that. */
bool ret_grow(struct ret_stack *s);

static inline void ret_push_leg(struct ret_stack *s, struct ret_entry e)
{
    if (s->count == s->size && !ret_grow(s))
        return;
    s->at[s->count++] = e;
}

static inline void ret_push(struct ret_stack *s, uint64_t ip)
{
    ret_push_leg(s, (struct ret_entry){.ip = ip});
}

/* The newest entry; NULL when there is none. */
static inline const struct ret_entry *ret_top(struct ret_stack *s)
{
    s->missed |= s->open && !s->count;
    return s->count ? &s->at[s->count - 1] : NULL;
}

/* Takes it, where it is known that there is one. */
static inline void ret_drop(struct ret_stack *s)
{
    s->count--;
}

/* Its address, or 0. */
static inline uint64_t ret_peek(struct ret_stack *s)
{
    const struct ret_entry *e = ret_top(s);
    return e ? e->ip : 0;
}

/* The same, and takes it. */
static inline uint64_t ret_pop(struct ret_stack *s)
{
    const struct ret_entry *e = ret_top(s);
    if (!e)
        return 0;
    ret_drop(s);
    return e->ip;
}

/* The maps or the mode may have changed. */
static inline void ret_forget_legs(struct ret_stack *s)
{
    s->stale = s->count;
}

static inline void ret_clear(struct ret_stack *s)
{
    s->count = s->stale = 0;
    s->open = false;
}

/* The same entries in another one. */
void ret_copy(struct ret_stack *to, const struct ret_stack *from);

#endif
