/* quiet_run_steady.h - the steady part of a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all of a trace is CYCs, TNTs and TIPs whose legs are known.  While they come, what legs change
 * is in registers, and all else in memory: it changes once a packet, not once a branch.  Calls and returns
 * that are told are noted on the way, and told when their packet has been followed.
 *
 * Whatever else comes ends it, and is for the run.
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_STEADY_H
#define PTS_WALKER_QUIET_QUIET_RUN_STEADY_H

#include "walker/quiet/quiet_run_mtc.h"
#include "walker/quiet/quiet_run_tip.h"

/* Whether it can be, for somebody who wants no conditional branches, or only keeps them. */
ALWAYS_INLINE bool steady_may(const struct run *r, const struct flow *f,
                              struct run_for who)
{
    return (!who.all || who.last) && !who.quick && r->leg && f->conf.ret_compression &&
           !f->conf.cyc_threshold;
}

/* All is told at the queue's time, which was told, until the next packet of time. */
ALWAYS_INLINE bool steady_time_told(const struct run *r, const struct flow *f)
{
    const struct told_state *t = &f->told;

    return r->settled && t->tsc == t->told_tsc && f->in.s.clk.now <= t->tsc;
}

/* Whether neither times nor cycles are to be told. */
ALWAYS_INLINE bool steady_is_plain(const struct run *r, const struct flow *f,
                                   struct run_for who, bool no_cyc)
{
    return !f->conf.want_cycles &&
           (!f->conf.want_times || (no_cyc && !who.log && steady_time_told(r, f)));
}

/* The packet at hand. */
struct steady {
    const uint8_t *at;
    struct run_way way;
};

ALWAYS_INLINE void steady_cyc(struct steady *s, struct run *r, const struct flow *f)
{
    uint64_t cycles;
    const unsigned n = fast_cyc(s->at, r->below, &cycles); /* 0: it is not known */

    if (!n || !cycles)
        return;
    run_counted(r, f, cycles, s->way.insns);
    if (f->conf.period_type == PERIOD_TICKS)
        s->way.limit = r->budget;
    s->at += n;
}

/* No outcome of it was taken, which few are. */
static __attribute__((noinline)) void steady_not_taken(struct run *r, struct flow *f,
                                                       struct quiet_walk *w,
                                                       const struct leg *first,
                                                       uint64_t bits)
{
    run_events(r, f, w, tnt_is_event(first, bits), first->direct);
}

/* What the outcomes of a TNT lead to, which was followed from `first` on. */
ALWAYS_INLINE void steady_events(struct run *r, struct flow *f, struct quiet_walk *w,
                                 struct run_for who, const struct leg *first,
                                 uint64_t bits)
{
    if (!who.plain) {
        run_fresh(r, f, bits >> 63);
        run_events(r, f, w, tnt_is_event(first, bits), first->direct);
    } else if (__builtin_expect((bits & (bits - 1)) != 0, 1)) {
        run_event_plain(r);
    } else {
        steady_not_taken(r, f, w, first, bits);
    }
}

/* A TNT.  False: it was not followed to its end. */
ALWAYS_INLINE bool steady_tnt(struct steady *s, struct run *r, struct flow *f,
                              struct quiet_walk *w, struct run_tnt *t,
                              struct run_for who)
{
    const struct leg *const first = s->way.leg;
    const uint64_t began = s->way.insns, left = way_on(&s->way, f, t->bits);

    if (__builtin_expect(left != none_left, 0)) {
        t->left = left;
        t->first = first;
        t->began = began;
        return false;
    }
    if (who.log && who.log->count)
        run_tell(r, f, w,
                 (struct tell_packet){
                     .began = began, .direct = first->direct, .taken = t->bits >> 63});
    steady_events(r, f, w, who, first, t->bits);
    s->at += t->size;
    r->before = PTS_PKT_TNT;
    return true;
}

/* A TIP.  False: it is not plain. */
ALWAYS_INLINE bool steady_tip(struct steady *s, struct run *r, struct flow *f,
                              struct quiet_walk *w, struct run_for who)
{
    struct run_way *way = &s->way;
    const struct leg *leg = way->leg;
    struct pts_pkt tip;

    if (!run_is_tip(s->at, &tip))
        return false;
    const uint64_t to = pkt_full_ip(&tip, f->in.s.last_ip);
    if (!tip_is_plain(f, leg, way->in, way->insns, way->limit, to) ||
        !run_tip_go(way->in, f, who, leg, to))
        return false;
    if (!who.plain && f->conf.want_times && leg->direct)
        run_direct(r, f, w);
    if (way->keeps)
        way_note_to(way, leg, to);
    if (who.log) {
        r->in = way->in;
        r->insns = way->insns;
        run_tell_tip(r, f, w, leg, to);
    }
    way_passed(way, leg);
    way->leg = known_leg(f, to, &way->in);
    run_arrive(r, f, w, who, to);
    s->at += tip.size;
    return true;
}

/* The TIP there, of the branch at hand while outcomes are left; what it does is done.  NULL: it is not
 * plain. */
ALWAYS_INLINE const struct leg *
steady_put_off_leg(const struct run_way *way, const uint8_t *at, const struct run *r,
                   struct flow *f, const struct quiet_walk *w, struct run_for who,
                   struct run_target *t)
{
    const struct leg *leg = way->leg;

    if (!leg || leg->cls == INSN_RET || r->end - at < PKT_WIDE ||
        run_full(r, f, w, who) || !run_is_tip(at, &t->pkt))
        return NULL;
    t->to = pkt_full_ip(&t->pkt, f->in.s.last_ip);
    return tip_is_plain(f, leg, way->in, way->insns, way->limit, t->to) &&
                   run_tip_go(way->in, f, who, leg, t->to)
               ? leg
               : NULL;
}

