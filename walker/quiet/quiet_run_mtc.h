/* quiet_run_mtc.h - MTCs in a run: as quiet_clock.c does it, without an end of the run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_MTC_H
#define PTS_WALKER_QUIET_QUIET_RUN_MTC_H

#include "walker/quiet/quiet_clock.h"
#include "walker/quiet/quiet_run_state.h"

/* How many cycles may come.  To find it out takes a division, and many a trace has no CYC. */
ALWAYS_INLINE void run_below(struct run *r, const struct flow *f, struct quiet_walk *w)
{
    r->below = clock_later_left(&w->later, &f->in.s.clk);
    r->below_known = true;
}

/* One is at hand, and no branch that was told waits for its time. */
ALWAYS_INLINE bool run_is_mtc(const uint8_t *at, const struct flow *f,
                              struct run_for who)
{
    return *at == PKT_MTC_LEAD && !(who.log && f->conf.want_times);
}

/* RUN_ODD: it was followed, but what comes behind it is not for here. */
static __attribute__((noinline)) enum run_step run_mtc(struct run *r, struct flow *f,
                                                       struct quiet_walk *w)
{
    enum { SIZE = 2 };
    struct pt_fast q = {.at = r->at, .end = r->end, .before = r->before};
    enum step s = STEP_ON;

    pkt_set(&q.pkt, PTS_PKT_MTC, SIZE, 0, r->at[1]);
    r->settled = false;
    if (f->in.s.clk.have_tma) { /* else it says nothing */
        run_store_clock(r, f, w);
        w->legs.insns = r->insns;
        w->legs.budget = r->budget;
        s = quiet_mtc(f, w, &q);
        run_load_clock(r, f, w);
        r->budget = w->legs.budget;
        if (f->in.s.clk.have_cyc)
            run_below(r, f, w);
    }
    r->at = q.at;
    if (s != STEP_ON)
        return RUN_LAST;
    r->at += q.pkt.size;
    r->before = PTS_PKT_MTC;
    if (!f->conf.want_times)
        return RUN_ON;
    run_late_begin(r, f, w);
    return run_may(f, w) ? RUN_ON : RUN_ODD;
}

#endif
