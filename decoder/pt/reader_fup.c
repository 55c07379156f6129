/* reader_fup.c - a FUP, and packets that are bound to one or to what comes next.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/reader_priv.h"

/* Erratum APL12: a FUP behind an OVF while tracing is off. */
static bool unexpected_fup(struct pt_reader *r)
{
    return r->conf.errata & ERRATUM_APL12 && pt_lost(r) && !r->s.bound.what &&
           tracing_is_off(stream_rest(&r->st)) && pt_strict(r, PLACE_APL12);
}

/* quiet: it belongs to an event, and no target follows. */
enum pt_answer reader_fup(struct pt_reader *r, bool quiet)
{
    /* Its address was left out: there is nothing to walk to. */
    if (!r->st.pkt.count) {
        r->quiet_left |= quiet;
        return PT_ON;
    }
    reader_take_ip(r);
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
bool reader_next_is(const struct pt_reader *r, enum pts_pkt_kind kind)
{
    struct pts_pkt p;
    return next_telling(stream_rest(&r->st), &p) && p.kind == kind;
}

bool reader_tip_is_next(const struct pt_reader *r)
{
    return reader_next_is(r, PTS_PKT_TIP) || reader_next_is(r, PTS_PKT_TIP_PGD);
}

static bool is_time(uint8_t kind)
{
    return kind == PTS_PKT_CYC || kind == PTS_PKT_MTC || kind == PTS_PKT_TSC ||
           kind == PTS_PKT_TMA || kind == PTS_PKT_CBR;
}

/* The next packet; by the manual time may stand between one and the FUP it is bound to. */
static enum pt_answer next_for_fup(struct pt_reader *r)
{
    enum pt_answer a = reader_next(r);

    if (a != PT_ON || !is_time(r->st.pkt.kind) || !reader_next_is(r, PTS_PKT_FUP) ||
        !pt_strict(r, PLACE_FUP_APART))
        return a;
    while (a == PT_ON && is_time(r->st.pkt.kind)) {
        reader_begins(r);
        reader_time(r);
        a = reader_next(r);
    }
    return a;
}

/* The packet in hand waits for the address of the FUP that must be the next one: `what` is
 * bound then.  Without one the event is lost, as in perf, and the packet after it is
 * looked at on its own: PT_ON, and *again.  (By the manual it waits for the next FUP.) */
enum pt_answer reader_bind(struct pt_reader *r, uint32_t what, bool *again)
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
    reader_begins(r);
    r->s.bound.what |= what;
    return reader_fup(r, true);
}

enum pt_answer reader_tsx(struct pt_reader *r, bool *again)
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
    reader_begins(r);
    r->s.bound.tx = flags;
    r->s.bound.what |= EV_TX;
    return reader_fup(r, !(flags & EVF_TX_ABORT));
}

/* At the instruction that execution is at: nothing has to be waited for. */
enum pt_answer reader_tell(struct pt_reader *r, enum pt_event_nr nr)
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
bool reader_ptw_is_alone(struct pt_reader *r)
{
    return code_is_followed(r) && pt_strict(r, PLACE_PTW_ALONE);
}

/* So does a PIP to a MOV CR3, if there is one before the next branch. */
bool reader_pip_is_walked_to(const struct pt_reader *r)
{
    return r->conf.strict && code_is_followed(r);
}

enum pt_answer reader_tell_ptwrite(struct pt_reader *r)
{
    reader_tell(r, EV_NR_PTWRITE);
    return PT_PTWRITE;
}

/* A deep sleep that an MWAIT asked for is told together with it. */
enum pt_answer reader_pwre(struct pt_reader *r)
{
    struct pt_bound *b = &r->s.bound;

    if (!(b->what & EV_MWAIT))
        return reader_tell(r, EV_NR_PWRE);
    b->value[EV_NR_PWRE] = r->st.pkt.value;
    b->what |= EV_PWRE;
    return PT_ON;
}

/* Without its IP bit it waits for the FUP of the interrupt, or is told at once where
 * nothing is traced.  With it, the FUP behind it is its own. */
enum pt_answer reader_cfe(struct pt_reader *r, bool *again)
{
    struct pt_bound *b = &r->s.bound;

    b->cfe_type = (uint8_t)r->st.pkt.count;
    b->cfe_vector = (uint8_t)r->st.pkt.value;
    if (r->st.pkt.kind == PTS_PKT_CFE_IP) {
        enum pt_answer a = reader_bind(r, EV_CFE, again);
        b->cfe_ip |= r->st.pkt.kind == PTS_PKT_FUP || b->owed;
        return a;
    }
    b->what |= EV_CFE;
    if (!r->s.tracing) {
        r->still_lost = r->conf.strict && pt_lost(r);
        return PT_HERE;
    }
    if (reader_tip_is_next(r))
        r->met |= PLACE_CFE_TIP; /* pt_cfe_branch */
    return PT_ON;
}

/* They come before their CFE and are collected for it. */
enum pt_answer reader_evd(struct pt_reader *r)
{
    struct pt_evd *e = &r->s.bound.evd;

    if (e->count >= EVD_MAX)
        return PT_FULL;
    e->type[e->count] = (uint8_t)r->st.pkt.count;
    e->payload[e->count] = r->st.pkt.value;
    e->count++;
    return PT_ON;
}
