/* reader_psb.c - a PSB+.
 *
 * SPDX-License-Identifier: MIT
 *
 * | PSB | time and status, maybe a FUP: where execution is | PSBEND |
 */
#include "decoder/pt/reader_priv.h"

#include <limits.h>

/* A PSB stands for the forgetting of all that packets go by: the last address, and
 * the addresses that compressed returns need. */
void reader_psb_begins(struct pt_reader *r)
{
    r->psb_ip = 0;
    r->s.last_ip = 0;
    r->s.have_last_ip = true;
    r->forget = true;
}

void reader_psb_found(struct pt_reader *r)
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
    while ((a = reader_next(r)) == PT_ON) {
        const struct pts_pkt *p = &r->st.pkt;
        if (p->kind == PTS_PKT_PSBEND) {
            a = PT_PSB;
            break;
        }
        if (p->kind == PTS_PKT_OVF) {
            a = reader_overflow(r);
            break;
        }
        if (p->kind == PTS_PKT_FUP) {
            r->s.tracing = true;
            if (p->count) {
                reader_take_ip(r);
                r->psb_ip = r->s.last_ip;
                r->psb_stated = true;
            }
        } else if (!reader_status(r)) {
            break;
        }
    }
    r->in_psb = false;
    return a;
}

enum pt_answer pt_psb(struct pt_reader *r)
{
    reader_psb_begins(r);
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
enum pt_answer reader_psb(struct pt_reader *r, bool *again)
{
    struct pts_pkt fup;

    reader_psb_found(r);
    if (!r->conf.quick && r->conf.branch_enable && psb_is_here(r, &fup)) {
        /* as perf: against the last ip of before the PSB */
        r->s.last_ip = pkt_full_ip(&fup, r->s.last_ip);
        r->s.have_last_ip = true;
        return PT_PSB_AT;
    }
    reader_psb_begins(r);
    enum pt_answer a = psb_rest(r);
    if (a == PT_ON) {
        r->s.clk.have_tma = false;
        *again = true;
    }
    return a;
}

/* While an address is looked for, all but a further PSB is a mismatch in a PSB+. */
enum pt_answer reader_seek_psb(struct pt_reader *r)
{
    enum pt_answer a;

    do
        a = psb_rest(r);
    while (a == PT_ON && r->st.pkt.kind == PTS_PKT_PSB);
    if (a != PT_ON)
        return a;
    switch (r->st.pkt.kind) {
    case PTS_PKT_TRACESTOP:
        reader_stopped(r);
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
