/* reader.c - what the trace says, one thing after the other.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same packet means different things at different times, so there is a function for
 * each time; they share what is the same everywhere:
 *
 *                       in step     behind a FUP     in a PSB+        seeking
 *     TNT               branches    -                -                passed over
 *     TIP, PGE, PGD     branches    the target       -                an address
 *     FUP               binds       -                an address       an address
 *     PSB               a PSB+      -                -                a PSB+
 *     status, time      taken       most are taken   taken            taken
 *     OVF               ends all
 *     others            events      -                -                passed over
 *
 * "-" is a mismatch of packets, from which perf looks for an address anew; so do we.
 */
#include "decoder/pt/reader.h"

#include "decoder/pt/pebs.h"
#include "decoder/pt/psb.h"

#include <limits.h>

/* --- Packets ---------------------------------------------------------------------- */

void pt_init(struct pt_reader *r, const struct pt_reader_conf *conf,
             const struct clock_config *clock, const struct pt_buf *bufs,
             uint32_t count)
{
    *r = (struct pt_reader){.conf = *conf};
    clock_init(&r->s.clk, clock);
    stream_init(&r->st, bufs, count);
}

/* A buffer that does not go on the one before it. */
void pt_restart(struct pt_reader *r)
{
    const struct pt_buf *b = stream_buf(&r->st);

    /* perf numbers no trace that is entered at a buffer which goes on another's */
    r->trace_nr = b->consecutive ? 0 : b->nr + 1;
    clock_restart(&r->s.clk, b->ref);
}

/* After bytes that are no packet it is not known any more whether a transaction
 * runs, nor where MTCs lie in time. */
static enum pt_answer answer_of(struct pt_reader *r, enum stream_result result)
{
    switch (result) {
    case STREAM_PKT:
        return PT_ON;
    case STREAM_END:
        return PT_END;
    case STREAM_BREAK:
        pt_restart(r);
        return PT_BREAK;
    case STREAM_BAD:
        break;
    }
    r->s.tx = 0;
    r->s.clk.have_tma = false;
    return PT_BAD;
}

/* The next packet is in r->st.pkt (PT_ON). */
/* The time by which a buffer was written bounds the clock; it changes with the
 * buffer. */
static enum pt_answer next_packet(struct pt_reader *r)
{
    enum stream_result result = stream_next(&r->st);
    if (__builtin_expect(r->conf.errata & ERRATUM_SKD007, 0) && result == STREAM_PKT &&
        cyc_is_cut(&r->st.pkt, stream_rest(&r->st)) && pt_strict(r, PLACE_SKD007)) {
        r->st.step = 1; /* the OVF begins behind the CYC's first byte */
        result = stream_next(&r->st);
    }
    if (r->st.next != r->bufs_seen) {
        r->bufs_seen = r->st.next;
        r->s.clk.buf_ref = stream_buf(&r->st)->ref;
    }
    return result == STREAM_PKT ? PT_ON : answer_of(r, result);
}

static inline void take_last_ip(struct pt_reader *r)
{
    r->s.last_ip = pkt_full_ip(&r->st.pkt, r->s.last_ip);
    r->s.have_last_ip = true;
}

/* The address of a TIP, when it has one. */
static enum pt_answer told_ip(struct pt_reader *r, enum pt_answer a)
{
    r->ip_known = r->st.pkt.count;
    if (r->ip_known)
        take_last_ip(r);
    return a;
}

/* --- Time and status -------------------------------------------------------------- */

/* A CYC directly in front of an MTC or TSC makes it the end of a stretch whose
 * cycles are all counted. */
static void timing(struct pt_reader *r)
{
    const struct pts_pkt *p = &r->st.pkt;
    struct pt_clock *clk = &r->s.clk;
    bool after_cyc = r->st.prev == PTS_PKT_CYC;

    switch (p->kind) {
    case PTS_PKT_CYC:
        clock_cyc(clk, p->value, r->s.tracing);
        break;
    case PTS_PKT_MTC:
        clock_mtc(clk, (uint32_t)p->value, after_cyc, r->s.tracing,
                  stream_rest(&r->st));
        break;
    case PTS_PKT_TSC:
        clock_tsc(clk, p->value, after_cyc);
        break;
    case PTS_PKT_TMA:
        clock_tma(clk, (uint32_t)p->value, p->count, r->s.tracing, r->in_psb);
        break;
    case PTS_PKT_CBR:
        clock_cbr(clk, (uint32_t)p->value, r->s.tracing);
        break;
    default:
        break;
    }
}

