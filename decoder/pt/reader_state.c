/* reader_state.c - what packets change wherever they stand: time, status, tracing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/reader_priv.h"

/* A CYC directly in front of an MTC or TSC makes it the end of a stretch whose
 * cycles are all counted. */
void reader_time(struct pt_reader *r)
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
void reader_mode_next(struct pt_reader *r)
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
bool reader_status(struct pt_reader *r)
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
        reader_mode_next(r);
        mode_exec_apply(&r->s);
        r->s.iflag = r->s.from_iflag = r->s.to_iflag = r->s.next_iflag;
        break;
    case PTS_PKT_MODE_TSX:
        r->s.tx = p->value & EVF_IN_TX;
        break;
    default:
        reader_time(r);
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
enum pt_answer reader_stopped(struct pt_reader *r)
{
    pt_trace_off(&r->s);
    r->s.tx = 0;
    r->s.clk.have_tma = false;
    return PT_ON;
}

/* What was bound has lost its FUP.  The next address says where the trace goes on. */
enum pt_answer reader_overflow(struct pt_reader *r)
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
enum pt_answer reader_overflow_in_step(struct pt_reader *r)
{
    uint32_t bound = r->s.bound.what & ~(uint32_t)(EV_IFLAG | EV_TX);

    if (!bound || !pt_strict(r, PLACE_OVF_BOUND))
        return reader_overflow(r);
    stream_unget(&r->st);
    r->s.bound.what = bound;
    return PT_HERE;
}
