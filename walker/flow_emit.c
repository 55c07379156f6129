/* flow_emit.c - events of a flow: their times, their place in the side-band, delivery.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two clocks are kept.  The stream's clock moves with every timing packet; the
 * *reported* time moves only when an event ends outside the walk for a packet (I1), so
 * that all branches of one TNT packet share one time, as in perf.
 */
#include "walker/flow_priv.h"

#include <string.h>

static const uint64_t kernel_start = UINT64_C(1) << 63;

void event_begin(struct flow *f)
{
    f->ev.what = EV_BRANCH;
    f->ev.flags = 0;
}

void report_time(struct flow *f)
{
    f->sample_tsc = f->clk.now;
    f->sample_insns = f->clk.insns;
    f->reported_cycles = f->clk.cycles;
}

static bool phase_reports(enum phase p)
{
    return p <= SYNC || p == IN_TNT_MORE;
}

/* The reported time, plus a guess of two cycles for each instruction since. */
static uint64_t estimated_tsc(const struct flow *f)
{
    uint64_t est = f->sample_insns << 1;
    if (f->clk.cbr && f->conf.clock.max_nonturbo)
        est = est * f->conf.clock.max_nonturbo / f->clk.cbr;
    return f->sample_tsc + est;
}

static void enter_epoch(struct flow *f, uint32_t epoch)
{
    f->epoch = epoch;
    place_forget(&f->place);
    if (epoch >= f->who.until)
        f->who = sb_who(f->sb, f->queue.cpu, f->queue.tid, f->queue.use_current, epoch);
    f->next_epoch_tsc =
        epoch < sb_epoch_count(f->sb) ? sb_epoch_tsc(f->sb, epoch) : UINT64_MAX;
}

void flow_place(struct flow *f, uint32_t epoch)
{
    f->who.until = 0;
    enter_epoch(f, epoch);
}

/* Moves the queue's time on: coming from outside user code, only the estimate is known.
 */
static void advance_time(struct flow *f)
{
    const struct pt_event *ev = &f->ev;
    bool enters_user =
        (!ev->from || ev->from >= kernel_start) && ev->to && ev->to < kernel_start;
    if (enters_user && !f->conf.timeless)
        f->tsc = estimated_tsc(f);
    else if (f->sample_tsc > f->tsc)
        f->tsc = f->sample_tsc;
}

static void deliver_block(struct flow *f)
{
    struct pt_block *block = VEC_PUSH(&f->blocks);

    if (block) {
        *block = f->block;
        f->extras.at[f->extras.len - 1].block = (uint32_t)f->blocks.len;
    } else {
        f->no_memory = true;
    }
}

static void deliver_extra(struct flow *f, struct pt_event *ev)
{
    struct pt_extra *ex = VEC_PUSH(&f->extras);

    if (!ex) {
        f->no_memory = true;
        return;
    }
    *ex = f->ex;
    ev->extra = (uint32_t)f->extras.len;
    if (ev->what & f->conf.want & EV_BLOCK)
        deliver_block(f);
}

static void deliver(struct flow *f)
{
    enum {
        WITH_EXTRA = EV_PTWRITE | EV_MWAIT | EV_PWRE | EV_PWRX | EV_CBR | EV_PSB |
                     EV_CFE | EV_BLOCK
    };
    struct pt_event *ev = VEC_PUSH(&f->events);
    if (!ev) {
        f->no_memory = true;
        return;
    }
    *ev = f->ev;
    ev->tsc = f->tsc;
    if (!(ev->what & EV_ERROR)) /* errors do not stop a queue that is being merged */
        f->told_tsc = f->tsc;
    ev->ninsn = f->ninsn;
    ev->ncyc = f->conf.approx_ipc ? f->reported_cycles : f->sample_cycles;
    ev->cls = f->cls;
    ev->ilen = f->ilen;
    ev->trace_nr = f->trace_nr;
    ev->extra = 0;
    if (f->conf.want_insn_bytes && f->bytes)
        memcpy(ev->insn, f->bytes,
               f->ilen < sizeof(ev->insn) ? f->ilen : sizeof(ev->insn));
    if (ev->what & WITH_EXTRA)
        deliver_extra(f, ev);
}

