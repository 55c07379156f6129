/* quiet.c - the common packets, from leg to leg.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all bytes of a trace are PAD, TNT, TIP, TIP.PGE, TIP.PGD, CYC and MTC packets, and
 * many runs want only errors, a sample now and then, or other events.  Then a branch is a step
 * from leg to leg and no event is built; where branches are wanted, they are told from the legs
 * (quiet_branches.h).  Times are not worked out either: it is marked where
 * the clock was when a time was last reported, and when the queue's time last moved on, and
 * only when it goes on otherwise are these turned into times:
 *
 *     packets   CYC  TNT     CYC  TNT     CYC  TIP     FUP
 *     marks          said         said         said    ^ here they are, and all else is
 *                    event        -            event     as if each had been told
 *                    (taken)      (not taken)
 *
 * Whatever is not plain is left, untouched, to the code that goes branch by branch and
 * gives the same result (I7); so is the leg in which a sample is to be taken, but for
 * instructions that are counted off (quiet_sample.h), and whatever comes at a time at which records take effect.
 */
#include "walker/quiet/quiet.h"

#include "decoder/pt/fast.h"
#include "walker/flow/emit.h"
#include "walker/quiet/quiet_branches.h"
#include "walker/quiet/quiet_clock.h"
#include "walker/quiet/quiet_edge.h"
#include "walker/quiet/quiet_run.h"
#include "walker/quiet/quiet_sample.h"

/* --- Begin and end --- */

static bool quiet_load(struct flow *f, struct quiet_walk *w)
{
    w->is_said = w->is_event = w->settled = false;
    w->said.count = w->event.count = 0; /* settled with the clock, said or not */
    if (!legs_load(f, &w->legs))
        return false;
    w->log.count = 0;
    w->late = NONE_LATE;
    w->late_times.n = 0;
    w->legs.net = f->net;
    w->legs.log = f->branches && !f->net ? &w->log : NULL;
    w->legs.all = w->legs.log && f->all;
    w->last = f->in.s.tx | f->out.ev.flags ? NULL : f->last;
    if (!w->last)
        last_told(f);
    quiet_clock(f, w);
    return true;
}

static void quiet_tell(struct flow *f, struct quiet_walk *w)
{
    struct told_state *t = &f->told;

    t->sample_insns += w->legs.insns;
    if (w->is_said) {
        t->sample_tsc = w->said.now;
        t->sample_insns = w->legs.insns - w->said.insns;
        t->reported_cycles = w->said.cycles;
    }
    if (w->is_event) {
        if (w->event.now > t->tsc)
            t->tsc = w->event.now;
        t->event_tsc = t->tsc;
    }
    w->is_said = w->is_event = false;
}

/* All is in f, as after a packet. */
static void quiet_flush(struct flow *f, struct quiet_walk *w)
{
    quiet_settle(f, w);
    quiet_tell(f, w);
    legs_store(f, &w->legs);
    f->walk.ninsn += w->legs.insns;
    f->walk.period_insns += w->legs.insns;
    f->in.s.clk.insns = w->legs.insns - w->changed;
    if (f->net)
        net_tell(f);
    if (w->last)
        last_wait(f);
}

/* Tells the branch from -> to of the packet in q, which is passed: telling it may end the
 * selected times, or leap to others.  STEP_EVENT: all is in f. */
static enum step quiet_report(struct flow *f, struct quiet_walk *w, struct pt_fast *q,
                              uint64_t from, uint64_t to, uint32_t what)
{
    fast_take(q);
    fast_end(q, &f->in);
    quiet_flush(f, w);
    f->out.ev.what |= what;
    if (from)
        f->out.ev.flags |= f->in.s.tx & EVF_IN_TX;
    note_branch(f, from, to);
    bool more = event_end(f);
    event_begin(f);
    return more ? STEP_EVENT : STEP_END;
}

/* --- TNT --- */

/* Taken branches are events, and direct ones are. */
static inline void quiet_events(struct flow *f, struct quiet_walk *w, bool taken,
                                bool all)
{
    bool event = taken || w->legs.direct > w->legs.first;
    if (w->settled)
        return;

    if (w->legs.first && (!event || f->conf.want_times)) {
        if (f->walk.phase == IN_TNT)
            quiet_direct(f, w);
        else
            event = true;
    }
    if (!event && !all)
        return;
    w->said = quiet_mark(f, w);
    w->is_said = true;
    if (!event)
        return;
    w->event = w->said;
    quiet_moved(f, w);
    w->settled = true;
}

