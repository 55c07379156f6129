/* flow_sync.c - finding one's feet: PSB+, the first ip, overflow, a new trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * spec B3.
 */
#include "walker/flow_priv.h"

enum { PSB_LOOK_AFTER = 6 }; /* packets after PSBEND in which a TIP.PGE voids the FUP */

void flow_restart(struct flow *f)
{
    const struct pt_buf *b = stream_buf(&f->st);
    f->ip = 0;
    f->phase = SEEK_PSB;
    /* perf numbers no trace that is entered at a buffer which goes on another's */
    f->trace_nr = b->consecutive ? 0 : b->nr + 1;
    clock_restart(&f->clk, b->ref);
}

enum step flow_overflow(struct flow *f)
{
    f->tx = 0;
    nr_now(f);
    f->clk.insns = 0;
    f->phase = SYNC;
    f->ev.from = f->ip;
    f->ip = 0;
    f->tracing = false;
    fup_clear(f);
    f->overflowed = true;
    return flow_fault(f, FAULT_OVERFLOW);
}

static void mode_exec_now(struct flow *f)
{
    mode_exec_next(f);
    mode_exec_apply(f);
    f->iflag = f->from_iflag = f->to_iflag = f->next_iflag;
}

/* Status packets, which mean the same wherever an ip is looked for. */
static bool status_packet(struct flow *f)
{
    const struct pts_pkt *p = &f->st.pkt;

    switch (p->kind) {
    case PTS_PKT_TSC:
    case PTS_PKT_TMA:
    case PTS_PKT_MTC:
    case PTS_PKT_CYC:
    case PTS_PKT_CBR:
        flow_timing(f);
        return true;
    case PTS_PKT_PIP:
        f->pip = p->count;
        nr_now(f);
        return true;
    case PTS_PKT_MODE_EXEC:
        mode_exec_now(f);
        return true;
    case PTS_PKT_MODE_TSX:
        f->tx = p->value & EVF_IN_TX;
        return true;
    case PTS_PKT_VMCS:
    case PTS_PKT_MNT:
    case PTS_PKT_TRIG:
        return true;
    default:
        return false;
    }
}

/* IP compression needs a last ip, which only a PSB or a full address gives. */
static bool ip_usable(const struct flow *f)
{
    uint16_t n = f->st.pkt.count;
    return n && (f->have_last_ip || n == 3 || n == 6);
}

static void trace_stopped(struct flow *f)
{
    trace_off(f);
    f->tx = 0;
    f->clk.have_tma = false;
}

/* --- PSB+ while looking for an ip --- */

/* STEP_ON: goes on; STEP_EVENT: PSBEND. */
static enum step seek_psb_packet(struct flow *f)
{
    switch (f->st.pkt.kind) {
    case PTS_PKT_PSBEND:
        return STEP_EVENT;
    case PTS_PKT_FUP:
        f->tracing = true;
        if (ip_usable(f)) {
            take_ip(f);
            f->psb_ip = f->ip;
        }
        return STEP_ON;
    case PTS_PKT_OVF:
        return flow_overflow(f);
    case PTS_PKT_TRACESTOP:
    case PTS_PKT_TNT:
        if (f->st.pkt.kind == PTS_PKT_TRACESTOP)
            trace_stopped(f);
        f->clk.have_tma = false;
        f->phase = f->ip ? SYNC : SEEK_IP;
        return flow_fault(f, FAULT_MISMATCH);
    case PTS_PKT_TIP_PGD:
        f->ticks_running = false;
        return flow_fault(f, FAULT_MISMATCH);
    case PTS_PKT_PSB:
        return STEP_ON;
    default:
        return status_packet(f) ? STEP_ON : flow_fault(f, FAULT_MISMATCH);
    }
}

static enum step seek_through_psb(struct flow *f)
{
    enum step s;

    f->in_psb = true;
    do {
        s = flow_read(f);
        if (s == STEP_ON)
            s = seek_psb_packet(f);
    } while (s == STEP_ON);
    f->in_psb = false;
    return s;
}

static void psb_begins(struct flow *f)
{
    f->psb_ip = 0;
    f->last_ip = 0;
    f->have_last_ip = true;
    ret_clear(&f->rets);
}

static void psb_event(struct flow *f)
{
    f->ev.what = EV_PSB;
    note_branch(f, f->psb_ip, 0);
}

enum step sync_psb(struct flow *f)
{
    trace_off(f);
    f->have_last_ip = false;
    f->last_ip = f->psb_ip = f->ip = 0;
    ret_clear(&f->rets);
    enum stream_result r = stream_find_psb(&f->st);
    if (r != STREAM_PKT)
        return flow_stream_end(f, r);
    f->have_last_ip = true;
    f->phase = SYNC;
    enum step s = seek_through_psb(f);
    if (s == STEP_EVENT)
        psb_event(f);
    return s;
}

/* --- Looking for an ip --- */

static enum step seek_branch(struct flow *f, uint32_t what, bool tracing)
{
    f->tracing = tracing;
    if (ip_usable(f))
        take_ip(f);
    if (!f->ip)
        return STEP_ON;
    f->ev.what |= what;
    return STEP_EVENT;
}

