/* quiet_edge.c - where execution arrives on the quiet way, and where tracing begins and ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/quiet/quiet_edge.h"

#include "walker/flow/emit.h"
#include "walker/flow/switches.h"
#include "walker/quiet/quiet_branches.h"

bool quiet_indirect(struct flow *f, struct quiet_walk *w)
{
    const struct leg *leg = legs_here(f, &w->legs);
    /* Direct branches on the way are events of their own. */
    bool direct = leg && leg->direct && f->conf.want_times;

    if (!legs_indirect(f, &w->legs))
        return false;
    if (w->log.count)
        tell_way(f, w);
    else if (direct)
        quiet_direct(f, w);
    return true;
}

/* Nothing was walked since the last packet of time: the estimate is the time itself, which moves on as ever. */
static inline bool enters_in_time(const struct flow *f, const struct quiet_walk *w)
{
    return w->legs.insns == w->changed && f->told.tsc <= f->in.s.clk.now &&
           !f->conf.late_tsc;
}

/* The time when the queue's last moved on, worked out. */
static uint64_t moved_last(const struct flow *f, const struct quiet_walk *w)
{
    return w->is_event && w->event.now > f->told.tsc ? w->event.now : f->told.tsc;
}

/* Whether branches need no event that is built for them, also those that end or begin the trace. */
static inline bool tells_plainly(const struct flow *f, const struct quiet_walk *w)
{
    return !f->branches || f->net || !(w->last || f->in.s.tx || f->out.ev.flags);
}

/* They are told one by one. */
static inline bool tells_each(const struct flow *f)
{
    return f->branches && !f->net;
}

/* The time that was asked for is reached: from there on each is told. */
static inline bool is_asked(const struct flow *f, const struct quiet_walk *w,
                            uint64_t tsc)
{
    return f->conf.want_times && !w->times && tsc >= f->asked_tsc;
}

/* Execution comes from outside: the queue's time becomes the estimate.  False: more is to be done than that, by an
 * event that reports the time once more. */
static bool quiet_enter(struct flow *f, struct quiet_walk *w)
{
    if (!tells_plainly(f, w) || f->told.range.tsc || switches_any(f))
        return false;
    quiet_settle(f, w);
    f->in.s.clk.insns = w->legs.insns - w->changed;
    report_time(f);
    const uint64_t estimate = estimated_tsc(f);
    if (estimate < moved_last(f, w) || estimate >= w->until || is_asked(f, w, estimate))
        return false;
    f->told.tsc = f->told.event_tsc = estimate;
    w->is_event = false;
    w->said = quiet_mark(f, w);
    w->is_said = w->settled = true;
    note_tx(f, true);
    quiet_fresh(f, true);
    return true;
}

void quiet_passed_by(struct flow *f, struct quiet_walk *w)
{
    note_tx(f, true);
    quiet_fresh(f, true);
    if (w->settled)
        return;
    w->said = w->event = quiet_mark(f, w);
    w->is_said = w->settled = true;
    quiet_moved(f, w);
}

/* Coming from outside user code, only an estimate of the time is known. */
static inline bool enters_user(const struct flow *f, const struct quiet_walk *w,
                               uint64_t from, uint64_t to)
{
    return may_enter_user(from, to) && !f->conf.timeless && !enters_in_time(f, w);
}

/* The time, if what came in told none. */
static inline void quiet_entered(struct flow *f)
{
    if (f->conf.want_times)
        flow_moved(f, f->told.tsc);
}

enum step quiet_arrive(struct flow *f, struct quiet_walk *w, uint64_t from, uint64_t to)
{
    const bool enters = enters_user(f, w, from, to), fresh = f->in.s.clk.cycles_fresh;

    if (enters && !quiet_enter(f, w))
        return STEP_AGAIN;
    if (f->branches)
        tell_indirect(f, w, to, fresh);
    if (enters)
        quiet_entered(f);
    else
        quiet_passed_by(f, w);
    return STEP_ON;
}

/* It may be what ended the trace. */
static inline bool quiet_mov_cr3(struct flow *f, struct quiet_walk *w)
{
    const struct leg *leg = legs_here(f, &w->legs);
    return leg && leg->special & INSN_MOV_CR3;
}

bool quiet_trace_off(struct flow *f, struct quiet_walk *w, const struct pt_fast *q,
                     uint64_t *to)
{
    bool by_filter = f->conf.filter_count || (f->conf.bare && q->pkt.count);
    if (by_filter || switches_any(f) || (!q->pkt.count && quiet_mov_cr3(f, w)) ||
        !quiet_indirect(f, w))
        return false;
    *to = 0;
    clock_later_broken(&w->later);
    if (any_late(w)) /* what comes next is told with its time */
        quiet_settle(f, w);
    pt_trace_off(&f->in.s);
    if (q->pkt.count)
        legs_go(&w->legs, *to = fast_last_ip(&f->in, q));
    return true;
}

bool quiet_trace_on(struct flow *f, struct quiet_walk *w, const struct pt_fast *q)
{
    if (!q->pkt.count || switches_any(f))
        return false;
    f->in.s.tracing = true;
    f->in.s.overflowed = false;
    clock_trace_on(&f->in.s.clk);
    legs_go(&w->legs, fast_last_ip(&f->in, q));
    return true;
}

enum step quiet_end(struct flow *f, struct quiet_walk *w)
{
    const struct tell_edge e = {.from = legs_from(&w->legs),
                                .what = EV_TRACE_END,
                                .fresh = f->in.s.clk.cycles_fresh};

    if (!tells_plainly(f, w))
        return STEP_AGAIN;
    if (tells_each(f)) /* no call stack changes */
        tell_edge(f, w, &e);
    quiet_passed_by(f, w);
    return STEP_ON;
}

enum step quiet_begin(struct flow *f, struct quiet_walk *w)
{
    const struct tell_edge e = {
        .to = w->legs.ip, .what = EV_TRACE_BEGIN, .fresh = f->in.s.clk.cycles_fresh};
    const bool enters = enters_user(f, w, 0, e.to);

    if (!tells_plainly(f, w) || (enters && !quiet_enter(f, w)))
        return STEP_AGAIN;
    if (f->net)
        net_begin(f->net, e.to);
    else if (f->branches)
        tell_edge(f, w, &e);
    if (enters)
        quiet_entered(f);
    else
        quiet_passed_by(f, w);
    return STEP_ON;
}

enum step quiet_edge(struct flow *f, struct quiet_walk *w, const struct pt_fast *q)
{
    uint64_t to;

    if (q->pkt.kind == PTS_PKT_TIP_PGE)
        return quiet_trace_on(f, w, q) ? quiet_begin(f, w) : STEP_AGAIN;
    if (q->pkt.count) /* it may lead to user code, for which an event may be told */
        return STEP_AGAIN;
    return tells_plainly(f, w) && quiet_trace_off(f, w, q, &to) ? quiet_end(f, w)
                                                                : STEP_AGAIN;
}
