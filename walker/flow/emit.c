/* emit.c - events of a flow: their times, their place in the side-band, delivery.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two clocks are kept.  The stream's clock moves with every timing packet; the
 * *reported* time moves only when an event ends outside the walk for a packet (I1), so
 * that all branches of one TNT packet share one time, as in perf.
 *
 *     packets    MTC(t=8)   TNT(3 bits)            CYC(t=9)  TIP
 *     clock      8          8      8      8        9         9
 *     reported   7          7      7      8        8         9
 *                           bit 1  bit 2  bit 3              its branch
 *
 * The queue's own time never goes back; it decides which records are in effect.
 */
#include "walker/flow/emit.h"

#include "walker/flow/epoch.h"
#include "walker/flow/gaps.h"
#include "walker/flow/ranges.h"
#include "walker/flow/switches.h"

#include <string.h>

void event_begin(struct flow *f)
{
    f->out.ev.what = EV_BRANCH;
    f->out.ev.flags = 0;
}

void report_time(struct flow *f)
{
    f->told.sample_tsc = f->in.s.clk.now;
    f->told.sample_insns = f->in.s.clk.insns;
    f->told.reported_cycles = f->in.s.clk.cycles;
}

void trace_begins(struct flow *f)
{
    f->walk.ip = 0;
    f->walk.phase = SEEK_PSB;
    last_told(f);
    f->told.trace_nr = f->in.trace_nr;
    f->told.branch_due = true;
}

static bool phase_reports(enum phase p)
{
    return p <= SYNC || p == IN_TNT_MORE;
}

uint64_t estimated_tsc(const struct flow *f)
{
    uint64_t est = f->told.sample_insns << 1;
    if (f->conf.late_tsc && !f->told.sample_tsc)
        return f->told.tsc; /* there was none yet */
    if (f->in.s.clk.cbr && f->conf.clock.max_nonturbo)
        est = est * f->conf.clock.max_nonturbo / f->in.s.clk.cbr;
    return f->told.sample_tsc + est;
}

/* Moves the queue's time on: coming from outside user code, only the estimate is known. */
static void advance_time(struct flow *f)
{
    const struct pt_event *ev = &f->out.ev;
    bool enters_user =
        (!ev->from || in_kernel(ev->from)) && ev->to && !in_kernel(ev->to);
    if ((enters_user && !f->conf.timeless) || (switches_any(f) && switches_unseen(f)))
        f->told.tsc = estimated_tsc(f);
    else if (f->told.sample_tsc > f->told.tsc)
        f->told.tsc = f->told.sample_tsc;
}

/* An estimate may be behind the time that an event before it had, which nobody was told. The
 * records up to there are in effect by then, and stand in front of all that follows. */
static void tell_latest(struct flow *f)
{
    const struct told_state *t = &f->told;
    struct pt_event *ev;

    if (t->tsc >= t->event_tsc)
        return;
    last_told(f);
    if (t->told_tsc >= t->event_tsc || f->gaps.due)
        return;
    ev = VEC_PUSH(&f->out.held.events);
    if (ev)
        *ev = (struct pt_event){.tsc = t->event_tsc};
    else
        f->out.no_memory = true;
}

/* --- Delivery -------------------------------------------------------------------- */

static void deliver_block(struct flow *f)
{
    struct event_out *o = &f->out;
    struct pt_block *block = VEC_PUSH(&o->held.blocks);

    if (block) {
        *block = f->in.s.pebs.block;
        o->held.extras.at[o->held.extras.len - 1].block = (uint32_t)o->held.blocks.len;
    } else {
        o->no_memory = true;
    }
}

static void deliver_extra(struct flow *f, uint32_t what, struct pt_more *more)
{
    struct pt_extra *ex = VEC_PUSH(&f->out.held.extras);

    if (!ex) {
        f->out.no_memory = true;
        return;
    }
    *ex = f->in.extra;
    more->extra = (uint32_t)f->out.held.extras.len;
    if (what & f->conf.want & EV_BLOCK)
        deliver_block(f);
}

static void deliver_insn(struct flow *f, uint8_t len, struct pt_more *more,
                         const uint8_t *bytes)
{
    struct pt_insn *insn = VEC_PUSH(&f->out.held.insns);

    if (!insn) {
        f->out.no_memory = true;
        return;
    }
    *insn = (struct pt_insn){0};
    memcpy(insn->at, bytes, len < sizeof(insn->at) ? len : sizeof(insn->at));
    more->insn = (uint32_t)f->out.held.insns.len;
}

static uint64_t low_bytes(uint64_t x, unsigned n)
{
    return n < 8 ? x & ((UINT64_C(1) << 8 * n) - 1) : x;
}

