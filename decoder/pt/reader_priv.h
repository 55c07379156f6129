/* reader_priv.h - what the parts of the reader share.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same packet means different things at different times, so there is a file for each
 * time; they share what is the same everywhere (reader_state.c):
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
 *
 *     reader_step.c    in step with execution
 *     reader_fup.c     packets that are bound to a FUP, or to what comes next
 *     reader_target.c  behind a FUP
 *     reader_psb.c     in a PSB+
 *     reader_seek.c    while it is not known where execution is
 *     reader_state.c   what is the same for all of them
 *
 * All are asked with a packet in r->st.pkt, but for reader_next.  *again is set where the
 * packet in r->st.pkt is not the one that came in, and is still to be looked at.
 */
#ifndef PTS_DECODER_PT_READER_PRIV_H
#define PTS_DECODER_PT_READER_PRIV_H

#include "decoder/pt/reader.h"

/* --- reader_step.c ---------------------------------------------------------------- */

/* The next packet is in r->st.pkt (PT_ON). */
enum pt_answer reader_next(struct pt_reader *r);
/* What it means that there is none. */
enum pt_answer reader_answer(struct pt_reader *r, enum stream_result result);
/* Whether the next FUP is bound to packets of this kind. */
bool reader_binds_fup(uint8_t kind);

/* With a CYC threshold the cycle count is exact only right after a CYC. */
static inline void reader_begins(struct pt_reader *r)
{
    if (r->conf.cyc_threshold && r->st.prev != PTS_PKT_CYC)
        r->s.clk.cycles_fresh = false;
}

static inline void reader_take_ip(struct pt_reader *r)
{
    r->s.last_ip = pkt_full_ip(&r->st.pkt, r->s.last_ip);
    r->s.have_last_ip = true;
}

/* The address of a TIP, when it has one. */
static inline enum pt_answer reader_told_ip(struct pt_reader *r, enum pt_answer a)
{
    r->ip_known = r->st.pkt.count;
    if (r->ip_known)
        reader_take_ip(r);
    return a;
}

/* --- reader_state.c --------------------------------------------------------------- */

void reader_time(struct pt_reader *r);
/* A MODE.Exec takes effect with the next branch. */
void reader_mode_next(struct pt_reader *r);
/* Packets that mean the same wherever execution is not known, and inside a PSB+: the state
 * that they tell holds now.  False: it is none of them. */
bool reader_status(struct pt_reader *r);
/* Execution came into a region that ends tracing (an address filter). */
enum pt_answer reader_stopped(struct pt_reader *r);
/* What was bound has lost its FUP.  The next address says where the trace goes on. */
enum pt_answer reader_overflow(struct pt_reader *r);
enum pt_answer reader_overflow_in_step(struct pt_reader *r);

/* --- reader_psb.c ----------------------------------------------------------------- */

/* In step with execution.  PT_ON: *again, as a packet came that is no part of it. */
enum pt_answer reader_psb(struct pt_reader *r, bool *again);
/* While an address is looked for. */
enum pt_answer reader_seek_psb(struct pt_reader *r);
void reader_psb_found(struct pt_reader *r);
void reader_psb_begins(struct pt_reader *r);

/* --- reader_fup.c ----------------------------------------------------------------- */

/* quiet: it belongs to an event, and no target follows. */
enum pt_answer reader_fup(struct pt_reader *r, bool quiet);
/* The packet in hand waits for the address of a FUP: `what` is bound then. */
enum pt_answer reader_bind(struct pt_reader *r, uint32_t what, bool *again);
/* At the instruction that execution is at: nothing has to be waited for. */
enum pt_answer reader_tell(struct pt_reader *r, enum pt_event_nr nr);
enum pt_answer reader_tsx(struct pt_reader *r, bool *again);
enum pt_answer reader_cfe(struct pt_reader *r, bool *again);
enum pt_answer reader_evd(struct pt_reader *r);
enum pt_answer reader_pwre(struct pt_reader *r);
/* By the manual some packets belong to an instruction that is to be walked to. */
bool reader_ptw_is_alone(struct pt_reader *r);
bool reader_pip_is_walked_to(const struct pt_reader *r);
enum pt_answer reader_tell_ptwrite(struct pt_reader *r);
/* Which packet comes next, time and status aside. */
bool reader_next_is(const struct pt_reader *r, enum pts_pkt_kind kind);
bool reader_tip_is_next(const struct pt_reader *r);

#endif
