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

ALWAYS_INLINE bool run_is_mtc(const uint8_t *at)
{
    return *at == PKT_MTC_LEAD;
}

/* What the time of an MTC ends: a stretch over which a cycle is measured, all of whose cycles were counted in this
 * run; or, where there are none, nothing. */
ALWAYS_INLINE bool run_mtc_ends(const struct run *r, const struct flow *f,
                                const struct quiet_walk *w)
{
    const struct clock_later *l = &w->later;
    const bool counted = l->counted || r->count != f->in.s.clk.cyc_count;

    if (w->said.count | w->event.count)
        return false;
    return r->before == PTS_PKT_CYC ? l->ahead.rest.at && counted
                                    : !l->ahead.rest.at && !counted;
}

/* Times are told as they come. */
ALWAYS_INLINE bool tells_times(const struct flow *f, const struct quiet_walk *w)
{
    return f->conf.want_times && (w->times || f->told.tsc >= f->asked_tsc);
}

/* A mark of a stretch that is over, in which a cycle took so long; 0: none were counted. */
ALWAYS_INLINE struct quiet_mark mark_past(const struct flow *f,
                                          const struct run_mark *m, double per_cycle)
{
    const struct pt_clock *c = &f->in.s.clk;
    const uint64_t at = per_cycle != 0 ? clock_then(c, m->count, per_cycle) : c->now;

    return (struct quiet_mark){at, 0, cycles_at(&f->in, m->count), m->changed};
}

/* What was told in it. */
ALWAYS_INLINE void run_past(const struct run *r, struct flow *f, struct quiet_walk *w,
                            double per_cycle)
{
    if (r->is_said)
        w->said = mark_past(f, &r->said, per_cycle);
    if (r->is_event)
        w->event = r->same && r->is_said
                       ? w->said
                       : mark_past(f, r->same ? &r->said : &r->event, per_cycle);
    w->is_event |= r->moved || (r->is_event && !f->conf.want_times);
    f->out.skipped += f->conf.want_times ? r->moved : 0;
}

/* Behind it nothing was told yet. */
ALWAYS_INLINE void run_stretch(struct run *r, uint64_t count)
{
    r->is_said = r->is_event = r->same = r->fresh_told = r->settled = false;
    r->moved = 0;
    r->count = count;
    r->changed = r->insns;
}

/* A period has begun, by its instructions, behind the time of an MTC, from where none are counted yet. */
ALWAYS_INLINE bool begins_early(const struct flow *f, uint64_t mtc)
{
    return f->conf.period_type == PERIOD_TICKS && mtc < f->walk.last_tick;
}

/* One that changes no more than the clock: nothing is near, and no time is told.  False: nothing was done. */
ALWAYS_INLINE bool run_mtc_plain(struct run *r, struct flow *f, struct quiet_walk *w)
{
    enum { SIZE = 2 };
    struct pt_clock *c = &f->in.s.clk;
    struct clock_later *l = &w->later;
    const bool after_cyc = r->before == PTS_PKT_CYC;
    struct clock_step to;

    if (tells_times(f, w) || !run_mtc_ends(r, f, w) ||
        !clock_step_plain(c, r->at[1], &to) || to.time < c->now ||
        to.time >= l->until || begins_early(f, to.time))
        return false;
    const double per_cycle =
        after_cyc ? clock_measured(c, to.time - c->now, r->count) : 0;
    run_past(r, f, w, per_cycle);
    if (w->late != NONE_LATE)
        quiet_late(f, w, per_cycle);
    if (r->fresh_told)
        f->told.sample_cycles = cycles_at(&f->in, r->fresh_count);
    c->cycles = cycles_at(&f->in, r->count);
    c->cycles_fresh = r->fresh;
    c->have_cyc |= after_cyc;
    clock_stepped(c, &to, after_cyc, f->in.s.tracing);
    r->fresh = c->cycles_fresh;
    r->at += SIZE;
    r->before = PTS_PKT_MTC;
    if (after_cyc) {
        clock_later_next(l, c, (struct pkt_cursor){r->at, r->end, PKT_CTX_NONE});
        run_below(r, f, w);
    }
    run_stretch(r, c->cyc_count);
    if (f->conf.period_type == PERIOD_TICKS) {
        w->changed = w->legs.insns = r->insns;
        quiet_budget(f, w);
        r->budget = w->legs.budget;
    }
    return true;
}

/* RUN_ODD: it was followed, but what comes behind it is not for here. */
static __attribute__((noinline)) enum run_step
run_mtc_odd(struct run *r, struct flow *f, struct quiet_walk *w)
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
        if (w->times && tells_branches(w)) /* as at the begin of a run */
            quiet_settle(f, w);
        run_load_clock(r, f, w);
        r->budget = w->legs.budget;
        if (f->in.s.clk.have_cyc)
            run_below(r, f, w);
    }
    r->at = q.at;
    if (s != STEP_ON ||
        (f->conf.want_times && !w->times && f->told.tsc >= f->asked_tsc))
        return RUN_LAST;
    r->at += q.pkt.size;
    r->before = PTS_PKT_MTC;
    if (!f->conf.want_times)
        return RUN_ON;
    run_late_begin(r, f, w);
    return run_may(f, w) ? RUN_ON : RUN_ODD;
}

/* As a function of its own, which needs few registers. */
static __attribute__((noinline)) enum run_step run_mtc(struct run *r, struct flow *f,
                                                       struct quiet_walk *w)
{
    return f->in.s.clk.have_tma && run_mtc_plain(r, f, w) ? RUN_ON
                                                          : run_mtc_odd(r, f, w);
}

#endif