/* It takes effect with the next branch; where execution is not known, at once. */
static void mode_exec_next(struct pt_reader *r)
{
    enum { IF_BIT = 1 << 2 };
    r->s.next_mode = (uint8_t)r->st.pkt.value;
    r->s.next_iflag = r->st.pkt.count & IF_BIT;
}

static void mode_exec_apply(struct pt_state *s)
{
    if (s->next_mode)
        s->exec_mode = s->next_mode;
    s->next_mode = 0;
}

/* Packets that mean the same wherever execution is not known, and inside a PSB+: the state
 * that they tell holds now. */
static bool status_packet(struct pt_reader *r)
{
    const struct pts_pkt *p = &r->st.pkt;

    if (!pkt_has(p->kind, PKT_IN_PSB))
        return false;
    switch (p->kind) {
    case PTS_PKT_PIP:
        r->s.pip = p->count & 1;
        pt_nr_now(&r->s);
        break;
    case PTS_PKT_MODE_EXEC:
        mode_exec_next(r);
        mode_exec_apply(&r->s);
        r->s.iflag = r->s.from_iflag = r->s.to_iflag = r->s.next_iflag;
        break;
    case PTS_PKT_MODE_TSX:
        r->s.tx = p->value & EVF_IN_TX;
        break;
    default:
        timing(r);
        break;
    }
    return true;
}

uint32_t pt_branch_done(struct pt_reader *r)
{
    struct pt_state *s = &r->s;
    uint32_t what = 0;

    pt_nr_next(s);
    if (s->iflag != s->next_iflag)
        what = pt_iflag_turn(s);
    mode_exec_apply(s);
    if (s->bound.what & EV_CFE)
        what |= pt_cfe_branch(r);
    return what;
}

/* Execution came into a region that ends tracing (an address filter). */
static enum pt_answer trace_stopped(struct pt_reader *r)
{
    pt_trace_off(&r->s);
    r->s.tx = 0;
    r->s.clk.have_tma = false;
    return PT_ON;
}

/* What was bound has lost its FUP.  The next address says where the trace goes on. */
static enum pt_answer overflow(struct pt_reader *r)
{
    r->s.tx = 0;
    pt_nr_now(&r->s);
    r->s.clk.insns = 0;
    r->s.tracing = false;
    pt_unbind(r);
    r->s.overflowed = true;
    r->s.since_ovf = SINCE_NOTHING;
    return PT_OVERFLOW;
}

/* By the manual what came before an overflow is true, whatever was lost; perf forgets it.
 * Only what cannot be understood without its FUP is. */
static enum pt_answer overflow_packet(struct pt_reader *r)
{
    uint32_t bound = r->s.bound.what & ~(uint32_t)(EV_IFLAG | EV_TX);

    if (!bound || !pt_strict(r, PLACE_OVF_BOUND))
        return overflow(r);
    stream_unget(&r->st);
    r->s.bound.what = bound;
    return PT_HERE;
}

/* --- PSB+ ------------------------------------------------------------------------- */

/* A PSB stands for the forgetting of all that packets go by: the last address, and
 * the addresses that compressed returns need. */
static void psb_begins(struct pt_reader *r)
{
    r->psb_ip = 0;
    r->s.last_ip = 0;
    r->s.have_last_ip = true;
    r->forget = true;
}

static void psb_found(struct pt_reader *r)
{
    r->extra.value[EV_NR_PSB] = r->s.psb_pos = r->st.pos;
    r->psb_ip = 0;
}

/* What stands in a PSB+, up to its end: PT_PSB.  PT_ON: a packet that does not belong into
 * it, which is in r->st.pkt. */
static enum pt_answer psb_rest(struct pt_reader *r)
{
    enum pt_answer a;