static bool wanted(struct flow *f)
{
    struct pt_event *ev = &f->ev;

    if (f->drop_event)
        return false;
    if (f->cbr_due) /* perhaps from an event that was dropped */
        ev->what |= EV_CBR;
    f->cbr_due = false;
    uint32_t what = ev->what & f->conf.want;
    if (what & ~(uint32_t)EV_BRANCH)
        return true;
    if (!f->events_told)
        return true; /* the first one tells the ratio even when no packet did */
    if (!what)
        return false;
    return !ev->from || ev->what & (EV_TRACE_BEGIN | EV_TRACE_END) ||
           ev->flags & (EVF_ASYNC | EVF_TX_ABORT) || f->conf.want_classes >> f->cls & 1;
}

/* Code is looked for where the last event said that execution goes on. */
static void nr_told(struct flow *f)
{
    f->nr = f->next_nr;
    if (f->walk_nr != f->nr)
        place_forget(&f->place);
    f->walk_nr = f->nr;
}

void event_end(struct flow *f)
{
    struct pt_event *ev = &f->ev;

    if (f->clk.cbr != f->cbr_seen) {
        f->cbr_seen = f->clk.cbr;
        if (!ev->what)
            note_branch(f, f->ip, 0);
        f->cbr_due = true;
        f->ex.cbr = f->clk.cbr_payload;
    }
    if (phase_reports(f->phase)) {
        report_time(f);
        if (f->clk.cycles_fresh) {
            f->sample_cycles = f->clk.cycles;
            ev->flags |= EVF_IPC;
            f->clk.cycles_fresh = false;
        }
    }
    if (!f->clk.have_cyc)
        ev->flags |= EVF_IPC;
    if (ev->what & EV_PSB && f->clk.tsc)
        f->sample_tsc = f->clk.tsc;
    ev->flags |=
        (uint16_t)((f->nr ? EVF_FROM_NR : 0) | (f->next_nr ? EVF_TO_NR : 0) |
                   (f->from_iflag ? EVF_FROM_IF : 0) | (f->to_iflag ? EVF_TO_IF : 0));
    nr_told(f);
    f->drop_event = false;
    if (!f->started)
        return;
    advance_time(f);
    f->event_tsc = f->tsc;
    if (f->sel_tsc && !select_time(f))
        f->stopped = true;
    if (wanted(f)) {
        deliver(f);
        f->events_told = true;
    } else if (f->conf.want_times && f->tsc != f->told_tsc && !f->stopped) {
        ev->what = 0;
        deliver(f);
    }
    if (f->tsc >= f->next_epoch_tsc && !f->conf.timeless)
        enter_epoch(f, sb_epoch_at(f->sb, f->tsc));
}

void first_event(struct flow *f)
{
    f->event_tsc = f->tsc;
    f->drop_event = f->sel_start && f->sel_tsc && f->tsc < f->sel_tsc;
    if (wanted(f)) {
        deliver(f);
        f->events_told = true;
    }
    f->batch_kept = true;
    enter_epoch(f, sb_epoch_at(f->sb, f->tsc));
}

enum step flow_fault(struct flow *f, enum pt_fault fault)
{
    f->fault = fault;
    f->ev.to = 0;
    return STEP_FAULT;
}

void fault_end(struct flow *f)
{
    struct pt_event *ev = &f->ev;

    if (f->fault != FAULT_OVERFLOW) {
        ev->from = f->ip;
        mode_exec_forget(f);
    }
    report_time(f);
    f->sample_cycles = f->clk.cycles;
    nr_now(f);
    nr_told(f);
    if (!f->started)
        return;
    bool wanted_error = f->conf.want & EV_ERROR;
    if (wanted_error && f->event_tsc != f->told_tsc) {
        ev->what = 0; /* records up to here take effect before the error is told */
        f->tsc = f->event_tsc;
        deliver(f);
    }
    f->tsc = estimated_tsc(f);
    if (!wanted_error)
        return;
    ev->what = EV_ERROR;
    ev->err = (uint8_t)f->fault;
    deliver(f);
    ev->err = FAULT_NONE;
}

enum step fault_no_code(struct flow *f)
{
    loop_left(f);
    f->phase = SEEK_NEW_IP;
    const struct place *p = &f->place;
    bool missing = p->end && !p->code->bytes && p->dso < f->dso_count;
    if (missing && f->dso_faults[p->dso] >= MISSING_TOLD)
        return STEP_SILENT;
    flow_fault(f, FAULT_NO_INSN);
    if (missing) {
        f->dso_faults[p->dso]++;
        f->ev.to = 1 + (uint64_t)p->dso;
    }
    return STEP_FAULT;
}
