/* quiet_clock.c - packets of time on the quiet way.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/quiet/quiet_clock.h"

void quiet_clock(struct flow *f, struct quiet_walk *w)
{
    uint64_t until = w->until = quiet_until(f);

    if (f->conf.period_type == PERIOD_TICKS) {
        uint64_t near = f->insns_ahead ? period_ends(f) - f->insns_ahead : 0;
        until = until < near ? until : near;
    }
    w->times = f->conf.want_times && f->told.tsc >= f->asked_tsc;
    if (f->conf.want_times && !w->times && f->asked_tsc < until)
        until = f->asked_tsc;
    clock_later_begin(
        &w->later, (struct clock_place){f->in.st.at, f->in.st.pos, &f->ratio}, until);
    w->changed = 0 - f->in.s.clk.insns;
    if (f->conf.period_type == PERIOD_INSNS)
        w->legs.budget = f->conf.period - f->walk.period_insns;
    quiet_budget(f, w);
}

void quiet_late(struct flow *f, struct quiet_walk *w, double per_cycle)
{
    const struct pt_clock *c = &f->in.s.clk;
    struct pt_event *ev = f->out.held.events.at + w->late;
    const struct pt_event *end = f->out.held.events.at + f->out.held.events.len;
    struct told_state *t = &f->told;
    uint64_t count = 0; /* of none of them */

    for (; ev < end; ev++) {
        if (ev->tsc != count) {
            count = ev->tsc;
            const uint64_t now = clock_then(c, count, per_cycle);
            if (now > t->tsc)
                t->tsc = now;
        }
        ev->tsc = t->tsc;
    }
    t->told_tsc = t->event_tsc = t->tsc;
    w->late = NONE_LATE;
}

static void late_times_settle(struct flow *f, struct late_times *late)
{
    for (uint32_t i = 0; i < late->n; i++)
        flow_moved(f, clock_at(&f->in.s.clk, late->count[i]));
    late->n = 0;
}

void quiet_settle(struct flow *f, struct quiet_walk *w)
{
    clock_later_measure(&w->later, &f->in.s.clk);
    late_times_settle(f, &w->late_times);
    if (w->late != NONE_LATE)
        quiet_late(f, w, clock_per_cycle(&f->in.s.clk));
    quiet_marks_settle(&f->in.s.clk, w);
    clock_later_settle(&w->later, &f->in.s.clk);
}

void quiet_here(const struct flow *f, struct quiet_walk *w, const struct pt_fast *q)
{
    const struct pkt_cursor rest = {q->at, q->end, PKT_CTX_NONE};

    clock_later_here(&w->later, &f->in.s.clk, rest, q->before);
}

/* After a packet of time that was worked out at once. */
static enum step quiet_time(struct flow *f, struct quiet_walk *w)
{
    w->changed = w->legs.insns - f->in.s.clk.insns;
    quiet_budget(f, w);
    /* Its instructions no longer count when a packet of time has come: a period may have
     * begun too early. */
    bool early = f->conf.period_type == PERIOD_TICKS &&
                 f->in.s.clk.now + f->in.s.clk.insns < f->walk.last_tick;
    return f->in.s.clk.now < w->until && !early ? STEP_ON : STEP_BREAK;
}

/* The time is near to where something is to be told: it is worked out at once. */
static enum step quiet_cyc_now(struct flow *f, struct quiet_walk *w,
                               const struct pt_fast *q)
{
    const uint64_t cycles = q->pkt.value;

    quiet_here(f, w, q);
    quiet_settle(f, w);
    if (w->times ||
        !clock_later_cyc(&w->later, &f->in.s.clk, cycles, f->in.s.tracing)) {
        f->in.s.clk.insns = w->legs.insns - w->changed;
        clock_later_cyc_now(&w->later, &f->in.s.clk, cycles, f->in.s.tracing);
        return quiet_time(f, w);
    }
    w->changed = w->legs.insns;
    quiet_budget(f, w);
    return STEP_ON;
}

enum step quiet_cyc(struct flow *f, struct quiet_walk *w, const struct pt_fast *q)
{
    w->settled = false;
    if (__builtin_expect(f->conf.errata & ERRATUM_SKD007, 0) &&
        cyc_is_cut(&q->pkt, fast_rest(q)))
        return STEP_AGAIN;
    if (w->times ||
        !clock_later_cyc(&w->later, &f->in.s.clk, q->pkt.value, f->in.s.tracing))
        return quiet_cyc_now(f, w, q);
    w->changed = w->legs.insns;
    if (f->conf.period_type == PERIOD_TICKS)
        w->legs.budget = w->legs.insns + f->insns_ahead - 2;
    return STEP_ON;
}

/* Where nothing happens one follows the other.  q is at the last of them then. */
static enum step quiet_mtcs(struct flow *f, struct quiet_walk *w, struct pt_fast *q)
{
    const struct pkt_cursor row = {q->at, q->end, PKT_CTX_NONE};

    q->at = clock_later_mtcs(&w->later, &f->in.s.clk, row, w->until, f->in.s.tracing) -
            q->pkt.size;
    return quiet_time(f, w);
}

enum step quiet_mtc(struct flow *f, struct quiet_walk *w, struct pt_fast *q)
{
    struct pt_clock *c = &f->in.s.clk;
    bool after_cyc = q->before == PTS_PKT_CYC;

    w->settled = false;
    if (!c->have_tma)
        return STEP_ON;
    if (!after_cyc && clock_later_idle(&w->later))
        return quiet_mtcs(f, w, q);
    const struct clock_step to = clock_step(c, (uint32_t)q->pkt.value);
    clock_later_measure_at(&w->later, c, &to, after_cyc);
    quiet_settle(f, w);
    clock_later_mtc(&w->later, c, &to, after_cyc, f->in.s.tracing, fast_rest(q));
    return quiet_time(f, w);
}