    r->in_psb = true;
    while ((a = next_packet(r)) == PT_ON) {
        const struct pts_pkt *p = &r->st.pkt;
        if (p->kind == PTS_PKT_PSBEND) {
            a = PT_PSB;
            break;
        }
        if (p->kind == PTS_PKT_OVF) {
            a = overflow(r);
            break;
        }
        if (p->kind == PTS_PKT_FUP) {
            r->s.tracing = true;
            if (p->count) {
                take_last_ip(r);
                r->psb_ip = r->s.last_ip;
                r->psb_stated = true;
            }
        } else if (!status_packet(r)) {
            break;
        }
    }
    r->in_psb = false;
    return a;
}

enum pt_answer pt_psb(struct pt_reader *r)
{
    psb_begins(r);
    enum pt_answer a = psb_rest(r);
    if (a != PT_ON)
        return a;
    r->s.clk.have_tma = false;
    return PT_MISMATCH;
}

/* Whether it says where execution is; the TIP.PGE that may deny that is looked for as far
 * as perf does, or by the manual. */
static bool psb_is_here(struct pt_reader *r, struct pts_pkt *fup)
{
    const struct pkt_cursor rest = stream_rest(&r->st);
    int left = PERF_LOOKS_AFTER, all = INT_MAX;
    bool perf = psb_states_ip(rest, &left, fup);

    if (perf && left)
        return true;
    bool manual = psb_states_ip(rest, &all, fup);
    return perf != manual && pt_strict(r, PLACE_BDM70) ? manual : perf;
}

/* In step with execution.  PT_ON: *again, as a packet came that is no part of it. */
static enum pt_answer psb_packet(struct pt_reader *r, bool *again)
{
    struct pts_pkt fup;

    psb_found(r);
    if (!r->conf.quick && r->conf.branch_enable && psb_is_here(r, &fup)) {
        /* as perf: against the last ip of before the PSB */
        r->s.last_ip = pkt_full_ip(&fup, r->s.last_ip);
        r->s.have_last_ip = true;
        return PT_PSB_AT;
    }
    psb_begins(r);
    enum pt_answer a = psb_rest(r);
    if (a == PT_ON) {
        r->s.clk.have_tma = false;
        *again = true;
    }
    return a;
}

/* While an address is looked for, all but a further PSB is a mismatch in a PSB+. */
static enum pt_answer seek_psb(struct pt_reader *r)
{
    enum pt_answer a;

    do
        a = psb_rest(r);
    while (a == PT_ON && r->st.pkt.kind == PTS_PKT_PSB);
    if (a != PT_ON)
        return a;
    switch (r->st.pkt.kind) {
    case PTS_PKT_TRACESTOP:
        trace_stopped(r);
        return PT_STOPPED;
    case PTS_PKT_TNT:
        r->s.clk.have_tma = false;
        return PT_STOPPED;
    case PTS_PKT_TIP_PGD:
        r->s.unbroken = false;
        break;
    default:
        break;
    }
    return PT_MISMATCH;
}

/* --- In step with execution -------------------------------------------------------- */

/* With a CYC threshold the cycle count is exact only right after a CYC. */
static inline void packet_begins(struct pt_reader *r)
{
    if (r->conf.cyc_threshold && r->st.prev != PTS_PKT_CYC)
        r->s.clk.cycles_fresh = false;
}

/* Erratum APL12: a FUP behind an OVF while tracing is off. */
static bool unexpected_fup(struct pt_reader *r)
{
    return r->conf.errata & ERRATUM_APL12 && pt_lost(r) && !r->s.bound.what &&
           tracing_is_off(stream_rest(&r->st)) && pt_strict(r, PLACE_APL12);
}

/* quiet: it belongs to an event, and no target follows. */
static enum pt_answer fup_packet(struct pt_reader *r, bool quiet)
{
    /* Its address was left out: there is nothing to walk to. */
    if (!r->st.pkt.count) {
        r->quiet_left |= quiet;
        return PT_ON;
    }
    take_last_ip(r);
    if (unexpected_fup(r))
        return PT_ON;
    quiet |= r->s.bound.owed;
    r->s.bound.owed = false;
    r->follow = r->conf.branch_enable && r->s.tracing;
    if (r->follow && r->s.bound.what & EV_MWAIT)
        quiet = true;
    return quiet ? PT_AT : PT_FUP;
}

