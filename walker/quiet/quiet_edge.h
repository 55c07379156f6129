/* quiet_edge.h - where execution arrives on the quiet way, and where tracing begins and ends.
 *
 * SPDX-License-Identifier: MIT
 *
 * A user's trace is off in the kernel: there is a TIP.PGD and a TIP.PGE for each call of it.
 */
#ifndef PTS_WALKER_QUIET_QUIET_EDGE_H
#define PTS_WALKER_QUIET_QUIET_EDGE_H

#include "decoder/pt/fast.h"
#include "walker/quiet/quiet_walk.h"

static inline struct quiet_mark quiet_mark(const struct flow *f,
                                           const struct quiet_walk *w)
{
    const struct pt_clock *c = &f->in.s.clk;
    return (struct quiet_mark){c->now, w->later.counted ? c->cyc_count : 0, c->cycles,
                               w->changed};
}

/* A branch is one in a transaction if any that was passed since the last event was. */
static inline void note_tx(struct flow *f, bool event)
{
    if (f->in.s.tx | f->out.ev.flags)
        f->out.ev.flags = event ? 0 : f->in.s.tx & EVF_IN_TX;
}

/* From outside user code, or from nobody knows where, to user code. */
static inline bool may_enter_user(uint64_t from, uint64_t to)
{
    return (!from || in_kernel(from)) && to && !in_kernel(to);
}

/* Goes to the indirect branch that a packet is for.  False: it is not there. */
bool quiet_indirect(struct flow *f, struct quiet_walk *w);

/* A branch from -> to was followed that is no event of a kind that is wanted.  STEP_AGAIN: an event is to be told
 * for it, and nothing was done; else STEP_ON. */
enum step quiet_arrive(struct flow *f, struct quiet_walk *w, uint64_t from,
                       uint64_t to);

/* The same of one that changes nothing for who asks for branches, and is not told. */
void quiet_passed_by(struct flow *f, struct quiet_walk *w);

/* The TIP.PGD or TIP.PGE in q, up to its branch from -> to, which has not arrived.  False: it is not plain, and
 * nothing was done. */
bool quiet_trace_off(struct flow *f, struct quiet_walk *w, const struct pt_fast *q,
                     uint64_t *to);
bool quiet_trace_on(struct flow *f, struct quiet_walk *w, const struct pt_fast *q);

/* The trace is off, and nobody knows where execution is; or on, at w->legs.ip.  As quiet_arrive(), and told where it is
 * wanted. */
enum step quiet_end(struct flow *f, struct quiet_walk *w);
enum step quiet_begin(struct flow *f, struct quiet_walk *w);

/* The packet in q and all of that, in one go.  STEP_AGAIN: it is not plain, or an event is to be told for it:
 * then it is to be followed again. */
enum step quiet_edge(struct flow *f, struct quiet_walk *w, const struct pt_fast *q);

#endif
