/* flow.c - the loop that follows one queue: packets, and what each of them leads to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow_priv.h"

#include "decoder/arena.h"

#include <assert.h>

enum { MAX_LOOPS = 100000 };

/* --- Reading packets --- */

enum step flow_stream_end(struct flow *f, enum stream_result r)
{
    switch (r) {
    case STREAM_PKT:
        return STEP_ON;
    case STREAM_END:
        return STEP_END;
    case STREAM_BREAK:
        flow_restart(f);
        return STEP_BREAK;
    case STREAM_BAD:
        break;
    }
    f->tx = 0;
    f->clk.have_tma = false;
    return flow_fault(f, FAULT_BAD_PACKET);
}

enum step flow_read(struct flow *f)
{
    enum stream_result r = stream_next(&f->st);
    if (f->st.next != f->bufs_seen) {
        f->bufs_seen = f->st.next;
        f->clk.buf_ref = stream_buf(&f->st)->ref;
    }
    return r == STREAM_PKT ? STEP_ON : flow_stream_end(f, r);
}

void flow_timing(struct flow *f)
{
    const struct pts_pkt *p = &f->st.pkt;
    bool after_cyc = f->st.prev == PTS_PKT_CYC;

    switch (p->kind) {
    case PTS_PKT_CYC:
        clock_cyc(&f->clk, p->value, f->tracing);
        break;
    case PTS_PKT_MTC:
        clock_mtc(&f->clk, (uint32_t)p->value, after_cyc, f->tracing,
                  stream_rest(&f->st));
        break;
    case PTS_PKT_TSC:
        clock_tsc(&f->clk, p->value, after_cyc);
        break;
    case PTS_PKT_TMA:
        clock_tma(&f->clk, (uint32_t)p->value, p->count, f->tracing, f->in_psb);
        break;
    case PTS_PKT_CBR:
        clock_cbr(&f->clk, (uint32_t)p->value, f->tracing);
        break;
    default:
        break;
    }
}

void mode_exec_next(struct flow *f)
{
    enum { IF_BIT = 1 << 2 };
    f->next_mode = (uint8_t)f->st.pkt.value;
    f->next_iflag = f->st.pkt.count & IF_BIT;
}

/* --- Packets while in sync --- */

static enum step tip_packet(struct flow *f, enum phase phase)
{
    if (f->st.pkt.count)
        take_last_ip(f);
    f->phase = phase;
    return walk_tip(f);
}

static enum step pge_packet(struct flow *f)
{
    f->tracing = true;
    f->overflowed = false;
    clock_trace_on(&f->clk);
    nr_now(f);
    if (!f->st.pkt.count)
        return STEP_ON;
    branch_arrives(f);
    take_ip(f);
    note_branch(f, 0, f->ip);
    f->ev.what |= EV_TRACE_BEGIN;
    return STEP_EVENT;
}

/* With a CYC threshold the cycle count is exact only right after a CYC. */
void packet_begins(struct flow *f)
{
    if (f->conf.cyc_threshold && f->st.prev != PTS_PKT_CYC)
        f->clk.cycles_fresh = false;
}

/* A packet whose event happens at the ip of the FUP that must follow.  Without one the
 * event is lost, as in perf, and the packet after it is looked at on its own. */
static enum step bind_fup(struct flow *f, bool *pending)
{
    enum step s = flow_read(f);
    if (s != STEP_ON)
        return s;
    if (f->st.pkt.kind != PTS_PKT_FUP)
        return STEP_AGAIN;
    packet_begins(f);
    *pending = true;
    return fup_packet(f, true);
}

static enum step tsx_packet(struct flow *f)
{
    uint8_t flags = f->st.pkt.value & (EVF_IN_TX | EVF_TX_ABORT);

    if (!f->tracing) {
        f->tx = flags & EVF_IN_TX;
        return STEP_ON;
    }
    enum step s = flow_read(f);
    if (s != STEP_ON)
        return s;
    if (f->st.pkt.kind != PTS_PKT_FUP) {
        f->tx = f->st.pkt.value & EVF_IN_TX; /* perf looks at the wrong packet here */
        return STEP_AGAIN;
    }
    packet_begins(f);
    f->fup.tx_flags = flags;
    f->fup.tx = true;
    return fup_packet(f, !(flags & EVF_TX_ABORT));
}

static enum step pwre_packet(struct flow *f)
{
    if (f->fup.mwait) {
        f->fup.pwre_value = f->st.pkt.value;
        f->fup.pwre = true;
        return STEP_ON;
    }
    f->ex.pwre = f->st.pkt.value;
    return plain_event(f, EV_PWRE);
}

static enum step evd_packet(struct flow *f)
{
    if (f->evd_count >= EVD_MAX)
        return flow_fault(f, FAULT_INTERNAL);
    f->ex.evd_type[f->evd_count] = (uint8_t)f->st.pkt.count;
    f->ex.evd_payload[f->evd_count] = f->st.pkt.value;
    f->evd_count++;
    return STEP_ON;
}

