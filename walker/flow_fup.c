/* flow_fup.c - FUP packets: the ip of the event before it, or of an asynchronous
 * branch.
 *
 * SPDX-License-Identifier: MIT
 *
 * spec B2.  A FUP is *quiet* when it belongs to an event (ptwrite, power, transaction,
 * interrupt flag ...): no TIP follows it.  Otherwise something asynchronous happened,
 * and a TIP, TIP.PGD or TIP.PGE tells where execution went.
 */
#include "walker/flow_priv.h"

void fup_clear(struct flow *f)
{
    f->fup = (struct fup_pending){0};
    f->ex.evd_count = 0;
    f->evd_count = 0;
    f->iflag = f->next_iflag;
}

static void tell_cfe(struct flow *f)
{
    f->ev.what |= EV_CFE;
    if (!f->fup.cfe_ip && f->tracing)
        f->ev.what |= EV_BRANCH;
    if (f->fup.cfe_ip || f->tracing)
        f->ev.flags |= EVF_FUP_IP;
    f->ex.cfe_type = (uint8_t)f->fup.cfe_pkt.count;
    f->ex.cfe_vector = (uint8_t)f->fup.cfe_pkt.value;
    f->ex.evd_count = (uint8_t)f->evd_count;
    f->evd_count = 0;
}

static void tell_tx(struct flow *f)
{
    f->tx = f->fup.tx_flags;
    f->ev.what |= EV_TX;
    if (f->tx & EVF_TX_ABORT)
        f->ev.what |= EV_BRANCH;
    f->ev.flags = f->tx;
}

static void tell_iflag(struct flow *f)
{
    f->ev.what |= EV_IFLAG;
    f->from_iflag = f->iflag;
    f->to_iflag = f->next_iflag;
    f->iflag = f->next_iflag;
}

/* Everything that waited for this FUP; false when nothing did. */
static bool tell_pending(struct flow *f)
{
    struct fup_pending *p = &f->fup;
    bool any = p->cfe_ip || p->cfe || p->iflag || p->tx || p->ptwrite || p->mwait ||
               p->pwre || p->exstop || p->block;

    if (p->cfe_ip || p->cfe)
        tell_cfe(f);
    if (p->iflag)
        tell_iflag(f);
    if (p->tx)
        tell_tx(f);
    if (p->ptwrite) {
        f->ev.what |= EV_PTWRITE;
        f->ev.flags |= EVF_FUP_IP;
        f->ex.ptwrite = p->ptwrite_value;
    }
    if (p->mwait) {
        f->ev.what |= EV_MWAIT;
        f->ex.mwait = p->mwait_value;
    }
    if (p->pwre) {
        f->ev.what |= EV_PWRE;
        f->ex.pwre = p->pwre_value;
    }
    if (p->exstop) {
        f->ev.what |= EV_EXSTOP;
        f->ev.flags |= EVF_FUP_IP;
    }
    if (p->block)
        f->ev.what |= EV_BLOCK;
    *p = (struct fup_pending){.tx_flags = p->tx_flags};
    return any;
}

/* The FUP at f->ip is reached.  True: f->ev tells something. */
bool fup_events(struct flow *f, bool quiet)
{
    uint32_t before = f->ev.what;
    bool sample = f->fup.iflag && quiet;

    f->ev.what &= ~(uint32_t)EV_BRANCH;
    f->cls = INSN_OTHER;
    f->ilen = 0;
    bool any = tell_pending(f);
    bool resumed = f->overflowed && !any && !f->tracing;
    f->overflowed = false;
    if (resumed) {
        f->tracing = true;
        f->ev.what |= EV_BRANCH | EV_TRACE_BEGIN;
        note_branch(f, 0, f->ip);
        return true;
    }
    if (!any) {
        f->ev.what = before;
        return false;
    }
    note_branch(f, f->ip, 0);
    if (sample)
        sample_fup_insn(f);
    return true;
}