/* As run_deferred().  False: it is not followed to its end, or nothing was done. */
ALWAYS_INLINE bool steady_put_off(struct steady *s, struct run *r, struct flow *f,
                                  struct quiet_walk *w, struct run_tnt *t,
                                  struct run_for who)
{
    const uint32_t used = outcomes(t->bits) - outcomes(t->left);
    const uint8_t *at = s->at + t->size;
    struct run_way *way = &s->way;
    struct run_target tip;
    const struct leg *leg;

    if (!used || !(leg = steady_put_off_leg(way, at, r, f, w, who, &tip)))
        return false;
    run_first_part(r, f, w, t->first, t->bits, used);
    do {
        if (way->keeps)
            way_note_to(way, leg, tip.to);
        way_passed(way, leg);
        way->leg = known_leg(f, tip.to, &way->in);
        run_arrive(r, f, w, who, tip.to);
        s->at = at;
        at += tip.pkt.size;
        if (way->leg)
            t->left = way_on(way, f, t->left);
        if (t->left == none_left) {
            s->at = at;
            return true;
        }
    } while ((leg = steady_put_off_leg(way, at, r, f, w, who, &tip)));
    r->before = PTS_PKT_TNT;
    t->behind = true;
    return false;
}

/* As long as it is.  A TNT that was not followed to its end is in `t`. */
ALWAYS_INLINE enum run_step steady_on(struct run *r, struct flow *f,
                                      struct quiet_walk *w, struct run_tnt *t,
                                      struct run_for who)
{
    enum { WIDE = PKT_WIDE + 2 }; /* with a CYC in front of it */
    struct steady s = {r->at, run_way_from(r, who)};

    for (;;) {
        t->size = 0;
        if (!who.plain && who.no_cyc && steady_is_plain(r, f, who, true))
            break;
        if (!s.way.leg || r->end - s.at < WIDE || run_full(r, f, w, who))
            break;
        if (!who.no_cyc)
            steady_cyc(&s, r, f);
        t->size = fast_tnt(s.at, &t->bits);
        if (!(t->size
                  ? steady_tnt(&s, r, f, w, t, who) ||
                        (who.no_cyc && !who.log && steady_put_off(&s, r, f, w, t, who))
                  : steady_tip(&s, r, f, w, who))) {
            if (t->size || !run_is_mtc(s.at))
                break;
            r->at = s.at;
            run_way_to(r, &s.way, who);
            const enum run_step step = run_mtc(r, f, w);
            if (step != RUN_ON || (who.plain && f->conf.want_times))
                return step;
            s = (struct steady){r->at, run_way_from(r, who)};
        }
    }
    r->at = s.at;
    run_way_to(r, &s.way, who);
    return RUN_ON;
}

/* Functions of their own, so that registers are theirs; and how their loops lie in the processor's lines
 * is 5 % of the time, so it does not hang on what comes before them. */
#define STEADY(name, ...)                                                              \
    static __attribute__((noinline, aligned(64))) enum run_step name(                  \
        struct run *r, struct flow *f, struct quiet_walk *w, struct run_tnt *t)        \
    {                                                                                  \
        return steady_on(r, f, w, t, (struct run_for){__VA_ARGS__});                   \
    }
#define STEADY_BOTH(name, ...)                                                         \
    STEADY(name, __VA_ARGS__)                                                          \
    STEADY(name##_no_cyc, __VA_ARGS__, .no_cyc = true)

STEADY_BOTH(steady_plain, .plain = true)
STEADY_BOTH(steady_plain_net, .plain = true, .net = f->net)
STEADY_BOTH(steady_plain_last, .plain = true, .last = w->last, .keeps = true)
STEADY_BOTH(steady_plain_log, .plain = true, .log = w->legs.log)
STEADY_BOTH(steady_some, .times = r->times)
STEADY_BOTH(steady_net, .times = r->times, .net = f->net)
STEADY_BOTH(steady_last, .times = r->times, .last = w->last, .keeps = true)
STEADY_BOTH(steady_log, .times = r->times, .log = w->legs.log)

typedef enum run_step steady_fn(struct run *r, struct flow *f, struct quiet_walk *w,
                                struct run_tnt *t);

ALWAYS_INLINE enum run_step run_steady(struct run *r, struct flow *f,
                                       struct quiet_walk *w, struct run_tnt *t,
                                       struct run_for who)
{
    enum { SOME, NET, LAST, LOG, KINDS };
    static steady_fn *const fn[2][KINDS][2] = {
        {{steady_some, steady_some_no_cyc},
         {steady_net, steady_net_no_cyc},
         {steady_last, steady_last_no_cyc},
         {steady_log, steady_log_no_cyc}            },
        {{steady_plain, steady_plain_no_cyc},
         {steady_plain_net, steady_plain_net_no_cyc},
         {steady_plain_last, steady_plain_last_no_cyc},
         {steady_plain_log, steady_plain_log_no_cyc}},
    };
    const unsigned kind = who.last ? LAST : who.net ? NET : who.log ? LOG : SOME;
    const bool no_cyc = !f->in.s.clk.have_cyc;
    enum run_step s;
    bool plain;

    do { /* a loop ends where another one is to go on */
        plain = steady_is_plain(r, f, who, no_cyc);
        s = fn[plain][kind][no_cyc](r, f, w, t);
    } while (s == RUN_ON && !t->size && plain != steady_is_plain(r, f, who, no_cyc));
    return s;
}

#endif