static enum step cfe_packet(struct flow *f)
{
    f->fup.cfe_pkt = f->st.pkt;
    if (f->st.pkt.kind == PTS_PKT_CFE_IP)
        return bind_fup(f, &f->fup.cfe_ip);
    f->fup.cfe = true;
    if (f->tracing)
        return STEP_ON;
    fup_events(f, true);
    return STEP_EVENT;
}

static enum step tnt_packet(struct flow *f)
{
    if (!f->st.pkt.count)
        return STEP_ON;
    f->tnt_bits = f->st.pkt.value;
    f->tnt_count = f->st.pkt.count;
    f->phase = IN_TNT;
    return walk_tnt(f);
}

enum step sync_packet(struct flow *f)
{
    const struct pts_pkt *p = &f->st.pkt;

    switch ((enum pts_pkt_kind)p->kind) {
    case PTS_PKT_TNT:
        return tnt_packet(f);
    case PTS_PKT_TIP:
        return tip_packet(f, IN_TIP);
    case PTS_PKT_TIP_PGD:
        return tip_packet(f, IN_TIP_PGD);
    case PTS_PKT_TIP_PGE:
        return pge_packet(f);
    case PTS_PKT_FUP:
        return fup_packet(f, false);
    case PTS_PKT_CYC:
    case PTS_PKT_MTC:
    case PTS_PKT_TSC:
    case PTS_PKT_TMA:
        flow_timing(f);
        return STEP_ON;
    case PTS_PKT_CBR:
        flow_timing(f);
        if (f->clk.cbr == f->cbr_seen)
            return STEP_ON;
        f->ev.what = 0;
        return STEP_EVENT;
    case PTS_PKT_PSB:
        return psb_packet(f);
    case PTS_PKT_OVF:
        return flow_overflow(f);
    case PTS_PKT_TRACESTOP:
        trace_off(f);
        f->tx = 0;
        f->clk.have_tma = false;
        return STEP_ON;
    case PTS_PKT_PIP:
        f->pip = p->count;
        return STEP_ON;
    case PTS_PKT_MODE_EXEC:
        mode_exec_next(f);
        return bind_fup(f, &f->fup.iflag);
    case PTS_PKT_MODE_TSX:
        return tsx_packet(f);
    case PTS_PKT_PTWRITE_IP:
        f->fup.ptwrite_value = p->value;
        return bind_fup(f, &f->fup.ptwrite);
    case PTS_PKT_PTWRITE:
        f->ex.ptwrite = p->value;
        return plain_event(f, EV_PTWRITE);
    case PTS_PKT_MWAIT:
        f->fup.mwait_value = p->value;
        f->fup.mwait = true;
        return STEP_ON;
    case PTS_PKT_PWRE:
        return pwre_packet(f);
    case PTS_PKT_EXSTOP_IP:
        return bind_fup(f, &f->fup.exstop);
    case PTS_PKT_EXSTOP:
        return plain_event(f, EV_EXSTOP);
    case PTS_PKT_PWRX:
        f->ex.pwrx = p->value;
        return plain_event(f, EV_PWRX);
    case PTS_PKT_BEP:
        return plain_event(f, EV_BLOCK);
    case PTS_PKT_BEP_IP:
        return bind_fup(f, &f->fup.block);
    case PTS_PKT_CFE:
    case PTS_PKT_CFE_IP:
        return cfe_packet(f);
    case PTS_PKT_EVD:
        return evd_packet(f);
    case PTS_PKT_BBP:
        block_group_begin(f);
        return STEP_ON;
    case PTS_PKT_BIP:
        block_item(f);
        return STEP_ON;
    case PTS_PKT_PSBEND:
    case PTS_PKT_VMCS:
    case PTS_PKT_MNT:
    case PTS_PKT_TRIG:
    case PTS_PKT_PAD:
    case PTS_PKT_BAD:
        return STEP_ON;
    }
    return STEP_ON;
}

/* Packets until one leads to an event. */
static enum step sync_packets(struct flow *f)
{
    enum step s = STEP_ON;
    do {
        if (s == STEP_ON && quiet_now(f)) {
            s = quiet_packets(f);
            if (s == STEP_ON && f->phase != SYNC)
                s = walk_tnt(f);
        }
        if (s == STEP_ON)
            s = flow_read(f);
        if (s != STEP_ON && s != STEP_AGAIN)
            return s;
        packet_begins(f);
        s = sync_packet(f);
    } while (s == STEP_ON || s == STEP_AGAIN);
    return s;
}

/* --- Events --- */

/* Works until an event, a fault or the end. */
static enum step flow_step(struct flow *f)
{
    enum step s;

