/* gaps.c - where time goes on without anything having happened.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/gaps.h"

enum {
    GAP_TICKS = 4096, /* shorter ones are none */
    GAP_TIMES = 4     /* told behind one: the first may still be that in front of it */
};

void flow_tell_gaps(struct flow *f)
{
    f->gaps.wanted = true;
    f->gaps.due = 0;
    f->gaps.at.len = 0;
    f->asked_tsc = UINT64_MAX;
}

const struct flow_gap *flow_gaps(const struct flow *f, size_t *count)
{
    *count = f->gaps.at.len;
    return f->gaps.at.at;
}

void gap_noted(struct flow *f)
{
    struct gaps_told *g = &f->gaps;

    if (g->due || f->in.s.clk.now < f->told.tsc + GAP_TICKS)
        return;
    struct flow_gap *new = VEC_PUSH(&g->at);
    if (!new) {
        f->out.no_memory = true;
        return;
    }
    *new = (struct flow_gap){flow_told_events(f), f->told.tsc};
    g->due = GAP_TIMES;
    f->asked_tsc = 0;
}

void gap_passed(struct flow *f)
{
    struct gaps_told *g = &f->gaps;

    if (--g->due && f->told.tsc < g->at.at[g->at.len - 1].before + GAP_TICKS)
        return;
    g->due = 0;
    f->asked_tsc = UINT64_MAX;
}