/* So many of the bits of a packet, which began after so many instructions, are passed; those left
 * are in f, and f->walk.phase says so. */
static inline void quiet_passed(struct flow *f, struct quiet_walk *w, uint64_t began,
                                uint64_t bits, uint32_t count, uint32_t used)
{
    f->walk.tnt_bits = used < 64 ? bits << used : 0;
    f->walk.tnt_count = count - used;
    if (!used)
        return;
    if (w->log.count)
        tell_tnt(f, w, began, w->legs.first, bits >> 63);
    quiet_fresh(f, bits >> 63);
    quiet_events(f, w, bits >> (64 - used), used == count);
    note_tx(f, bits >> (64 - used) & 1);
    f->walk.phase = used < count ? IN_TNT_MORE : SYNC;
}

static inline void quiet_bits(struct flow *f, struct quiet_walk *w, uint64_t bits,
                              uint32_t count)
{
    uint64_t began = w->legs.insns;
    uint32_t used = legs_bits(f, &w->legs, bits, count);

    quiet_passed(f, w, began, bits, count, used);
}

/* Whether one is due in the leg at hand, and with which of its instructions.  STEP_EVENT: it is; STEP_ON: it is not,
 * and the leg can be passed now; STEP_AGAIN: it is not for here. */
static enum step quiet_due(struct flow *f, struct quiet_walk *w, const struct leg *leg,
                           uint64_t *n)
{
    const uint32_t len = leg_ninsn(leg);
    const bool held = w->legs.insns + len >= w->legs.budget;

    if (f->conf.period_type == PERIOD_INSNS) {
        *n = w->legs.budget - w->legs.insns;
        return *n < len ? STEP_EVENT : STEP_AGAIN;
    }
    quiet_settle(f, w);
    *n = quiet_period_left(f, w);
    if (*n < len)
        return len < f->period_ticks ? STEP_EVENT : STEP_AGAIN;
    if (*n <= len + 1 || *n == NOT_DUE || !held)
        return STEP_AGAIN;
    w->legs.budget = w->legs.insns + *n - 1; /* it is one less where tracing begins */
    return STEP_ON;
}

/* The sample that is due in the leg at hand, before the branch at its end.  The leg is walked
 * behind it, as ever: so a part of it counts for the next period already.  STEP_AGAIN: there
 * is none, or it is not for here; STEP_ON: it was told, and f is where w is. */
static enum step quiet_sample(struct flow *f, struct quiet_walk *w)
{
    struct leg *leg =
        f->conf.period_type != PERIOD_NONE ? legs_here(f, &w->legs) : NULL;
    uint64_t n, age = f->code.known.age;
    struct leg_insn at;

    if (!leg)
        return STEP_AGAIN;
    const enum step due = quiet_due(f, w, leg, &n);
    if (due != STEP_EVENT)
        return due;
    if (!sample_place(f, leg, w->legs.in, (uint32_t)n, &at))
        return STEP_AGAIN;
    const struct stretch *in = w->legs.in;
    quiet_flush(f, w);
    if (!sample_tell(f, &at, in, n))
        return STEP_END;
    if (!quiet_load(f, w))
        return STEP_SILENT;
    if (age == f->code.known.age) {
        w->legs.here = leg;
        w->legs.in = in;
    }
    return STEP_ON;
}

/* The outcomes that are left, with the samples that are due in between. */
static enum step quiet_more(struct flow *f, struct quiet_walk *w)
{
    enum step s = STEP_ON;

    while (f->walk.tnt_count && (s = quiet_sample(f, w)) == STEP_ON)
        quiet_bits(f, w, f->walk.tnt_bits, f->walk.tnt_count);
    return s == STEP_AGAIN ? STEP_ON : s;
}

enum step quiet_tnt_bits(struct flow *f)
{
    struct quiet_walk w;

    if (!quiet_load(f, &w))
        return STEP_SILENT;
    quiet_bits(f, &w, f->walk.tnt_bits, f->walk.tnt_count);
    enum step s = quiet_more(f, &w);
    if (s == STEP_ON)
        quiet_flush(f, &w);
    return s;
}

/* --- Packets
 *
 * Each of these follows the packet in q.  STEP_AGAIN: it is not plain, nothing was done;
 * STEP_BREAK: it was followed, but what comes after it is not for here; STEP_SILENT: the
 * batch is full; STEP_EVENT, STEP_END: it was told, and the end of the selected times.
 */

