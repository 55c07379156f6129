/* quiet_clock.h - packets of time on the quiet way.
 *
 * SPDX-License-Identifier: MIT
 *
 * Cycles are counted, and turned into time only where somebody looks (clock_later.h), or near to
 * where something is to be told: a sample, a record that takes effect, a time that was asked for.
 */
#ifndef PTS_WALKER_QUIET_QUIET_CLOCK_H
#define PTS_WALKER_QUIET_QUIET_CLOCK_H

#include "decoder/pt/fast.h"
#include "walker/flow/period.h"
#include "walker/quiet/quiet_walk.h"

/* Until when it may only be counted from here on, and how many instructions may be walked. */
void quiet_clock(struct flow *f, struct quiet_walk *w);

/* Instructions to the next sample in a period of ticks, where all cycles have been turned into time and
 * the period has begun; else NOT_DUE.  The time at an instruction is as in walk.c. */
#define NOT_DUE UINT64_MAX
static inline uint64_t quiet_period_left(const struct flow *f,
                                         const struct quiet_walk *w)
{
    const uint64_t t = f->in.s.clk.now + (w->legs.insns - w->changed);

    if (!f->in.s.unbroken || t < f->walk.last_tick)
        return NOT_DUE;
    return t < period_ends(f) ? period_ends(f) - t : 1;
}

/* What may be walked before a sample is to be taken. */
static inline void quiet_budget(const struct flow *f, struct quiet_walk *w)
{
    uint64_t done = w->legs.insns, left;

    if (f->conf.period_type != PERIOD_TICKS)
        return;
    uint64_t now = f->in.s.clk.now + (done - w->changed) + 2;
    left = w->later.counted ? f->insns_ahead - 2 : period_ends(f) - now;
    w->legs.budget = done + (w->later.counted || now < period_ends(f) ? left : 0);
}

static inline void quiet_mark_settle(const struct pt_clock *c, struct quiet_mark *m)
{
    if (m->count)
        m->now = clock_at(c, m->count);
    m->count = 0;
}

/* The length of a cycle is known. */
static inline void quiet_marks_settle(const struct pt_clock *c, struct quiet_walk *w)
{
    quiet_mark_settle(c, &w->said);
    quiet_mark_settle(c, &w->event);
}

/* Events that were told when so many cycles had been counted (quiet_walk.late), of which each took so long. */
void quiet_late(struct flow *f, struct quiet_walk *w, double per_cycle);

/* What was counted up to q need not be looked at again. */
void quiet_here(const struct flow *f, struct quiet_walk *w, const struct pt_fast *q);

/* The packet in q.  STEP_ON: it is passed; STEP_BREAK: it is, and something is due; STEP_AGAIN: it
 * is not for here. */
enum step quiet_cyc(struct flow *f, struct quiet_walk *w, const struct pt_fast *q);
enum step quiet_mtc(struct flow *f, struct quiet_walk *w, struct pt_fast *q);

#endif