/* Which packet comes next, time and status aside. */
static bool next_is(const struct pt_reader *r, enum pts_pkt_kind kind)
{
    struct pts_pkt p;
    return next_telling(stream_rest(&r->st), &p) && p.kind == kind;
}

static bool tip_is_next(const struct pt_reader *r)
{
    return next_is(r, PTS_PKT_TIP) || next_is(r, PTS_PKT_TIP_PGD);
}

static bool is_time(uint8_t kind)
{
    return kind == PTS_PKT_CYC || kind == PTS_PKT_MTC || kind == PTS_PKT_TSC ||
           kind == PTS_PKT_TMA || kind == PTS_PKT_CBR;
}

/* The next packet; by the manual time may stand between one and the FUP it is bound to. */
static enum pt_answer next_for_fup(struct pt_reader *r)
{
    enum pt_answer a = next_packet(r);

    if (a != PT_ON || !is_time(r->st.pkt.kind) || !next_is(r, PTS_PKT_FUP) ||
        !pt_strict(r, PLACE_FUP_APART))
        return a;
    while (a == PT_ON && is_time(r->st.pkt.kind)) {
        packet_begins(r);
        timing(r);
        a = next_packet(r);
    }
    return a;
}

/* The packet in hand waits for the address of the FUP that must be the next one: `what` is
 * bound then.  Without one the event is lost, as in perf, and the packet after it is
 * looked at on its own: PT_ON, and *again.  (By the manual it waits for the next FUP.) */
static enum pt_answer bind_fup(struct pt_reader *r, uint32_t what, bool *again)
{
    enum pt_answer a = next_for_fup(r);
    if (a != PT_ON)
        return a;
    if (r->st.pkt.kind != PTS_PKT_FUP) {
        if (what & ~(uint32_t)EV_IFLAG && pt_strict(r, PLACE_FUP_APART)) {
            r->s.bound.what |= what;
            r->s.bound.owed = true;
        }
        *again = true;
        return PT_ON;
    }
    packet_begins(r);
    r->s.bound.what |= what;
    return fup_packet(r, true);
}

static enum pt_answer tsx_packet(struct pt_reader *r, bool *again)
{
    uint8_t flags = r->st.pkt.value & (EVF_IN_TX | EVF_TX_ABORT);

    if (!r->s.tracing) {
        r->s.tx = flags & EVF_IN_TX;
        return PT_ON;
    }
    enum pt_answer a = next_for_fup(r);
    if (a != PT_ON)
        return a;
    if (r->st.pkt.kind != PTS_PKT_FUP) {
        r->s.tx = r->st.pkt.value & EVF_IN_TX; /* perf looks at the wrong packet here */
        *again = true;
        return PT_ON;
    }
    packet_begins(r);
    r->s.bound.tx = flags;
    r->s.bound.what |= EV_TX;
    return fup_packet(r, !(flags & EVF_TX_ABORT));
}

/* At the instruction that execution is at: nothing has to be waited for. */
static enum pt_answer tell(struct pt_reader *r, enum pt_event_nr nr)
{
    r->extra.value[nr] = r->st.pkt.value;
    r->what = 1u << nr;
    return PT_EVENT;
}

static bool code_is_followed(const struct pt_reader *r)
{
    return r->s.tracing && r->conf.branch_enable && !r->conf.quick;
}

/* A PTW without a FUP belongs to the next ptwrite instruction, which is to be walked to. */
static bool ptw_is_alone(struct pt_reader *r)
{
    return code_is_followed(r) && pt_strict(r, PLACE_PTW_ALONE);
}

/* So does a PIP to a MOV CR3, if there is one before the next branch. */
static bool pip_is_walked_to(const struct pt_reader *r)
{
    return r->conf.strict && code_is_followed(r);
}

static enum pt_answer tell_ptwrite(struct pt_reader *r)
{
    tell(r, EV_NR_PTWRITE);
    return PT_PTWRITE;
}

/* A deep sleep that an MWAIT asked for is told together with it. */
static enum pt_answer pwre_packet(struct pt_reader *r)
{
    struct pt_bound *b = &r->s.bound;

    if (!(b->what & EV_MWAIT))
        return tell(r, EV_NR_PWRE);
    b->value[EV_NR_PWRE] = r->st.pkt.value;
    b->what |= EV_PWRE;
    return PT_ON;
}

