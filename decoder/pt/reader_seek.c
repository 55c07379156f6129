/* reader_seek.c - what the trace says while it is not known where execution is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/reader_priv.h"

/* IP compression needs a last ip, which only a PSB or a full address gives. */
static enum pt_answer seek_ip(struct pt_reader *r, enum pt_answer a)
{
    uint16_t n = r->st.pkt.count;

    r->ip_known = n && (r->s.have_last_ip || n == 3 || n == 6);
    if (r->ip_known)
        reader_take_ip(r);
    else if (n)
        r->met |= PLACE_RESYNC; /* the packets had said it; perf has forgotten */
    return a;
}

/* Where an interrupt came from: perf takes execution to be there, and the TIP behind it for
 * that of a later branch.  By the manual it is the target. */
static enum pt_answer seek_fup(struct pt_reader *r)
{
    uint8_t prev = r->st.prev;
    bool quiet =
        reader_binds_fup(prev) || prev == PTS_PKT_MODE_EXEC || prev == PTS_PKT_MODE_TSX;

    seek_ip(r, PT_FUP);
    if (!quiet && reader_tip_is_next(r) && pt_strict(r, PLACE_RESYNC))
        return PT_ON;
    r->s.tracing |= r->conf.strict;
    return PT_FUP;
}

/* State is taken from what is passed over, so that it holds where the trace can be
 * followed again. */
enum pt_answer pt_seek(struct pt_reader *r)
{
    enum pt_answer a = reader_next(r);
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
        return reader_overflow(r);
    case PTS_PKT_TRACESTOP:
        return reader_stopped(r);
    case PTS_PKT_PSB:
        reader_psb_found(r);
        reader_psb_begins(r);
        return reader_seek_psb(r);
    default:
        reader_status(r);
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
        return reader_answer(r, result);
    r->s.have_last_ip = true;
    return reader_seek_psb(r);
}
