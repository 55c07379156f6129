/* reader_target.c - where execution went from a FUP.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/reader_priv.h"

/* Between a FUP and its TIP may stand the time, and what changes with the branch.
 * Anything else means that there is no TIP; it is left for the next call. */
static enum pt_answer target_packet(struct pt_reader *r)
{
    switch (r->st.pkt.kind) {
    case PTS_PKT_TIP_PGD:
        pt_trace_off(&r->s);
        r->what = EV_TRACE_END;
        pt_nr_next(&r->s);
        return reader_told_ip(r, PT_TIP_PGD);
    case PTS_PKT_TIP_PGE:
        r->s.tracing = true;
        r->what = EV_TRACE_BEGIN;
        clock_trace_on(&r->s.clk);
        pt_nr_now(&r->s);
        return reader_told_ip(r, PT_TIP_PGE);
    case PTS_PKT_TIP:
        r->what = pt_branch_done(r);
        return reader_told_ip(r, PT_TIP);
    case PTS_PKT_OVF:
        return reader_overflow(r);
    case PTS_PKT_CBR:
    case PTS_PKT_MTC:
    case PTS_PKT_CYC:
        reader_time(r);
        return PT_ON;
    case PTS_PKT_PIP:
        r->s.pip = r->st.pkt.count & 1;
        return PT_ON;
    case PTS_PKT_MODE_EXEC:
        reader_mode_next(r);
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
        a = reader_next(r);
        if (a == PT_ON)
            a = target_packet(r);
    } while (a == PT_ON);
    return a;
}