/* Without its IP bit it waits for the FUP of the interrupt, or is told at once where
 * nothing is traced.  With it, the FUP behind it is its own. */
static enum pt_answer cfe_packet(struct pt_reader *r, bool *again)
{
    struct pt_bound *b = &r->s.bound;

    b->cfe_type = (uint8_t)r->st.pkt.count;
    b->cfe_vector = (uint8_t)r->st.pkt.value;
    if (r->st.pkt.kind == PTS_PKT_CFE_IP) {
        enum pt_answer a = bind_fup(r, EV_CFE, again);
        b->cfe_ip |= r->st.pkt.kind == PTS_PKT_FUP || b->owed;
        return a;
    }
    b->what |= EV_CFE;
    if (!r->s.tracing) {
        r->still_lost = r->conf.strict && pt_lost(r);
        return PT_HERE;
    }
    if (tip_is_next(r))
        r->met |= PLACE_CFE_TIP; /* pt_cfe_branch */
    return PT_ON;
}

/* They come before their CFE and are collected for it. */
static enum pt_answer evd_packet(struct pt_reader *r)
{
    struct pt_evd *e = &r->s.bound.evd;

    if (e->count >= EVD_MAX)
        return PT_FULL;
    e->type[e->count] = (uint8_t)r->st.pkt.count;
    e->payload[e->count] = r->st.pkt.value;
    e->count++;
    return PT_ON;
}

/* It states an address: an overflow has been got over. */
static enum pt_answer pge_packet(struct pt_reader *r)
{
    r->s.tracing = true;
    r->s.overflowed = false;
    clock_trace_on(&r->s.clk);
    pt_nr_now(&r->s);
    if (!r->st.pkt.count)
        return PT_ON;
    r->what = EV_TRACE_BEGIN | pt_branch_done(r);
    return told_ip(r, PT_TIP_PGE);
}

/* Only a new ratio is told, and by the walker when its event ends, since it may come
 * together with others. */
static enum pt_answer cbr_packet(struct pt_reader *r)
{
    timing(r);
    r->what = 0;
    return r->s.clk.cbr == r->s.cbr_seen ? PT_ON : PT_EVENT;
}