/* The same of one with all of ILD_MAX bytes behind it to read, which is quicker. */
static void deliver_whole(struct flow *f, uint8_t len, struct pt_more *more,
                          const uint8_t *bytes)
{
    struct pt_insn *insn = VEC_PUSH(&f->out.held.insns);
    uint64_t low, high;

    if (!insn) {
        f->out.no_memory = true;
        return;
    }
    memcpy(&low, bytes, sizeof(low));
    memcpy(&high, bytes + sizeof(insn->at) - sizeof(high), sizeof(high));
    low = low_bytes(low, len);
    high = low_bytes(high >> 8, len > 8 ? len - 8u : 0);
    memcpy(insn->at, &low, sizeof(low));
    memcpy(insn->at + sizeof(low), &high, sizeof(insn->at) - sizeof(low));
    more->insn = (uint32_t)f->out.held.insns.len;
}

/* The event with all that is known where it happened, but for what few have. */
static inline void whole_event(const struct flow *f, struct pt_event *to)
{
    const struct pt_event *ev = &f->out.ev;
    const bool error = ev->what & EV_ERROR;

    *to = (struct pt_event){
        .tsc = f->told.tsc,
        .from = ev->from,
        .to = ev->to,
        .trace_nr = error ? f->out.missing : f->told.trace_nr,
        .flags = ev->flags,
        .cls = error ? (uint8_t)f->walk.fault : f->walk.cls,
        .ilen = f->walk.ilen,
        .what = ev->what,
    };
}

static void deliver_more(struct flow *f, struct pt_event *ev)
{
    const uint8_t *bytes = f->conf.want_insn_bytes ? f->walk.bytes : NULL;
    const bool payload = ev->what & EV_WITH_PAYLOAD;
    struct pt_more *more = event_more(f, ev, f->walk.ninsn, cycles_told(f));
    if (more && bytes)
        deliver_insn(f, ev->ilen, more, bytes);
    if (more && payload)
        deliver_extra(f, ev->what, more);
}

static void deliver(struct flow *f)
{
    last_told(f);
    struct pt_event *ev = VEC_PUSH(&f->out.held.events);
    if (!ev) {
        f->out.no_memory = true;
        return;
    }
    whole_event(f, ev);
    if (ev->what & EV_ERROR) {
        f->out.errors = true;
    } else { /* errors do not stop a queue that is being merged */
        f->told.told_tsc = f->told.tsc;
        gap_told(f);
    }
    if (ev->what)
        deliver_more(f, ev);
}

/* It comes behind the records up to its time, and so is of who runs then. */
static bool is_behind_records(const struct flow *f)
{
    return f->told.tsc >= f->told.next_epoch_tsc && !f->conf.timeless;
}

/* An event that nobody asked for may have to be told all the same: the ratio that
 * came with it, or the first of all. */
static bool wanted(struct flow *f)
{
    struct pt_event *ev = &f->out.ev;

    if (f->out.drop)
        return false;
    if (f->told.cbr_due) { /* perhaps from an event that was dropped */
        ev->what |= EV_CBR;
        f->in.extra.value[EV_NR_CBR] = f->told.cbr;
    }
    f->told.cbr_due = false;
    uint32_t what = ev->what & f->conf.want;
    if (what & ~(uint32_t)EV_BRANCH)
        return true;
    if (!f->told.any)
        return true; /* the first one tells the ratio even when no packet did */
    if (!what)
        return false;
    return f->told.branch_due || is_behind_records(f) || !ev->from ||
           ev->what & (EV_TRACE_BEGIN | EV_TRACE_END) ||
           ev->flags & (EVF_ASYNC | EVF_TX_ABORT) ||
           f->conf.want_classes >> f->walk.cls & 1;
}

/* One that only counts as one of the last branches. */
static bool is_last(const struct flow *f)
{
    enum { BRANCHES = EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END };
    const uint32_t what = f->out.ev.what;

    return f->last && !f->told.shared && f->told.any && what & EV_BRANCH &&
           !(what & ~(uint32_t)BRANCHES);
}

/* Whether the time of an event is to be told that was not told itself. */
static bool time_is_wanted(const struct flow *f)
{
    const struct told_state *t = &f->told;

    return f->conf.want_times && t->tsc != t->told_tsc && t->tsc >= f->asked_tsc;
}

/* in_range: not behind selected times. */
static void deliver_wanted(struct flow *f, bool in_range)
{
    const bool want = wanted(f), last = want && is_last(f);

    /* Behind the records up to here the thread may be on another CPU, where somebody looks. */
    if (is_behind_records(f))
        last_told(f);
    if (want && !last)
        deliver(f);
    if (in_range && time_is_wanted(f))
        flow_tell_time(f);
    if (last) {
        struct pt_event ev;
        whole_event(f, &ev);
        last_event(f, &ev);
    }
    if (!want)
        return;
    f->told.any = true;
    if (f->out.ev.what & EV_BRANCH)
        f->told.branch_due = f->told.shared;
}

/* --- The end of an event ---------------------------------------------------------- */

