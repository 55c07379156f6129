/* flow_hop.c - the quick modes: no code is followed.
 *
 * SPDX-License-Identifier: MIT
 *
 * spec B6.  Only the ips that packets state are told, each as an instruction: those of
 * TIP, FUP and PSB+ (quick 1), or of PSB+ alone (quick 2, which leaps from PSB to PSB).
 * TNT means nothing here, so this also reads recordings that have none.  Where an ip is
 * the target of a branch that is told, it is sampled by the step after it (AT_IP).
 */
#include "walker/flow_priv.h"

/* f->ip as an instruction. */
static enum step hop_insn(struct flow *f)
{
    return plain_event(f, EV_INSN);
}

/* What was just told leads to f->ip. */
static void hop_arrive(struct flow *f)
{
    f->phase = AT_IP;
}

static enum step hop_tip(struct flow *f)
{
    if (!f->st.pkt.count) {
        nr_now(f);
        return STEP_ON;
    }
    take_ip(f);
    hop_insn(f);
    branch_arrives(f);
    return STEP_EVENT;
}

static enum step hop_pgd(struct flow *f)
{
    f->tracing = false;
    if (!f->st.pkt.count) {
        nr_now(f);
        return STEP_ON;
    }
    take_ip(f);
    f->ev.what |= EV_TRACE_END;
    note_branch(f, 0, f->ip);
    nr_next(f);
    return STEP_EVENT;
}

/* A FUP without a TIP: its ip, together with the events that waited for it. */
static enum step hop_fup_quiet(struct flow *f)
{
    hop_insn(f);
    if (fup_events(f, true) && f->ev.what & EV_TRACE_BEGIN) {
        f->ev.what = EV_BRANCH | EV_TRACE_BEGIN; /* resumed after an overflow */
        hop_arrive(f);
    }
    return STEP_EVENT;
}

enum step hop_fup(struct flow *f, bool quiet)
{
    if (!f->st.pkt.count) {
        f->hop_quiet |= quiet; /* as in perf: still so for the next one */
        return STEP_ON;
    }
    take_ip(f);
    if (quiet || f->hop_quiet || f->fup.mwait || f->fup.pwre ||
        !f->conf.branch_enable || !f->tracing)
        return hop_fup_quiet(f);
    fup_events(f, false);
    f->ev.what |= EV_INSN | EV_BRANCH;
    enum step s = walk_fup_tip(f);
    if (s == STEP_EVENT && f->ev.to)
        hop_arrive(f);
    return s;
}

static enum step hop_psb(struct flow *f)
{
    f->ex.psb_offset = f->st.pos;
    enum step s = psb_read(f);
    if (s == STEP_EVENT && f->psb_ip) {
        f->ev.what |= EV_INSN;
        f->ip = f->psb_ip;
    }
    return s;
}

static enum step hop_packet(struct flow *f)
{
    if (f->conf.quick > 1 && f->st.pkt.kind != PTS_PKT_PSB) {
        enum stream_result r = stream_find_psb(&f->st);
        if (r != STREAM_PKT)
            return flow_stream_end(f, r);
    }
    switch (f->st.pkt.kind) {
    case PTS_PKT_TNT:
        return STEP_ON;
    case PTS_PKT_TIP:
        return hop_tip(f);
    case PTS_PKT_TIP_PGD:
        return hop_pgd(f);
    case PTS_PKT_TIP_PGE: {
        enum step s = sync_packet(f);
        if (s == STEP_EVENT)
            hop_arrive(f);
        return s;
    }
    case PTS_PKT_FUP:
        return hop_fup(f, false);
    case PTS_PKT_PSB:
        return hop_psb(f);
    default:
        return sync_packet(f);
    }
}

/* Packets until one leads to an event. */
static enum step hop_packets(struct flow *f)
{
    enum step s = STEP_ON;

    f->hop_quiet = false;
    do {
        if (s == STEP_ON)
            s = flow_read(f);
        if (s != STEP_ON && s != STEP_AGAIN)
            return s;
        packet_begins(f);
        s = hop_packet(f);
    } while (s == STEP_ON || s == STEP_AGAIN);
    return s;
}

/* While no ip is known: as without quick modes, but the one that is found is told. */
static enum step hop_seek(struct flow *f)
{
    bool psb = f->phase == SEEK_PSB;

    if (f->phase == SEEK_NEW_IP)
        ip_forget(f);
    enum step s = psb ? sync_psb(f) : sync_ip(f);
    bool found = psb ? f->ip != 0 : f->conf.branch_enable;
    if (s == STEP_EVENT && f->phase == SYNC && found)
        hop_arrive(f);
    return s;
}

enum step hop_step(struct flow *f)
{
    if (f->phase == AT_IP) {
        f->phase = SYNC;
        return hop_insn(f);
    }
    return f->phase == SYNC ? hop_packets(f) : hop_seek(f);
}