/* With a CYC threshold the count of cycles is exact only right behind a CYC. */
static inline void quiet_begins(struct flow *f, const struct pt_fast *q)
{
    if (f->conf.cyc_threshold && q->before != PTS_PKT_CYC)
        f->in.s.clk.cycles_fresh = false;
}

/* A branch from -> to was followed. */
static inline enum step quiet_arrived(struct flow *f, struct quiet_walk *w,
                                      struct pt_fast *q, uint64_t from, uint64_t to)
{
    enum step s = quiet_arrive(f, w, from, to);
    return s == STEP_AGAIN ? quiet_report(f, w, q, from, to, 0) : s;
}

/* Indirect branches while outcomes are left: their TIPs were deferred and come next.  (A return
 * there would have an outcome.)  q is at the last packet that was followed.  Each is told as
 * outcomes are. */
static enum step quiet_deferred(struct flow *f, struct quiet_walk *w, struct pt_fast *q)
{
    while (f->walk.phase == IN_TNT_MORE) {
        struct pt_fast next = *q;
        fast_take(&next);
        if (fast_peek(&next) != FAST_TIP || !next.pkt.count)
            return STEP_BREAK;
        const struct leg *leg = legs_here(f, &w->legs);
        uint64_t to = pkt_full_ip(&next.pkt, f->in.s.last_ip);
        if (!leg || leg->cls == INSN_RET || switches_at(f, to) ||
            may_enter_user(w->legs.in->start + leg->end, to) ||
            !legs_indirect(f, &w->legs))
            return STEP_BREAK;
        *q = next;
        quiet_begins(f, q);
        legs_go(&w->legs, fast_last_ip(&f->in, q));
        if (w->log.count)
            tell_tnt(f, w, 0, false, true);
        quiet_arrived(f, w, q, legs_from(&w->legs), to);
        quiet_bits(f, w, f->walk.tnt_bits, f->walk.tnt_count);
    }
    return f->walk.tnt_count ? STEP_BREAK : STEP_ON;
}

/* What is left of the TNT in q. */
static enum step quiet_tnt_rest(struct flow *f, struct quiet_walk *w, struct pt_fast *q)
{
    enum step s = quiet_more(f, w);
    return s == STEP_ON && f->walk.tnt_count ? quiet_deferred(f, w, q) : s;
}

static inline enum step quiet_tnt(struct flow *f, struct quiet_walk *w,
                                  struct pt_fast *q)
{
    f->walk.phase = IN_TNT;
    quiet_bits(f, w, q->pkt.value, q->pkt.count);
    return quiet_tnt_rest(f, w, q);
}

/* One that quiet_run() followed a part of. */
static enum step quiet_tnt_part(struct flow *f, struct quiet_walk *w, struct pt_fast *q,
                                const struct run_part *p)
{
    fast_peek(q);
    f->walk.phase = IN_TNT;
    quiet_passed(f, w, p->began, p->bits, p->count, p->used);
    return quiet_tnt_rest(f, w, q);
}

/* What is left of one behind a TIP that was put off, the packet at hand. */
static enum step quiet_tnt_behind(struct flow *f, struct quiet_walk *w,
                                  struct pt_fast *q, const struct run_part *p)
{
    fast_peek(q);
    f->walk.phase = IN_TNT_MORE;
    quiet_bits(f, w, p->bits, p->count);
    return quiet_tnt_rest(f, w, q);
}

/* A sample on the way to it is told at the time before it. */
static enum step quiet_way_sample(struct flow *f, struct quiet_walk *w)
{
    const struct leg *leg = legs_here(f, &w->legs);

    if (!leg || leg->branch != BRANCH_INDIRECT)
        return STEP_AGAIN;
    f->walk.phase = IN_TIP;
    enum step s = quiet_sample(f, w);
    f->walk.phase = SYNC;
    return s;
}

static inline enum step quiet_tip(struct flow *f, struct quiet_walk *w,
                                  struct pt_fast *q)
{
    uint64_t to = pkt_full_ip(&q->pkt, f->in.s.last_ip);
    if (!q->pkt.count || switches_at(f, to))
        return STEP_AGAIN;
    while (!quiet_indirect(f, w)) {
        enum step s = quiet_way_sample(f, w);
        if (s != STEP_ON)
            return s;
    }
    legs_go(&w->legs, fast_last_ip(&f->in, q));
    return quiet_arrived(f, w, q, legs_from(&w->legs), to);
}