    event_begin(f);
    if (f->conf.quick)
        return hop_step(f);
    switch (f->phase) {
    case SEEK_PSB:
        return sync_psb(f);
    case SEEK_NEW_IP:
        ip_forget(f);
        return sync_ip(f);
    case SEEK_IP:
        return sync_ip(f);
    case SYNC:
        return sync_packets(f);
    case AT_IP: /* only in hop_step */
        break;
    case IN_TNT:
    case IN_TNT_MORE:
        s = walk_tnt(f);
        return s == STEP_ON ? sync_packets(f) : s;
    case IN_TIP:
    case IN_TIP_PGD:
        return walk_tip(f);
    case IN_FUP:
        s = walk_fup(f);
        return s == STEP_ON ? walk_fup_tip(f) : s;
    case IN_FUP_QUIET:
        s = walk_fup(f);
        return s == STEP_ON ? sync_packets(f) : s;
    case IN_FUP_PSB:
        return psb_walk_on(f);
    }
    return STEP_END;
}

/* One step, reported.  False: the end. */
static bool flow_advance(struct flow *f)
{
    switch (flow_step(f)) {
    case STEP_EVENT:
        event_end(f);
        return !f->stopped;
    case STEP_FAULT:
        fault_end(f);
        return true;
    case STEP_SILENT:
    case STEP_BREAK:
        return true;
    case STEP_END:
        return false;
    case STEP_ON:
    case STEP_BRANCH:
    case STEP_TARGET:
    case STEP_AGAIN:
        break;
    }
    assert(false && "a step that ends nothing");
    return false;
}

pts_status flow_start(struct flow *f)
{
    if (f->conf.timeless) {
        f->started = true;
        return PTS_OK;
    }
    f->who = (struct sb_who){-1, -1, -1, SB_NONE, 0};
    if (f->sel_start && f->sel_tsc)
        fast_forward(f, f->sel_tsc);
    for (;;) {
        enum step s = flow_step(f);
        if (s == STEP_END)
            return PTS_END;
        if (s == STEP_FAULT)
            fault_end(f);
        if (s != STEP_EVENT)
            continue;
        event_end(f);
        if (f->sample_tsc)
            break;
    }
    f->started = true;
    f->tsc = f->sample_tsc;
    first_event(f);
    return f->no_memory ? PTS_E_NOMEM : PTS_OK;
}

void flow_piece(struct flow *f, int32_t tid, uint32_t epoch)
{
    if (f->st.count < f->queue.count)
        f->st.count++;
    f->ended = false;
    f->queue.tid = tid;
    f->queue.use_current = false;
    flow_place(f, epoch);
}

uint64_t flow_time(const struct flow *f)
{
    return f->tsc;
}

pts_status flow_next(struct flow *f, struct event_batch *out)
{
    if (!f->batch_kept) {
        f->events.len = 0;
        f->extras.len = 0;
        f->blocks.len = 0;
    }
    f->batch_kept = false;
    while (!f->ended && f->events.len < BATCH_EVENTS)
        f->ended = !flow_advance(f);
    if (f->no_memory)
        return PTS_E_NOMEM;
    *out = (struct event_batch){f->events.at, (uint32_t)f->events.len, f->extras.at,
                                f->blocks.at};
    return f->events.len ? PTS_OK : PTS_END;
}

/* --- Life --- */

static uint64_t lower_power_of_2(uint64_t x)
{
    return x ? UINT64_C(1) << (63 - __builtin_clzll(x)) : 1;
}

static pts_status flow_alloc(struct flow *f)
{
    f->dso_count = sb_dso_count(f->sb);
    f->rets.at = mem_zalloc(RET_STACK_SIZE, sizeof(*f->rets.at));
    f->dso_faults = mem_zalloc(f->dso_count + 1, sizeof(*f->dso_faults));
    if (!f->rets.at || !f->dso_faults)
        return PTS_E_NOMEM;
    return as_view_new(f->sb, &f->view);
}

pts_status flow_new(const struct flow_config *conf, const struct flow_queue *queue,
                    const struct sideband *sb, const struct flow_images *images,
                    struct flow **out)
{
    struct flow *f = mem_zalloc(1, sizeof(*f));
    if (!f)
        return PTS_E_NOMEM;
    f->conf = *conf;
    if (!f->conf.max_loops)
        f->conf.max_loops = MAX_LOOPS;
    f->images = *images;
    f->sb = sb;
    f->queue = *queue;
    f->events_told = !(conf->want & EV_CBR); /* else the first event tells it */
    f->quiet = !(conf->want & (EV_BRANCH | EV_INSN)) && !conf->range_count &&
               f->conf.max_loops > LEG_DIRECT_MAX;
    f->period_ticks = lower_power_of_2(conf->period);
    f->next_epoch_tsc = UINT64_MAX;
    clock_init(&f->clk, &conf->clock);
    stream_init(&f->st, queue->bufs, queue->by_piece ? 0 : queue->count);
    select_init(f);
    pts_status st = flow_alloc(f);
    if (st < 0) {
        flow_free(f);
        return st;
    }
    *out = f;
    return PTS_OK;
}

void flow_free(struct flow *f)
{
    if (!f)
        return;
    VEC_FREE(&f->events);
    VEC_FREE(&f->extras);
    VEC_FREE(&f->blocks);
    as_view_free(f->view);
    mem_free(f->rets.at);
    mem_free(f->dso_faults);
    mem_free(f);
}
