/* reader_step.c - what the trace says while execution is followed, one thing after the other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/reader_priv.h"

#include "decoder/pt/pebs.h"

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
enum pt_answer reader_answer(struct pt_reader *r, enum stream_result result)
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

/* The time by which a buffer was written bounds the clock; it changes with the
 * buffer. */
enum pt_answer reader_next(struct pt_reader *r)
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
    return result == STREAM_PKT ? PT_ON : reader_answer(r, result);
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
    return reader_told_ip(r, PT_TIP_PGE);
}

/* Only a new ratio is told, and by the walker when its event ends, since it may come
 * together with others. */
static enum pt_answer cbr_packet(struct pt_reader *r)
{
    reader_time(r);
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

bool reader_binds_fup(uint8_t kind)
{
    return bindings[kind].binding == FUP;
}

/* Everything that is not found in every other byte of a trace. */
static enum pt_answer rare_packet(struct pt_reader *r, bool *again)
{
    const struct pts_pkt *p = &r->st.pkt;
    enum pt_event_nr event = (enum pt_event_nr)bindings[p->kind].event;

    if (pt_lost(r) && r->s.since_ovf == SINCE_NOTHING)
        r->s.since_ovf = SINCE_PACKETS;
    if (p->kind == PTS_PKT_PTWRITE && reader_ptw_is_alone(r))
        return reader_tell_ptwrite(r);
    if (bindings[p->kind].binding == NOW)
        return reader_tell(r, event);
    if (bindings[p->kind].binding == FUP) {
        r->s.bound.value[event] = p->value;
        return reader_bind(r, 1u << event, again);
    }
    switch (p->kind) {
    case PTS_PKT_PSB:
        return reader_psb(r, again);
    case PTS_PKT_OVF:
        return reader_overflow_in_step(r);
    case PTS_PKT_TRACESTOP:
        return reader_stopped(r);
    case PTS_PKT_PIP:
        r->s.pip = p->count & 1;
        r->pgd_pip = reader_next_is(r, PTS_PKT_TIP_PGD);
        return reader_pip_is_walked_to(r) ? PT_PIP : PT_ON;
    case PTS_PKT_MODE_EXEC:
        reader_mode_next(r);
        return reader_bind(r, EV_IFLAG, again);
    case PTS_PKT_MODE_TSX:
        return reader_tsx(r, again);
    case PTS_PKT_MWAIT:
        r->s.bound.value[EV_NR_MWAIT] = p->value;
        r->s.bound.what |= EV_MWAIT;
        return PT_ON;
    case PTS_PKT_PWRE:
        return reader_pwre(r);
    case PTS_PKT_CFE:
    case PTS_PKT_CFE_IP:
        return reader_cfe(r, again);
    case PTS_PKT_EVD:
        return reader_evd(r);
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
        return reader_told_ip(r, PT_TIP);
    case PTS_PKT_TIP_PGD:
        return reader_told_ip(r, PT_TIP_PGD);
    case PTS_PKT_TIP_PGE:
        return pge_packet(r);
    case PTS_PKT_FUP:
        return reader_fup(r, false);
    case PTS_PKT_CYC:
    case PTS_PKT_MTC:
    case PTS_PKT_TSC:
    case PTS_PKT_TMA:
        reader_time(r);
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
        reader_begins(r);
        /* qq looks at PSB+ alone and leaps over everything between. */
        if (r->conf.quick > 1 && r->st.pkt.kind != PTS_PKT_PSB) {
            enum stream_result result = stream_find_psb(&r->st);
            if (result != STREAM_PKT)
                return reader_answer(r, result);
        }
        a = in_step(r, &again);
    } while (again);
    return a;
}

enum pt_answer pt_read(struct pt_reader *r)
{
    enum pt_answer a = reader_next(r);
    if (a != PT_ON || r->conf.quick > 1)
        return a == PT_ON ? read_step(r) : a;
    switch (r->st.pkt.kind) { /* these two are most of a trace */
    case PTS_PKT_TNT:
        reader_begins(r);
        return r->st.pkt.count ? PT_TNT : PT_ON;
    case PTS_PKT_CYC:
        reader_begins(r);
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
    enum pt_answer a = reader_next(r);
    if (a != PT_ON)
        return a;
    if (r->st.pkt.kind == PTS_PKT_TIP && r->st.pkt.count)
        return reader_told_ip(r, PT_TIP);
    stream_unget(&r->st);
    return PT_MISMATCH;
}

bool pt_payload(const struct pt_reader *r, uint64_t bits, uint32_t have,
                uint64_t *value)
{
    *value = have ? bits >> (64 - have) : 0;
    return tnt_payload(stream_rest(&r->st), have, value);
}