static enum step quiet_pgd(struct flow *f, struct quiet_walk *w, struct pt_fast *q)
{
    uint64_t to;

    if (!quiet_trace_off(f, w, q, &to))
        return STEP_AGAIN;
    const uint64_t from = legs_from(&w->legs);
    enum step s = STEP_AGAIN;
    if (!to)
        s = quiet_end(f, w);
    else if (!f->branches)
        s = quiet_arrive(f, w, from, to);
    return s == STEP_AGAIN ? quiet_report(f, w, q, from, to, EV_TRACE_END) : s;
}

static enum step quiet_pge(struct flow *f, struct quiet_walk *w, struct pt_fast *q)
{
    if (!quiet_trace_on(f, w, q))
        return STEP_AGAIN;
    const enum step s = quiet_begin(f, w);
    return s == STEP_AGAIN ? quiet_report(f, w, q, 0, w->legs.ip, EV_TRACE_BEGIN) : s;
}

/* --- The quick modes, which follow no code: a target is an event, outcomes are nothing --- */

static inline enum step quick_packet(struct flow *f, struct quiet_walk *w,
                                     struct pt_fast *q)
{
    quiet_begins(f, q);
    switch (fast_peek(q)) {
    case FAST_TNT:
        return STEP_ON;
    case FAST_CYC:
        return quiet_cyc(f, w, q);
    case FAST_MTC:
        return quiet_mtc(f, w, q);
    case FAST_TIP:
        if (!q->pkt.count)
            return STEP_AGAIN;
        legs_go(&w->legs, fast_last_ip(&f->in, q));
        return quiet_arrived(f, w, q, w->legs.ip, 0);
    case FAST_TIP_PGD:
    case FAST_TIP_PGE:
    case FAST_OTHER:
        break;
    }
    return STEP_AGAIN;
}

static inline enum step quiet_packet(struct flow *f, struct quiet_walk *w,
                                     struct pt_fast *q)
{
    quiet_begins(f, q);
    switch (fast_peek(q)) {
    case FAST_TNT:
        return quiet_tnt(f, w, q);
    case FAST_CYC:
        return quiet_cyc(f, w, q);
    case FAST_TIP:
        return quiet_tip(f, w, q);
    case FAST_MTC:
        return quiet_mtc(f, w, q);
    case FAST_TIP_PGD:
        return quiet_pgd(f, w, q);
    case FAST_TIP_PGE:
        return quiet_pge(f, w, q);
    case FAST_OTHER:
        break;
    }
    return STEP_AGAIN;
}

/* Many packets, and one that is not so plain. */
static enum step quiet_some(struct flow *f, struct quiet_walk *w, struct pt_fast *q)
{
    struct run_part part;

    switch (quiet_run(f, w, q, &part)) {
    case RUN_PART:
        return quiet_tnt_part(f, w, q, &part);
    case RUN_REST:
        return quiet_tnt_behind(f, w, q, &part);
    case RUN_LAST:
        fast_peek(q);
        return STEP_BREAK;
    case RUN_ON:
    case RUN_ODD:
        break;
    }
    return f->conf.quick ? quick_packet(f, w, q) : quiet_packet(f, w, q);
}

enum step quiet_packets(struct flow *f)
{
    struct quiet_walk w;
    struct pt_fast q;
    enum step s;

    if (!fast_begin(&q, &f->in))
        return STEP_ON;
    if (!quiet_load(f, &w))
        return STEP_SILENT;
    do {
        s = quiet_some(f, &w, &q);
        if (s == STEP_EVENT || s == STEP_END)
            return s == STEP_END ? s : STEP_SILENT;
        if (s == STEP_AGAIN)
            break;
        fast_take(&q);
        if (batch_full(f))
            s = STEP_SILENT;
        else if ((f->net && net_full(f->net)) ||
                 (!w.times && f->conf.want_times && f->told.tsc >= f->asked_tsc))
            s = STEP_BREAK;
    } while (s == STEP_ON);
    fast_end(&q, &f->in);
    quiet_here(f, &w, &q);
    quiet_flush(f, &w);
    if (s != STEP_SILENT)
        return STEP_ON;
    f->out.resumed = true; /* what is noted for the next event stays */
    return s;
}