static enum step seek_packet(struct flow *f)
{
    switch (f->st.pkt.kind) {
    case PTS_PKT_TIP_PGD:
        f->ticks_running = false;
        return seek_branch(f, EV_TRACE_END, false);
    case PTS_PKT_TIP_PGE:
        clock_trace_on(&f->clk);
        return seek_branch(f, EV_TRACE_BEGIN, true);
    case PTS_PKT_TIP:
        return seek_branch(f, 0, true);
    case PTS_PKT_FUP:
        return seek_branch(f, 0, f->tracing);
    case PTS_PKT_OVF:
        return flow_overflow(f);
    case PTS_PKT_TRACESTOP:
        trace_stopped(f);
        return STEP_ON;
    case PTS_PKT_PSB: {
        f->ex.psb_offset = f->st.pos;
        psb_begins(f);
        enum step s = seek_through_psb(f);
        if (s == STEP_EVENT)
            psb_event(f);
        return s;
    }
    default:
        status_packet(f);
        return STEP_ON;
    }
}

enum step sync_ip(struct flow *f)
{
    enum step s;

    fup_clear(f);
    f->overflowed = false;
    if (!f->conf.branch_enable) {
        f->phase = SYNC;
        f->ev.what = 0;
        return STEP_EVENT;
    }
    do {
        s = flow_read(f);
        if (s == STEP_ON)
            s = seek_packet(f);
    } while (s == STEP_ON);
    if (s != STEP_EVENT || (f->ev.what & EV_PSB && !f->ip))
        return s;
    f->phase = SYNC;
    note_branch(f, 0, f->ip);
    return s;
}

/* --- PSB while in sync --- */

/* Whether the PSB+ that follows states an ip at which tracing is already on: a FUP in
 * it does not count when a TIP.PGE comes right after (erratum BDM70 and its kin). */
static bool psb_states_ip(struct flow *f, struct pts_pkt *fup)
{
    struct pkt_cursor c = stream_rest(&f->st);
    struct pts_pkt p;
    bool have = false;
    int after = 0;

    while (pkt_cursor_next(&c, &p) > 0) {
        switch (p.kind) {
        case PTS_PKT_PAD:
            continue;
        case PTS_PKT_FUP:
            if (after || have || !p.count)
                return have;
            *fup = p;
            have = true;
            continue;
        case PTS_PKT_PSBEND:
            if (!have)
                return false;
            after = PSB_LOOK_AFTER;
            continue;
        case PTS_PKT_TIP_PGE:
            return have && !after;
        case PTS_PKT_OVF:
        case PTS_PKT_TNT:
        case PTS_PKT_TIP_PGD:
        case PTS_PKT_TIP:
        case PTS_PKT_PSB:
        case PTS_PKT_TRACESTOP:
            return have;
        case PTS_PKT_MNT:
        case PTS_PKT_TSC:
        case PTS_PKT_TMA:
        case PTS_PKT_MODE_EXEC:
        case PTS_PKT_MODE_TSX:
        case PTS_PKT_MTC:
        case PTS_PKT_CYC:
        case PTS_PKT_VMCS:
        case PTS_PKT_CBR:
        case PTS_PKT_PIP:
        case PTS_PKT_TRIG:
            break;
        default: /* events: not within a PSB+ */
            if (!after)
                return have;
            break;
        }
        if (after && !--after)
            return have;
    }
    return have;
}

/* Reads the rest of the PSB+.  STEP_AGAIN: a packet that does not belong into it. */
static enum step psb_packets(struct flow *f)
{
    for (;;) {
        enum step s = flow_read(f);
        if (s != STEP_ON)
            return s;
        switch (f->st.pkt.kind) {
        case PTS_PKT_PSBEND:
            return STEP_ON;
        case PTS_PKT_FUP:
            f->tracing = true;
            if (f->st.pkt.count) {
                take_last_ip(f);
                f->psb_ip = f->last_ip;
            }
            break;
        case PTS_PKT_OVF:
            return flow_overflow(f);
        default:
            if (status_packet(f))
                break;
            f->clk.have_tma = false;
            return STEP_AGAIN;
        }
    }
}

enum step psb_read(struct flow *f)
{
    psb_begins(f);
    f->in_psb = true;
    enum step s = psb_packets(f);
    f->in_psb = false;
    if (s != STEP_ON)
        return s;
    psb_event(f);
    return STEP_EVENT;
}

/* To the ip that the PSB+ will state, then through the PSB+. */
enum step psb_walk_on(struct flow *f)
{
    if (f->ip != f->last_ip) {
        enum step s = walk_fup(f);
        if (s != STEP_ON)
            return s;
    }
    f->phase = SYNC;
    if (psb_read(f) == STEP_EVENT)
        return STEP_EVENT;
    f->phase = SEEK_IP;
    return flow_fault(f, FAULT_MISMATCH);
}

enum step psb_packet(struct flow *f)
{
    struct pts_pkt fup;

    f->ex.psb_offset = f->st.pos;
    f->psb_ip = 0;
    if (!f->conf.branch_enable || !psb_states_ip(f, &fup))
        return psb_read(f);
    /* as perf: against the last ip of before the PSB */
    f->last_ip = ip_of(&fup, f->last_ip);
    f->have_last_ip = true;
    f->phase = IN_FUP_PSB;
    return psb_walk_on(f);
}