/* Code is looked for where the last event said that execution goes on. */
static void nr_told(struct flow *f)
{
    f->in.s.nr = f->in.s.next_nr;
    if (f->walk.nr != f->in.s.nr)
        stretch_forget(f);
    f->walk.nr = f->in.s.nr;
}

/* The ratio is looked at when an event ends, so that it is told once, however many
 * packets said it. */
static void cbr_noted(struct flow *f)
{
    struct pt_event *ev = &f->out.ev;

    if (f->in.s.clk.cbr == f->in.s.cbr_seen)
        return;
    f->in.s.cbr_seen = f->in.s.clk.cbr;
    if (!ev->what)
        note_branch(f, f->walk.ip, 0);
    f->told.cbr_due = true;
    f->told.cbr = f->in.s.clk.cbr_payload;
}

/* The event is delivered before the records of its time take effect: it belongs to
 * what was. */
bool event_end(struct flow *f)
{
    struct pt_event *ev = &f->out.ev;
    struct pt_clock *clk = &f->in.s.clk;
    bool more = true;

    cbr_noted(f);
    if (!ev->from) /* the thread may have been on another CPU meanwhile, where somebody looked */
        last_told(f);
    if (phase_reports(f->walk.phase)) {
        report_time(f);
        if (clk->cycles_fresh) {
            f->told.sample_cycles = clk->cycles;
            ev->flags |= EVF_IPC;
            clk->cycles_fresh = false;
        }
    }
    if (!clk->have_cyc)
        ev->flags |= EVF_IPC;
    if (ev->what & EV_PSB && clk->tsc)
        f->told.sample_tsc = clk->tsc;
    ev->flags |= state_flags(&f->in.s);
    nr_told(f);
    f->out.drop = false;
    if (!f->told.started)
        return true;
    advance_time(f);
    tell_latest(f);
    f->told.event_tsc = f->told.tsc;
    if (switches_any(f) && (is_behind_records(f) || switches_untold(f)))
        switches_before(f);
    if (f->told.range.tsc)
        more = range_at(f);
    deliver_wanted(f, more);
    if (switches_any(f) && f->out.drop)
        switches_passed(f);
    else if (switches_any(f))
        switches_after(f);
    if (is_behind_records(f)) {
        enter_epoch(f, sb_epoch_at(f->sb, f->told.tsc));
        range_again(f);
    }
    return more;
}

void event_insn(struct flow *f, const struct plain_insn *insn)
{
    const struct told_state *t = &f->told;
    struct pt_event *ev = VEC_PUSH(&f->out.held.events);

    if (!ev) {
        f->out.no_memory = true;
        return;
    }
    *ev = (struct pt_event){
        .from = insn->ip,
        .tsc = t->tsc,
        .what = EV_INSN,
        .flags = (uint16_t)(state_flags(&f->in.s) | (f->in.s.tx & EVF_IN_TX) |
                            (f->in.s.clk.have_cyc ? 0 : EVF_IPC)),
        .cls = insn->cls,
        .trace_nr = t->trace_nr,
        .ilen = insn->len,
    };
    gap_told(f);
    struct pt_more *more = event_more(f, ev, f->walk.ninsn, cycles_told(f));
    if (more && f->conf.want_insn_bytes)
        deliver_whole(f, ev->ilen, more, insn->bytes);
}

void first_event(struct flow *f)
{
    struct told_state *t = &f->told;

    t->event_tsc = t->tsc;
    f->out.drop = t->range.start && t->range.tsc && t->tsc < t->range.tsc;
    if (switches_any(f))
        switches_before(f);
    deliver_wanted(f, false);
    f->out.kept = true;
    if (switches_any(f) && !f->out.drop)
        switches_after(f);
    enter_epoch(f, sb_epoch_at(f->sb, t->tsc));
}

void fault_end(struct flow *f)
{
    struct pt_event *ev = &f->out.ev;
    struct told_state *t = &f->told;

    if (f->walk.fault != FAULT_OVERFLOW) {
        ev->from = f->walk.ip;
        pt_mode_forget(&f->in.s);
        stretch_check(f);
    }
    report_time(f);
    t->sample_cycles = f->in.s.clk.cycles;
    pt_nr_now(&f->in.s);
    nr_told(f);
    if (!t->started)
        return;
    bool wanted_error = f->conf.want & EV_ERROR;
    last_told(f);
    if (wanted_error && t->event_tsc != t->told_tsc) {
        ev->what = 0; /* records up to here take effect before the error is told */
        t->tsc = t->event_tsc;
        deliver(f);
    }
    t->tsc = estimated_tsc(f);
    switches_error(f, ev->from);
    if (!wanted_error) {
        tell_latest(f);
        return;
    }
    ev->what = EV_ERROR;
    ev->flags = state_flags(&f->in.s);
    deliver(f);
}
