/* quiet_run_edge.h - where tracing begins and ends in a run: as quiet_edge.c does it, without an end of the run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_EDGE_H
#define PTS_WALKER_QUIET_QUIET_RUN_EDGE_H

#include "walker/quiet/quiet_edge.h"
#include "walker/quiet/quiet_run_mtc.h"
#include "walker/quiet/quiet_run_legs.h"

/* A TIP.PGD or TIP.PGE may be at hand. */
ALWAYS_INLINE bool run_is_edge(const uint8_t *at)
{
    enum { PGD = 0x01, OTHERS = 0x0f }; /* TIP.PGE has one bit more */

    return (*at & OTHERS) == PGD;
}

static __attribute__((noinline)) enum run_step run_edge(struct run *r, struct flow *f,
                                                        struct quiet_walk *w)
{
    struct pt_fast q = {.at = r->at, .end = r->end, .before = r->before};
    const enum fast_kind kind = fast_peek(&q);

    if (kind != FAST_TIP_PGD && kind != FAST_TIP_PGE)
        return RUN_ODD;
    run_store_clock(r, f, w);
    run_store_legs(r, &w->legs);
    if (f->conf.want_times) /* each is told, this one, too */
        quiet_settle(f, w);
    const enum step s = quiet_edge(f, w, &q);
    run_load_clock(r, f, w);
    run_load_legs(r, &w->legs);
    if (f->in.s.clk.have_cyc)
        run_below(r, f, w);
    run_late_begin(r, f, w);
    if (s != STEP_ON)
        return RUN_ODD;
    r->at = q.at + q.pkt.size;
    r->before = q.pkt.kind;
    run_here(r, f);
    return run_may(f, w) ? RUN_ON : RUN_ODD;
}

#endif