/* Rows of packets.def that are bound by a table. */
enum binding { OWN, NOW, FUP };
static const struct {
    uint8_t binding, event;
} bindings[PTS_PKT_KINDS] = {
#define EV_NR_NONE 0
#define PTS_PACKET(name, number, word, text, marks, binding, event)                    \
    [number] = {binding, EV_NR_##event},
#include <ptscript/packets.def>
#undef PTS_PACKET
#undef EV_NR_NONE
};

/* Everything that is not found in every other byte of a trace. */
static enum pt_answer rare_packet(struct pt_reader *r, bool *again)
{
    const struct pts_pkt *p = &r->st.pkt;
    enum pt_event_nr event = (enum pt_event_nr)bindings[p->kind].event;

    if (pt_lost(r) && r->s.since_ovf == SINCE_NOTHING)
        r->s.since_ovf = SINCE_PACKETS;
    if (p->kind == PTS_PKT_PTWRITE && ptw_is_alone(r))
        return tell_ptwrite(r);
    if (bindings[p->kind].binding == NOW)
        return tell(r, event);
    if (bindings[p->kind].binding == FUP) {
        r->s.bound.value[event] = p->value;
        return bind_fup(r, 1u << event, again);
    }
    switch (p->kind) {
    case PTS_PKT_PSB:
        return psb_packet(r, again);
    case PTS_PKT_OVF:
        return overflow_packet(r);
    case PTS_PKT_TRACESTOP:
        return trace_stopped(r);
    case PTS_PKT_PIP:
        r->s.pip = p->count & 1;
        r->pgd_pip = next_is(r, PTS_PKT_TIP_PGD);
        return pip_is_walked_to(r) ? PT_PIP : PT_ON;
    case PTS_PKT_MODE_EXEC:
        mode_exec_next(r);
        return bind_fup(r, EV_IFLAG, again);
    case PTS_PKT_MODE_TSX:
        return tsx_packet(r, again);
    case PTS_PKT_MWAIT:
        r->s.bound.value[EV_NR_MWAIT] = p->value;
        r->s.bound.what |= EV_MWAIT;
        return PT_ON;
    case PTS_PKT_PWRE:
        return pwre_packet(r);
    case PTS_PKT_CFE:
    case PTS_PKT_CFE_IP:
        return cfe_packet(r, again);
    case PTS_PKT_EVD:
        return evd_packet(r);
    case PTS_PKT_BBP:
        pebs_group(&r->s.pebs, p, r->st.ctx_before == PKT_CTX_NONE);
        return PT_ON;
    case PTS_PKT_BIP:
        pebs_item(&r->s.pebs, p);
        return PT_ON;
    default:
        return PT_ON;
    }
}

/* The packet in hand. */
static enum pt_answer in_step(struct pt_reader *r, bool *again)
{
    switch (r->st.pkt.kind) {
    case PTS_PKT_TNT:
        return r->st.pkt.count ? PT_TNT : PT_ON;
    case PTS_PKT_TIP:
        return told_ip(r, PT_TIP);
    case PTS_PKT_TIP_PGD:
        return told_ip(r, PT_TIP_PGD);
    case PTS_PKT_TIP_PGE:
        return pge_packet(r);
    case PTS_PKT_FUP:
        return fup_packet(r, false);
    case PTS_PKT_CYC:
    case PTS_PKT_MTC:
    case PTS_PKT_TSC:
    case PTS_PKT_TMA:
        timing(r);
        return PT_ON;
    case PTS_PKT_CBR:
        return cbr_packet(r);
    default:
        return rare_packet(r, again);
    }
}

/* Several packets may be looked at before there is one that the rest can go on from. */
static enum pt_answer read_step(struct pt_reader *r)
{
    enum pt_answer a;
    bool again;

    do {
        again = false;
        packet_begins(r);
        /* qq looks at PSB+ alone and leaps over everything between. */
        if (r->conf.quick > 1 && r->st.pkt.kind != PTS_PKT_PSB) {
            enum stream_result result = stream_find_psb(&r->st);
            if (result != STREAM_PKT)
                return answer_of(r, result);
        }
        a = in_step(r, &again);
    } while (again);
    return a;
}

enum pt_answer pt_read(struct pt_reader *r)
{
    enum pt_answer a = next_packet(r);
    if (a != PT_ON || r->conf.quick > 1)
        return a == PT_ON ? read_step(r) : a;
    switch (r->st.pkt.kind) { /* these two are most of a trace */
    case PTS_PKT_TNT:
        packet_begins(r);
        return r->st.pkt.count ? PT_TNT : PT_ON;
    case PTS_PKT_CYC:
        packet_begins(r);
        clock_cyc(&r->s.clk, r->st.pkt.value, r->s.tracing);
        return PT_ON;
    default:
        return read_step(r);
    }
}

void pt_note_fup_again(struct pt_reader *r)
{
    struct pts_pkt p;

    if (next_telling(stream_rest(&r->st), &p) && p.kind == PTS_PKT_FUP && p.count &&
        pkt_full_ip(&p, r->s.last_ip) == r->s.last_ip)
        r->met |= PLACE_FUP_AGAIN;
}

enum pt_answer pt_take_tip(struct pt_reader *r)
{
    enum pt_answer a = next_packet(r);
    if (a != PT_ON)
        return a;
    if (r->st.pkt.kind == PTS_PKT_TIP && r->st.pkt.count)
        return told_ip(r, PT_TIP);
    stream_unget(&r->st);
    return PT_MISMATCH;
}

bool pt_payload(const struct pt_reader *r, uint64_t bits, uint32_t have,
                uint64_t *value)
{
    *value = have ? bits >> (64 - have) : 0;
    return tnt_payload(stream_rest(&r->st), have, value);
}

/* --- Behind a FUP ------------------------------------------------------------------ */

/* Between a FUP and its TIP may stand the time, and what changes with the branch.
 * Anything else means that there is no TIP; it is left for the next call. */
static enum pt_answer target_packet(struct pt_reader *r)
{
    switch (r->st.pkt.kind) {
    case PTS_PKT_TIP_PGD:
        pt_trace_off(&r->s);
        r->what = EV_TRACE_END;
        pt_nr_next(&r->s);
        return told_ip(r, PT_TIP_PGD);
    case PTS_PKT_TIP_PGE:
        r->s.tracing = true;
        r->what = EV_TRACE_BEGIN;
        clock_trace_on(&r->s.clk);
        pt_nr_now(&r->s);
        return told_ip(r, PT_TIP_PGE);
    case PTS_PKT_TIP:
        r->what = pt_branch_done(r);
        return told_ip(r, PT_TIP);
    case PTS_PKT_OVF:
        return overflow(r);
    case PTS_PKT_CBR:
    case PTS_PKT_MTC:
    case PTS_PKT_CYC:
        timing(r);
        return PT_ON;
    case PTS_PKT_PIP:
        r->s.pip = r->st.pkt.count & 1;
        return PT_ON;
    case PTS_PKT_MODE_EXEC:
        mode_exec_next(r);
        return PT_ON;
    case PTS_PKT_VMCS:
    case PTS_PKT_MNT:
    case PTS_PKT_TRIG:
    case PTS_PKT_TRIG_IP:
        return PT_ON;
    default:
        stream_unget(&r->st);
        return PT_MISMATCH;
    }
}

enum pt_answer pt_target(struct pt_reader *r)
{
    enum pt_answer a;

    do {
        a = next_packet(r);
        if (a == PT_ON)
            a = target_packet(r);
    } while (a == PT_ON);
    return a;
}

/* --- While no address is known ------------------------------------------------------ */

/* IP compression needs a last ip, which only a PSB or a full address gives. */
static enum pt_answer seek_ip(struct pt_reader *r, enum pt_answer a)
{
    uint16_t n = r->st.pkt.count;

    r->ip_known = n && (r->s.have_last_ip || n == 3 || n == 6);
    if (r->ip_known)
        take_last_ip(r);
    else if (n)
        r->met |= PLACE_RESYNC; /* the packets had said it; perf has forgotten */
    return a;
}

/* Where an interrupt came from: perf takes execution to be there, and the TIP behind it for
 * that of a later branch.  By the manual it is the target. */
static enum pt_answer seek_fup(struct pt_reader *r)
{
    uint8_t prev = r->st.prev;
    bool quiet = bindings[prev].binding == FUP || prev == PTS_PKT_MODE_EXEC ||
                 prev == PTS_PKT_MODE_TSX;

    seek_ip(r, PT_FUP);
    if (!quiet && tip_is_next(r) && pt_strict(r, PLACE_RESYNC))
        return PT_ON;
    r->s.tracing |= r->conf.strict;
    return PT_FUP;
}

/* State is taken from what is passed over, so that it holds where the trace can be
 * followed again. */
enum pt_answer pt_seek(struct pt_reader *r)
{
    enum pt_answer a = next_packet(r);
    r->what = 0;
    r->psb_stated = false;
    if (a != PT_ON)
        return a;
    switch (r->st.pkt.kind) {
    case PTS_PKT_TIP_PGD:
        pt_trace_off(&r->s);
        r->what = EV_TRACE_END;
        return seek_ip(r, PT_TIP_PGD);
    case PTS_PKT_TIP_PGE:
        clock_trace_on(&r->s.clk);
        r->s.tracing = true;
        r->what = EV_TRACE_BEGIN;
        return seek_ip(r, PT_TIP_PGE);
    case PTS_PKT_TIP:
        r->s.tracing = true;
        return seek_ip(r, PT_TIP);
    case PTS_PKT_FUP:
        return seek_fup(r);
    case PTS_PKT_OVF:
        return overflow(r);
    case PTS_PKT_TRACESTOP:
        return trace_stopped(r);
    case PTS_PKT_PSB:
        psb_found(r);
        psb_begins(r);
        return seek_psb(r);
    default:
        status_packet(r);
        return PT_ON;
    }
}

enum pt_answer pt_find(struct pt_reader *r)
{
    pt_trace_off(&r->s);
    r->s.have_last_ip = false;
    r->s.last_ip = r->psb_ip = 0;
    r->psb_stated = false;
    enum stream_result result = stream_find_psb(&r->st);
    if (result != STREAM_PKT)
        return answer_of(r, result);
    r->s.have_last_ip = true;
    return seek_psb(r);
}
