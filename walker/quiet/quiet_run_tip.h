/* quiet_run_tip.h - TIPs in a run, also those that were put off.
 *
 * SPDX-License-Identifier: MIT
 *
 * A TNT that is not full when an indirect branch comes goes on behind it, and the TIP of that branch
 * comes behind the TNT:
 *
 *     code     jne   call *%rax   jne   jne
 *     packets  TNT of three outcomes        TIP of the call
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_TIP_H
#define PTS_WALKER_QUIET_QUIET_RUN_TIP_H

#include "walker/quiet/quiet_run_legs.h"

/* A TIP that says where. */
ALWAYS_INLINE bool run_is_tip(const uint8_t *at, struct pts_pkt *pkt)
{
    return (*at & 0x1f) == PKT_TIP_LEAD && pkt_ip(at, PTS_PKT_TIP, pkt) >= 0 &&
           pkt->count;
}

/* Its branch has been followed. */
ALWAYS_INLINE void run_arrive(struct run *r, struct flow *f, struct quiet_walk *w,
                              struct run_for who, uint64_t to)
{
    r->ip = f->in.s.last_ip = to;
    f->in.s.have_last_ip = true;
    if (who.plain) {
        run_event_plain(r);
    } else {
        run_fresh(r, f, true);
        if (!r->settled)
            run_event(r, f, w);
        r->settled = true;
    }
    r->before = PTS_PKT_TIP;
}

/* The branches on the way to a TIP, and the one at the end of its leg. */
ALWAYS_INLINE void run_tell_tip(struct run *r, struct flow *f, struct quiet_walk *w,
                                const struct leg *leg, uint64_t to)
{
    struct leg_log *log = w->legs.log;
    const bool direct = leg->calls || (w->legs.all && leg->direct);

    if (direct)
        run_note(r, log, leg, r->insns, 0);
    if (f->conf.want_classes >> leg->cls & 1)
        run_note(r, log, leg, r->insns, to);
    if (log->count)
        run_tell(
            r, f, w,
            (struct tell_packet){.began = r->insns, .direct = direct, .taken = true});
}

/* A TIP, and where it leads. */
struct run_target {
    struct pts_pkt pkt;
    uint64_t to;
};

/* Whether a TIP is for the branch at the end of a leg, behind so many instructions, and plain. */
ALWAYS_INLINE bool tip_is_plain(const struct flow *f, const struct leg *leg,
                                const struct stretch *in, uint64_t insns,
                                uint64_t limit, uint64_t to)
{
    return leg->branch == BRANCH_INDIRECT && insns + leg_ninsn(leg) < limit &&
           in_kernel(in->start) == in_kernel(to) && !switches_at(f, to);
}

/* The TIP at hand, if one is, for the indirect branch at the end of the leg that is returned; NULL:
 * it is not plain. */
ALWAYS_INLINE const struct leg *run_tip_leg(struct run *r, const struct flow *f,
                                            struct run_target *t)
{
    if (!run_is_tip(r->at, &t->pkt))
        return NULL;
    const struct leg *leg = run_here(r, f);
    t->to = pkt_full_ip(&t->pkt, f->in.s.last_ip);
    return leg && tip_is_plain(f, leg, r->in, r->insns, r->budget, t->to) ? leg : NULL;
}

/* Passes its leg.  False: it is not plain, and was not passed. */
ALWAYS_INLINE bool run_tip_go(const struct stretch *in, struct flow *f,
                              struct run_for who, const struct leg *leg, uint64_t to)
{
    if (!way_indirect(in, f, leg))
        return false;
    if (who.net && leg->calls)
        net_leg(who.net, leg, in->start, in->mode);
    if (who.net && f->conf.want_classes >> leg->cls & 1)
        net_end(who.net, leg, in->start, to);
    return true;
}

ALWAYS_INLINE void run_tip_passed(struct run *r, const struct leg *leg)
{
    r->insns += leg_ninsn(leg);
    r->last = leg;
    r->last_in = r->in;
    r->leg = NULL;
}

