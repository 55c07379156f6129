/* quiet_run.c - the plainest packets, many in a row.
 *
 * SPDX-License-Identifier: MIT
 *
 * What quiet.c does for each packet, done with all that changes at hand: nothing of it is in
 * memory that somebody else looks at.  Calls that cancel out are kept here, too, and branches
 * told from the log of their packet.
 *
 *     quiet_run_state.h   what is at hand    quiet_run_legs.h   from leg to leg
 *     quiet_run_tell.h    branches that are told        quiet_run_tip.h   TIPs
 *     quiet_run_steady.h  all of it where no conditional branch is told   quiet_run_way.h   legs there
 *     quiet_run_mtc.h     MTCs               quiet_run_edge.h   where tracing begins and ends
 *     quiet_run_sample.h  instructions that are counted off
 *
 * Whatever is not plain ends the run, in front of its packet, and is for quiet.c; but a leg of
 * a TNT that is not plain is walked by legs_bits, and the run goes on.
 */
#include "walker/quiet/quiet_run.h"

#include "walker/quiet/quiet_clock.h"
#include "walker/quiet/quiet_run_edge.h"
#include "walker/quiet/quiet_run_sample.h"
#include "walker/quiet/quiet_run_steady.h"

/* --- Packets --- */

ALWAYS_INLINE bool run_cyc(struct run *r, const struct flow *f, struct quiet_walk *w)
{
    uint64_t cycles;

    if (__builtin_expect(!r->below_known, 0)) {
        if ((*r->at & 3) != 3)
            return false;
        run_below(r, f, w);
    }
    const unsigned n = fast_cyc(r->at, r->below, &cycles);

    if (!n || !cycles)
        return false;
    run_counted(r, f, cycles, r->insns);
    r->at += n;
    return true;
}

/* The outcomes `left` of a TNT's, of which the first leg is told if others were passed: leg by leg.
 * False: some are still left. */
ALWAYS_INLINE bool run_slow(struct run *r, struct flow *f, struct quiet_walk *w,
                            const struct leg *first, struct run_part *part,
                            uint64_t left)
{
    struct leg_walk *q = &w->legs;
    uint32_t count = outcomes(part->bits), passed = count - outcomes(left);

    run_store_legs(r, q);
    part->used = passed + legs_bits(f, q, left & (left - 1), outcomes(left));
    part->count = count;
    run_load_legs(r, q);
    if (first && passed) {
        q->direct += direct_of(first, part->bits, passed);
        q->first = first->direct;
    }
    return part->used == count;
}

/* The TNT at hand; false: there is none. */
ALWAYS_INLINE bool run_tnt_begin(struct run *r, const struct flow *f, struct run_tnt *t)
{
    t->size = fast_tnt(r->at, &t->bits);
    if (!t->size)
        return false;
    t->left = t->bits;
    t->first = run_here(r, f);
    t->began = r->insns;
    return true;
}

/* The outcomes of one that are not plain.  RUN_ODD: none are left. */
ALWAYS_INLINE enum run_step run_tnt_left(struct run *r, struct flow *f,
                                         struct quiet_walk *w, struct run_part *part,
                                         struct run_for who, const struct run_tnt *t)
{
    if (!who.log && t->first && r->leg && r->leg->branch == BRANCH_INDIRECT) {
        enum run_step s = run_deferred(r, f, w, part, who, t);
        if (s != RUN_ODD)
            return s;
    }
    *part = (struct run_part){.bits = t->bits, .began = t->began};
    if (run_slow(r, f, w, t->first, part, t->left))
        return RUN_ODD;
    part->bits = t->bits & (t->bits - 1);
    return RUN_PART;
}

/* Follows the outcomes, and tells the samples that are due in between. */
ALWAYS_INLINE uint64_t run_outcomes_sampled(struct run *r, struct flow *f,
                                            struct quiet_walk *w, struct run_for who,
                                            const struct run_tnt *t)
{
    for (uint64_t left = t->left;;) {
        left = run_outcomes(r, f, who, left);
        if (left == none_left || !r->samples || !run_sample_tnt(r, f, w, t, &left) ||
            left == none_left)
            return left;
    }
}

/* One that was begun. */
ALWAYS_INLINE enum run_step run_tnt(struct run *r, struct flow *f, struct quiet_walk *w,
                                    struct run_part *part, struct run_for who,
                                    struct run_tnt *t)
{
    const struct leg *leg = t->first;
    unsigned first;
    bool event;

    if (t->behind) {
        *part = (struct run_part){.bits = t->left & (t->left - 1),
                                  .count = outcomes(t->left)};
        return RUN_REST;
    }
    if (leg)
        t->left = run_outcomes_sampled(r, f, w, who, t);
    if (__builtin_expect(!leg || t->left != none_left, 0)) {
        enum run_step s = run_tnt_left(r, f, w, part, who, t);
        if (s != RUN_ODD)
            return s;
        event = t->bits & (t->bits - 1) || w->legs.direct > w->legs.first;
        first = w->legs.first;
    } else {
        event = tnt_is_event(leg, t->bits);
        first = leg->direct;
    }
    if (who.log && who.log->count)
        run_tell(r, f, w,
                 (struct tell_packet){
                     .began = t->began, .direct = first, .taken = t->bits >> 63});
    run_fresh(r, f, t->bits >> 63);
    run_events(r, f, w, event, first);
    r->at += t->size;
    r->before = PTS_PKT_TNT;
    return RUN_ON;
}

