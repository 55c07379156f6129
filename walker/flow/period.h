/* period.h - when an instruction is to be sampled, in periods of ticks.
 *
 * SPDX-License-Identifier: MIT
 *
 * Between packets no time is known: there each instruction counts for a tick, as in perf.
 */
#ifndef PTS_WALKER_FLOW_PERIOD_H
#define PTS_WALKER_FLOW_PERIOD_H

#include "walker/flow/flow_state.h"

static inline uint64_t period_ends(const struct flow *f)
{
    return f->walk.last_tick + f->period_ticks;
}

/* When the period began in which a time is. */
static inline uint64_t period_at(const struct flow *f, uint64_t tsc)
{
    return tsc & ~(f->period_ticks - 1);
}

/* The instruction that was counted last is sampled: the next period begins. */
static inline void period_tick(struct flow *f)
{
    const uint64_t begun = period_at(f, f->in.s.clk.now + f->in.s.clk.insns);

    if (begun > f->walk.last_tick)
        f->walk.last_tick = begun;
    else
        f->walk.last_tick += f->period_ticks;
}

#endif
