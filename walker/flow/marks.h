/* marks.h - places of a queue that it can be followed from again.
 *
 * SPDX-License-Identifier: MIT
 *
 *     trace    PSB ........ PSB ........ PSB ........ PSB .......
 *     kept      c                         c            ^ the flow
 *
 * What is known at a PSB (carry.h) is kept now and then, the last of these only.
 */
#ifndef PTS_WALKER_FLOW_MARKS_H
#define PTS_WALKER_FLOW_MARKS_H

#include "walker/flow/carry.h"

#include <ptscript/status.h>

struct marks {
    uint64_t next;  /* none is kept before this position in the queue */
    uint64_t bytes; /* from one to the next, at least */
    uint32_t room, count;
    struct carry at[]; /* a ring */
};

/* NULL: no memory. */
struct marks *marks_new(uint32_t room, uint64_t bytes);
void marks_free(struct marks *m); /* NULL is fine */

static inline bool mark_is_due(const struct marks *m, uint64_t pos)
{
    return m && pos >= m->next;
}

/* Where the next one is kept; the oldest one goes. */
struct carry *marks_add(struct marks *m, uint64_t pos);
/* All go. */
void marks_clear(struct marks *m);
/* Whether any has gone. */
static inline bool marks_are_gone(const struct marks *m)
{
    return m->count > m->room;
}
/* How many are there, and the n-th from the last, from 1. */
uint32_t marks_kept(const struct marks *m);
const struct carry *marks_from_last(const struct marks *m, uint32_t n);
/* The last one at which the queue's time was before tsc (TSC ticks); NULL: there is none. */
const struct carry *marks_before(const struct marks *m, uint64_t tsc);

#endif