ALWAYS_INLINE enum run_step run_tip(struct run *r, struct flow *f, struct quiet_walk *w,
                                    struct run_for who)
{
    struct run_target t;
    const struct leg *leg = run_tip_leg(r, f, &t);

    if (!leg || !run_tip_go(r->in, f, who, leg, t.to))
        return RUN_ODD;
    if (f->conf.want_times && leg->direct)
        run_direct(r, f, w);
    if (who.log)
        run_tell_tip(r, f, w, leg, t.to);
    run_tip_passed(r, leg);
    run_arrive(r, f, w, who, t.to);
    r->at += t.pkt.size;
    return RUN_ON;
}

/* --- Those that were put off --- */

/* Another packet has no room. */
ALWAYS_INLINE bool run_full(const struct run *r, const struct flow *f,
                            const struct quiet_walk *w, struct run_for who)
{
    return (who.net && net_full(who.net)) ||
           ((who.log || who.times) && batch_full(f)) ||
           (who.times && (!who.log || who.last) && w->late_times.n >= r->late_room);
}

/* The branch at hand, while outcomes are left, if its TIP is at hand, too: what it does is done.
 * NULL: it is not plain. */
ALWAYS_INLINE const struct leg *run_deferred_leg(struct run *r, struct flow *f,
                                                 const struct quiet_walk *w,
                                                 struct run_for who,
                                                 struct run_target *t)
{
    const struct leg *leg;

    if (r->end - r->at < PKT_WIDE || run_full(r, f, w, who) ||
        !(leg = run_tip_leg(r, f, t)) || leg->cls == INSN_RET ||
        !run_tip_go(r->in, f, who, leg, t->to))
        return NULL;
    return leg;
}

/* So many of a packet's outcomes were passed, which began at leg. */
ALWAYS_INLINE void run_first_part(struct run *r, struct flow *f, struct quiet_walk *w,
                                  const struct leg *leg, uint64_t bits, uint32_t used)
{
    const uint64_t passed = bits >> (64 - used) << (64 - used);
    const bool event = passed || direct_of(leg, passed, used) > leg->direct;

    run_fresh(r, f, bits >> 63);
    run_events_part(r, f, w, event, leg->direct);
}

/* Outcomes of a TNT were passed, up to a branch of which the TIP comes behind the TNT: goes on
 * to the end of that.  RUN_ODD: it does not come, or is not plain, and nothing was done; RUN_REST:
 * some are left behind the last TIP, which is at hand. */
ALWAYS_INLINE enum run_step run_deferred(struct run *r, struct flow *f,
                                         struct quiet_walk *w, struct run_part *part,
                                         struct run_for who, const struct run_tnt *tnt)
{
    const uint8_t *const began = r->at;
    const uint32_t used = outcomes(tnt->bits) - outcomes(tnt->left);
    uint64_t left = tnt->left;
    struct run_target t;

    if (!used)
        return RUN_ODD;
    r->at += tnt->size;
    const struct leg *leg = run_deferred_leg(r, f, w, who, &t);
    if (!leg) {
        r->at = began;
        return RUN_ODD;
    }
    run_first_part(r, f, w, tnt->first, tnt->bits, used);
    for (;;) {
        const uint8_t *const tip = r->at;
        run_tip_passed(r, leg);
        run_arrive(r, f, w, who, t.to);
        r->at += t.pkt.size;
        if (run_here(r, f))
            left = run_outcomes(r, f, who, left);
        if (left == none_left)
            return RUN_ON;
        leg = run_deferred_leg(r, f, w, who, &t);
        if (!leg) {
            r->at = tip;
            r->before = PTS_PKT_TNT;
            *part =
                (struct run_part){.bits = left & (left - 1), .count = outcomes(left)};
            return RUN_REST;
        }
    }
}

#endif
