/* enc_event.c - packets that tell of other things than branches.
 *
 * SPDX-License-Identifier: MIT
 *
 * "With FUP" the packet is followed by the IP it belongs to; the decoder walks there
 * first.  Nothing is sent while packets are lost.
 */
#include "testdata/ptrecord/enc.h"

enum cfe_type { CFE_INTR = 1, CFE_IRET = 2 };
enum { EVD_PAGE_FAULT = 0, VECTOR_PF = 14, WAKE_STORE = 4, WAKE_HW = 8 };

void enc_ptwrite(struct enc *e, const struct clock *c, uint64_t ip, uint64_t payload,
                 bool is64)
{
    if (e->lost)
        return;
    enc_before(e, c);
    pkt_ptw(&e->out, payload, is64, e->conf->fup_on_ptw);
    if (e->conf->fup_on_ptw)
        enc_ip(e, PKT_FUP, ip);
}

/* --- transactions -------------------------------------------------------------------
 */

static void tx_put(struct enc *e, const struct clock *c, uint64_t ip, bool aborted)
{
    if (e->lost)
        return;
    enc_before(e, c);
    pkt_mode_tsx(&e->out, e->in_tx, aborted);
    enc_ip(e, PKT_FUP, ip);
}

void enc_tx_begin(struct enc *e, const struct clock *c, uint64_t ip)
{
    e->in_tx = true;
    tx_put(e, c, ip, false);
}

void enc_tx_commit(struct enc *e, const struct clock *c, uint64_t ip)
{
    e->in_tx = false;
    tx_put(e, c, ip, false);
}

void enc_tx_abort(struct enc *e, const struct clock *c, uint64_t ip, uint64_t to)
{
    e->in_tx = false;
    e->ip = to;
    tx_put(e, c, ip, true);
    if (!e->lost)
        enc_ip(e, PKT_TIP, to);
}

/* --- power --------------------------------------------------------------------------
 */

void enc_user_wait(struct enc *e, const struct clock *c)
{
    unsigned sub = rng_range(e->rng, 1, 2); /* C0.1, C0.2 */

    if (e->lost)
        return;
    enc_before(e, c);
    pkt_mwait(&e->out, (uint8_t)sub, 0);
    pkt_pwre(&e->out, 0, sub, false);
    pkt_exstop(&e->out, true);
    enc_ip(e, PKT_FUP, e->ip);
    pkt_pwrx(&e->out, 0, 0, WAKE_STORE);
}

void enc_stall(struct enc *e, const struct clock *c)
{
    if (e->lost)
        return;
    enc_before(e, c);
    pkt_exstop(&e->out, true);
    enc_ip(e, PKT_FUP, e->ip);
}

void enc_idle(struct enc *e, const struct clock *c)
{
    unsigned state = rng_range(e->rng, 1, 6);

    if (e->lost)
        return;
    enc_before(e, c);
    pkt_pwre(&e->out, state, 0, true);
    pkt_exstop(&e->out, false);
    pkt_pwrx(&e->out, state, state, WAKE_HW);
}

/* --- event trace --------------------------------------------------------------------
 */

/* The branch that leaves user space tells its IP; when branches are not traced, the CFE
 * has a FUP of its own. */
static void interrupt_put(struct enc *e, uint8_t vector, uint64_t ip)
{
    bool alone = !e->conf->branch;

    pkt_cfe(&e->out, CFE_INTR, vector, alone);
    if (alone)
        enc_ip(e, PKT_FUP, ip);
}

void enc_cfe_interrupt(struct enc *e, const struct clock *c, uint8_t vector,
                       uint64_t ip)
{
    if (e->lost)
        return;
    enc_before(e, c);
    interrupt_put(e, vector, ip);
}

void enc_cfe_page_fault(struct enc *e, const struct clock *c, uint64_t addr,
                        uint64_t ip)
{
    if (e->lost)
        return;
    enc_before(e, c);
    pkt_evd(&e->out, EVD_PAGE_FAULT, addr);
    interrupt_put(e, VECTOR_PF, ip);
}

void enc_cfe_iret(struct enc *e, const struct clock *c)
{
    if (e->lost)
        return;
    enc_before(e, c);
    pkt_cfe(&e->out, CFE_IRET, 0, false);
}

/* --- overflow -----------------------------------------------------------------------
 */

void enc_lose(struct enc *e)
{
    e->lost = true;
    e->tnt_n = e->tip_n = 0;
    e->tnt = 0;
}

void enc_fill(struct enc *e)
{
    enc_lose(e);
    e->full = true;
}

void enc_found(struct enc *e, const struct clock *c)
{
    if (!e->lost)
        return;
    e->lost = false;
    e->stack_n = 0;
    e->mode_sent = false;
    pkt_ovf(&e->out);
    enc_tsc(e, c);
    pkt_cbr(&e->out, (uint8_t)c->cbr);
    if (!e->enabled)
        return;
    pkt_ip(&e->out, PKT_FUP, IP_48_SEXT, e->ip);
    e->last_ip = e->ip;
}
