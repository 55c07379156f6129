/* quiet_run_sample.h - instructions that are counted off, sampled in a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * As quiet_sample.c does it, without an end of the run: the sample's time is a count of cycles like that
 * of a branch (quiet_walk.late), and the next period goes on in the leg at hand.
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_SAMPLE_H
#define PTS_WALKER_QUIET_QUIET_RUN_SAMPLE_H

#include "walker/quiet/quiet_run_tip.h"
#include "walker/quiet/quiet_sample.h"

/* Whether samples may be told so: where an event is only what it says itself. */
static inline bool run_may_sample(const struct flow *f)
{
    const struct told_state *t = &f->told;

    return f->conf.period_type == PERIOD_INSNS && f->conf.want & EV_INSN &&
           (!f->branches || f->net) && (!f->conf.want_times || !f->in.s.clk.have_cyc) &&
           !f->conf.want_insn_bytes && !f->gaps.wanted && !t->range.tsc &&
           !t->cbr_due && t->tsc >= t->event_tsc &&
           !(switches_any(f) && switches_untold(f));
}

/* Where the clock was at a mark. */
static inline struct tell_time
sample_time(const struct flow *f, const struct quiet_walk *w, struct quiet_mark m)
{
    const bool late = m.count && w->later.ahead.rest.at;

    return (struct tell_time){
        .at = late      ? m.count
              : m.count ? clock_at(&f->in.s.clk, m.count)
                        : m.now,
        .cycles = m.cycles,
        .late = late,
    };
}

/* One was told: the next period begins. */
static inline void run_period(struct run *r, struct flow *f)
{
    f->walk.period_insns -= f->conf.period;
    r->budget += f->conf.period;
}

/* What events say of cycles. */
static inline void run_sample_cycles(struct run *r, struct flow *f)
{
    if (r->count != f->in.s.clk.cyc_count)
        f->in.s.clk.have_cyc = true;
    if (r->fresh_told)
        f->told.sample_cycles = cycles_at(&f->in, r->fresh_count);
    r->fresh_told = false;
}

/* Tells one, at the time that was said last. */
static inline void run_sample_tell(struct run *r, struct flow *f, struct quiet_walk *w,
                                   const struct plain_branch *at, uint32_t what)
{
    const struct tell_time when =
        sample_time(f, w, r->is_said ? mark_of(f, w, &r->said) : w->said);

    run_sample_cycles(r, f);
    sample_put(f, w, at, what, &when);
}

/* Where the queue's time last moved on. */
static inline struct quiet_mark
run_event_mark(const struct run *r, const struct flow *f, const struct quiet_walk *w)
{
    if (r->is_event)
        return mark_of(f, w, r->same ? &r->said : &r->event);
    if (r->moved || w->is_event)
        return w->event;
    return (struct quiet_mark){.now = f->told.tsc, .cycles = f->told.reported_cycles};
}

/* The calls in front of one that did not cancel out. */
static inline void run_sample_calls(struct run *r, struct flow *f, struct quiet_walk *w)
{
    if (!f->net || !f->net->count)
        return;
    const struct tell_time when = sample_time(f, w, run_event_mark(r, f, w));
    run_sample_cycles(r, f);
    const struct plain_form form = tell_form(f, w, &when);
    net_tell_as(f, &form, f->walk.ninsn + r->insns);
}

/* What the outcomes do that were passed in front of it, of a packet of which some are left. */
static inline void run_sample_passed(struct run *r, struct flow *f,
                                     struct quiet_walk *w, const struct run_tnt *t,
                                     uint64_t left)
{
    const uint32_t used = outcomes(t->bits) - outcomes(left);

    if (used)
        run_first_part(r, f, w, t->first, t->bits, used);
}

/* What it does to times that it comes behind outcomes of the packet at hand. */
static inline void run_sample_now(struct run *r, struct flow *f, struct quiet_walk *w)
{
    run_event(r, f, w);
    r->settled = true;
}

/* Whether one is due in the leg at hand, before the branch at its end. */
static inline bool run_due(const struct run *r)
{
    return r->leg && r->budget - r->insns < leg_ninsn(r->leg);
}

/* Whether it is due there. */
static inline bool run_due_at_end(const struct run *r)
{
    return r->leg && r->budget - r->insns == leg_ninsn(r->leg) && !r->leg->timed;
}

/* Tells the one that is due; now: it has the packet's time.  False: it is not for here. */
static inline bool run_sample(struct run *r, struct flow *f, struct quiet_walk *w,
                              bool now)
{
    const uint64_t n = r->budget - r->insns;
    const struct stretch *in = r->in;
    struct leg_insn at;

    if (!sample_place(f, r->leg, in, (uint32_t)n, &at))
        return false;
    run_sample_calls(r, f, w);
    if (now)
        run_sample_now(r, f, w);
    else
        run_direct(r, f, w);
    const struct plain_branch told = sample_insn(f, &at, in, r->insns + n);
    run_sample_tell(r, f, w, &told, sample_what(&at));
    run_period(r, f);
    r->last = NULL;
    return true;
}

/* That of the branch at the end of a leg, which was passed. */
static inline void run_sample_end(struct run *r, struct flow *f, struct quiet_walk *w,
                                  const struct leg_passed *p, bool fresh)
{
    const struct plain_branch told = branch_at_end(f, p, fresh);

    run_sample_tell(r, f, w, &told, EV_INSN | (p->to ? EV_BRANCH : 0));
    run_period(r, f);
}