/* Goldmont's FUP may hold the address after the branch that it interrupted. */
static bool fup_is_next_ip(const struct flow *f, enum step s)
{
    return f->conf.fup_next_ip && s == STEP_BRANCH && f->branch == BRANCH_INDIRECT &&
           f->last_ip == f->ip + f->ilen;
}

/* Walks to the FUP's ip.  STEP_ON: there, and nothing to report yet. */
enum step walk_fup(struct flow *f)
{
    enum step s = walk_code(f, f->last_ip);
    if (s == STEP_EVENT)
        return s;
    if (s == STEP_TARGET || fup_is_next_ip(f, s)) {
        bool quiet = f->phase != IN_FUP;
        f->phase = SYNC;
        return fup_events(f, quiet) && quiet ? STEP_EVENT : STEP_ON;
    }
    f->fup.tx = false;
    if (s != STEP_BRANCH)
        return s;
    f->phase = SEEK_IP;
    return flow_fault(f, FAULT_MISMATCH);
}

static void tip_target(struct flow *f, uint64_t from)
{
    note_branch(f, from, 0);
    if (f->st.pkt.count) {
        take_ip(f);
        f->ev.to = f->ip;
    }
}

/* One packet after an asynchronous FUP.  STEP_ON: not the TIP yet. */
static enum step fup_tip_packet(struct flow *f)
{
    const struct pts_pkt *p = &f->st.pkt;

    switch (p->kind) {
    case PTS_PKT_TIP_PGD:
        tip_target(f, f->ip);
        trace_off(f);
        f->ev.what |= EV_TRACE_END;
        nr_next(f);
        return STEP_EVENT;
    case PTS_PKT_TIP_PGE:
        f->tracing = true;
        tip_target(f, 0);
        f->ev.what |= EV_TRACE_BEGIN;
        clock_trace_on(&f->clk);
        nr_now(f);
        return STEP_EVENT;
    case PTS_PKT_TIP:
        tip_target(f, f->ip);
        branch_arrives(f);
        return STEP_EVENT;
    case PTS_PKT_OVF:
        return flow_overflow(f);
    case PTS_PKT_CBR:
    case PTS_PKT_MTC:
    case PTS_PKT_CYC:
        flow_timing(f);
        return STEP_ON;
    case PTS_PKT_PIP:
        f->pip = p->count;
        return STEP_ON;
    case PTS_PKT_MODE_EXEC:
        mode_exec_next(f);
        return STEP_ON;
    case PTS_PKT_VMCS:
    case PTS_PKT_MNT:
    case PTS_PKT_TRIG:
        return STEP_ON;
    default:
        f->phase = SEEK_IP;
        stream_unget(&f->st);
        return flow_fault(f, FAULT_MISMATCH);
    }
}

enum step walk_fup_tip(struct flow *f)
{
    if (f->tx & EVF_TX_ABORT) {
        f->tx = 0;
        f->ev.flags &= (uint16_t)~EVF_IN_TX;
        f->ev.flags |= EVF_TX_ABORT;
    } else {
        f->ev.flags |= EVF_ASYNC;
    }
    for (;;) {
        enum step s = flow_read(f);
        if (s == STEP_ON)
            s = fup_tip_packet(f);
        if (s != STEP_ON)
            return s;
    }
}

/* The FUP in f->st.pkt.  STEP_ON: nothing to report. */
enum step fup_packet(struct flow *f, bool quiet)
{
    if (f->conf.quick)
        return hop_fup(f, quiet);
    if (!f->st.pkt.count)
        return STEP_ON;
    take_last_ip(f);
    if (!f->conf.branch_enable || !f->tracing) {
        f->ip = f->last_ip;
        return fup_events(f, quiet) ? STEP_EVENT : STEP_ON;
    }
    if (f->fup.mwait)
        quiet = true;
    f->phase = quiet ? IN_FUP_QUIET : IN_FUP;
    enum step s = walk_fup(f);
    if (s != STEP_ON || quiet)
        return s;
    return walk_fup_tip(f);
}