/* The same in the quick modes: outcomes are nothing, a target is an event. */
ALWAYS_INLINE enum run_step run_quick(struct run *r, struct flow *f,
                                      struct quiet_walk *w)
{
    struct pts_pkt pkt;
    uint64_t bits;
    unsigned size = fast_tnt(r->at, &bits);

    if (size) {
        r->at += size;
        r->before = PTS_PKT_TNT;
        return RUN_ON;
    }
    if (!run_is_tip(r->at, &pkt))
        return RUN_ODD;
    run_arrive(r, f, w, (struct run_for){.quick = true},
               pkt_full_ip(&pkt, f->in.s.last_ip));
    r->at += pkt.size;
    return RUN_ON;
}

/* A packet behind the CYC, if one is. */
ALWAYS_INLINE enum run_step run_packet(struct run *r, struct flow *f,
                                       struct quiet_walk *w, struct run_part *part,
                                       struct run_for who, struct run_tnt *tnt)
{
    if (who.quick)
        return run_quick(r, f, w);
    if (tnt->size || run_tnt_begin(r, f, tnt))
        return run_tnt(r, f, w, part, who, tnt);
    if (!who.last && run_is_edge(r->at))
        return run_edge(r, f, w);
    return r->samples ? run_tip_sampled(r, f, w) : run_tip(r, f, w, who);
}

/* For another packet. */
ALWAYS_INLINE bool run_has_room(const struct run *r, const struct flow *f,
                                const struct quiet_walk *w, struct run_for who)
{
    return r->end - r->at >= PKT_WIDE && !run_full(r, f, w, who) &&
           !(r->samples && batch_full(f));
}

ALWAYS_INLINE enum run_step run_packets(struct flow *f, struct quiet_walk *w,
                                        struct pt_fast *q, struct run_part *part,
                                        struct run_for who)
{
    const bool near = f->conf.cyc_threshold; /* as quiet_begins() */
    enum run_step s = RUN_ON;
    struct run r;

    run_load(&r, f, w, q);
    r.times = who.times;
    run_late_begin(&r, f, w);
    r.samples = !who.log && !who.quick && run_may_sample(f);
    if (f->in.s.clk.have_cyc)
        run_below(&r, f, w);
    while (s == RUN_ON && run_has_room(&r, f, w, who)) {
        struct run_tnt tnt = {0};

        if (steady_may(&r, f, who)) {
            s = run_steady(&r, f, w, &tnt, who);
            if (s != RUN_ON)
                break;
            if (!tnt.size && !run_has_room(&r, f, w, who))
                break;
        }
        const bool counted = !tnt.size && run_cyc(&r, f, w);
        if (counted && r.end - r.at < PKT_WIDE)
            break;
        r.samples &= !counted || !f->conf.want_times; /* times would wait */
        r.fresh &= !near || r.before == PTS_PKT_CYC;
        if (!tnt.size && run_is_mtc(r.at)) {
            s = run_mtc(&r, f, w);
            continue;
        }
        s = run_packet(&r, f, w, part, who, &tnt);
        if (s == RUN_ODD && counted)
            s = RUN_ON;
    }
    run_store(&r, f, w, q);
    return s;
}

ALWAYS_INLINE enum run_step run_of(struct flow *f, struct quiet_walk *w,
                                   struct pt_fast *q, struct run_part *part)
{
    struct leg_log *log = w->legs.log;

    if (f->conf.quick)
        return run_packets(f, w, q, part,
                           (struct run_for){.quick = true, .times = w->times});
    if (f->net)
        return run_packets(f, w, q, part,
                           (struct run_for){.net = f->net, .times = w->times});
    if (!log && w->times)
        return run_packets(f, w, q, part, (struct run_for){.times = true});
    if (!log)
        return run_packets(f, w, q, part, (struct run_for){0});
    return w->legs.all
               ? run_packets(
                     f, w, q, part,
                     (struct run_for){
                         .log = log, .all = true, .last = w->last, .times = w->times})
               : run_packets(f, w, q, part,
                             (struct run_for){.log = log, .times = w->times});
}

/* An MTC comes next: how long a cycle is will be known there without looking ahead for it. */
static bool ends_at_mtc(const struct flow *f, const struct pt_fast *q)
{
    return f->in.s.clk.have_tma && q->end - q->at >= PKT_WIDE && *q->at == PKT_MTC_LEAD;
}

/* Where times are told, others look at the clock while it is at the last of them only.  They are worked
 * out when the run is over, since by then how long a cycle is may have been found out. */
enum run_step quiet_run(struct flow *f, struct quiet_walk *w, struct pt_fast *q,
                        struct run_part *part)
{
    if (!run_may(f, w))
        return RUN_ODD;
    const bool tells = tells_branches(w);
    if (w->later.counted ? w->times || tells : w->times && !times_wait(f, w))
        quiet_settle(f, w);
    enum run_step s = run_of(f, w, q, part);
    const bool wait = any_late(w) && (w->times || tells);
    if (wait && s == RUN_ODD && ends_at_mtc(f, q))
        return s;
    if (wait)
        quiet_here(f, w, q);
    if (w->times || wait)
        quiet_settle(f, w);
    return s;
}