/* Whether all that such a leg does to call stacks was told before. */
static inline bool run_no_calls(const struct flow *f, const struct leg *leg)
{
    return !f->net || (!leg->calls && !(f->conf.want_classes >> leg->cls & 1));
}

/* Where the leg at hand begins. */
static inline uint64_t run_ip(const struct run *r)
{
    const uint64_t ip = r->in->start + r->leg->at;

    return ild_is_64(r->in->mode) ? ip : (uint32_t)ip;
}

/* Follows the next outcome only, into the next period.  False: it is not plain. */
static inline bool run_pass_one(struct run *r, struct flow *f, uint64_t left,
                                struct run_for who)
{
    r->budget += f->conf.period;
    const uint64_t rest = run_outcomes(r, f, who, (left & none_left) | none_left >> 1);
    r->budget -= f->conf.period;
    return rest == none_left;
}

/* The one that is due at the branch that the next outcome decides.  False: it is not plain, and was not
 * passed. */
static inline bool run_sample_outcome(struct run *r, struct flow *f,
                                      struct quiet_walk *w, const struct run_tnt *t,
                                      uint64_t left)
{
    const bool first = left == t->bits, fresh = first && r->fresh;
    const uint64_t taken = left & none_left;
    struct leg_passed p = {r->leg, r->in, r->insns, 0};

    if (!run_no_calls(f, p.leg))
        return false;
    if (!run_pass_one(r, f, left, (struct run_for){.net = f->net}))
        return false;
    if (taken)
        p.to = run_ip(r);
    run_sample_passed(r, f, w, t, left);
    run_sample_calls(r, f, w);
    run_fresh(r, f, true);
    run_sample_now(r, f, w);
    run_sample_end(r, f, w, &p, fresh);
    return true;
}

/* --- Behind calls of the leg at hand, where calls are told --- */

/* Notes those behind the n-th instruction, or those in front of it. */
static inline void run_note_calls(struct net_calls *net, const struct leg_passed *p,
                                  uint32_t n, bool behind)
{
    const struct leg *leg = p->leg;

    for (const struct leg_pass *c = leg->pass; c < leg->pass + leg->direct; c++)
        if (c->call && (behind ? c->ninsn > n : c->ninsn < n))
            net_pass(net, c, p->in->start, p->in->mode);
}

/* The one that is due there, before the branch that the next outcome decides: that is passed, too.
 * False: it is not plain, and was not. */
static inline bool run_sample_called(struct run *r, struct flow *f,
                                     struct quiet_walk *w, const struct run_tnt *t,
                                     uint64_t left)
{
    const uint64_t n = r->budget - r->insns;
    struct leg_passed p = {r->leg, r->in, r->insns, 0};
    struct leg_insn at;

    if (p.leg->timed || !leg_insn(p.in->legs, p.leg, (uint32_t)n, &at) ||
        !run_pass_one(r, f, left, (struct run_for){0}))
        return false;
    p.to = run_ip(r);
    run_sample_passed(r, f, w, t, left);
    const struct plain_branch told = sample_insn(f, &at, p.in, p.insns + n);
    run_sample_calls(r, f, w);
    if (left != t->bits)
        run_sample_now(r, f, w);
    else
        run_direct(r, f, w);
    run_note_calls(f->net, &p, (uint32_t)n, false);
    run_sample_calls(r, f, w);
    run_sample_tell(r, f, w, &told, sample_what(&at));
    run_period(r, f);
    run_note_calls(f->net, &p, (uint32_t)n, true);
    if (p.leg->cls == INSN_RET)
        net_end(f->net, p.leg, p.in->start, p.to);
    return true;
}

/* The one that is due before the next outcome of a TNT, of which some are left, or at it; *left: what is then.
 * False: none is, or it is not for here. */
static __attribute__((noinline)) bool run_sample_tnt(struct run *r, struct flow *f,
                                                     struct quiet_walk *w,
                                                     const struct run_tnt *t,
                                                     uint64_t *left)
{
    if (run_due_at_end(r)) {
        if (!run_sample_outcome(r, f, w, t, *left))
            return false;
        *left <<= 1;
        return true;
    }
    if (!run_due(r))
        return false;
    if (f->net && r->leg->direct && r->leg->pass[0].ninsn <= r->budget - r->insns) {
        if (!run_sample_called(r, f, w, t, *left))
            return false;
        *left <<= 1;
        return true;
    }
    run_sample_passed(r, f, w, t, *left);
    return run_sample(r, f, w, *left != t->bits);
}

/* A TIP with those on the way to its branch, and at that. */
static __attribute__((noinline)) enum run_step
run_tip_sampled(struct run *r, struct flow *f, struct quiet_walk *w)
{
    const struct leg *leg = run_here(r, f);
    struct run_target t;

    if (!run_is_tip(r->at, &t.pkt) || !leg || leg->branch != BRANCH_INDIRECT)
        return RUN_ODD;
    t.to = pkt_full_ip(&t.pkt, f->in.s.last_ip);
    if (switches_at(f, t.to))
        return RUN_ODD;
    while (run_due(r) && run_sample(r, f, w, false))
        ;
    const bool due = run_due_at_end(r), fresh = r->fresh;
    const struct leg_passed p = {leg, r->in, r->insns, t.to};
    if (due && !run_no_calls(f, leg))
        return RUN_ODD;
    if (due)
        run_sample_calls(r, f, w);
    r->budget += due ? f->conf.period : 0;
    enum run_step s = run_tip(r, f, w, (struct run_for){.net = f->net});
    r->budget -= due ? f->conf.period : 0;
    if (due && s == RUN_ON)
        run_sample_end(r, f, w, &p, fresh);
    return s;
}

#endif
