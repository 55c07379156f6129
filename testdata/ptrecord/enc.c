/* enc.c - one PT unit: what is executed goes in, packets come out.
 *
 * SPDX-License-Identifier: MIT
 *
 * Branches gather in a TNT until it is full or something else has to be sent.  A TIP
 * may wait behind a TNT that is still filling ("deferred TIPs" in the SDM): the decoder
 * then meets the indirect branch with TNT bits left and takes the TIP that follows.
 */
#include "testdata/ptrecord/enc.h"
#include "testdata/ptrecord/packet.h"

#include <string.h>

void enc_init(struct enc *e, const struct rec_conf *conf, const struct clock_model *m,
              struct rng *rng)
{
    *e = (struct enc){.conf = conf, .model = m, .rng = rng, .is64 = true};
}

void enc_free(struct enc *e)
{
    buf_free(&e->out);
}

uint64_t enc_offset(const struct enc *e)
{
    return e->out_start + e->out.len;
}

void enc_drop(struct enc *e, size_t len)
{
    buf_shift(&e->out, len);
    e->out_start += len;
}

/* --- time ------------------------------------------------------------------------- */

/* CYC goes before the packets that may carry one, if enough cycles have passed. */
static void cyc_upto(struct enc *e, uint64_t cyc)
{
    uint32_t thresh = e->conf->cyc_thresh;
    uint64_t n = cyc - e->cyc_sent;

    if (!e->conf->cyc || !n || cyc < e->cyc_sent ||
        (thresh && n < 1ULL << (thresh - 1)))
        return;
    pkt_cyc(&e->out, n);
    e->cyc_sent = cyc;
}

static void put_tsc(struct enc *e, const struct clock *c)
{
    const struct clock_model *m = e->model;
    uint64_t tsc = clock_tsc(c), ctc = clock_ctc(m, tsc);

    if (!e->conf->tsc)
        return;
    pkt_tsc(&e->out, tsc);
    e->cyc_sent = c->cyc;
    if (e->conf->mtc)
        pkt_tma(&e->out, (uint16_t)ctc, (uint16_t)(tsc - clock_ctc_start(m, ctc)));
}

static void mtc_arm(struct enc *e, const struct clock *c)
{
    unsigned period = e->conf->mtc_period;

    e->mtc_next = ((clock_ctc(e->model, clock_tsc(c)) >> period) + 1) << period;
    e->mtc_cyc = clock_cyc_at(c, clock_ctc_start(e->model, e->mtc_next));
}

/* --- IPs and branches ------------------------------------------------------------- */

static void put_ip(struct enc *e, enum pkt_ip kind, uint64_t ip)
{
    uint64_t diff = ip ^ e->last_ip;
    bool sext = (uint64_t)((int64_t)(ip << 16) >> 16) == ip;
    enum pkt_ipbytes form = !(diff >> 16)                            ? IP_16
                            : !(diff >> 32)                          ? IP_32
                            : !sext                                  ? IP_FULL
                            : !(diff >> 48) && rng_one_in(e->rng, 8) ? IP_48
                                                                     : IP_48_SEXT;

    pkt_ip(&e->out, kind, form, ip);
    e->last_ip = ip;
}

/* Sends the branches that were kept back. */
static void flush(struct enc *e)
{
    if (!e->tnt_n && !e->tip_n)
        return;
    cyc_upto(e, e->branch_cyc);
    if (e->tnt_n)
        pkt_tnt(&e->out, e->tnt, e->tnt_n);
    for (unsigned i = 0; i < e->tip_n; i++)
        put_ip(e, PKT_TIP, e->tip[i]);
    e->tnt_n = e->tip_n = 0;
    e->tnt = 0;
}

static void stack_clear(struct enc *e)
{
    e->stack_n = 0;
}

static void put_mode(struct enc *e)
{
    pkt_mode_exec(&e->out, e->is64, e->conf->event);
    e->mode_sent = true;
}

/* PSB+; IP is where execution goes on, used only in user space. */
static void put_psb(struct enc *e, const struct clock *c, uint64_t ip)
{
    flush(e);
    cyc_upto(e, c->cyc);
    e->psb_at = enc_offset(e);
    e->psb_seen = true;
    e->last_ip = 0;
    stack_clear(e);
    pkt_psb(&e->out);
    put_tsc(e, c);
    pkt_cbr(&e->out, (uint8_t)c->cbr);
    e->mode_sent = false;
    if (e->enabled) {
        put_mode(e);
        pkt_mode_tsx(&e->out, e->in_tx, false);
        pkt_ip(&e->out, PKT_FUP, IP_48_SEXT, ip);
        e->last_ip = ip;
    }
    pkt_psbend(&e->out);
}

static bool psb_due(const struct enc *e)
{
    return !e->psb_seen ||
           enc_offset(e) - e->psb_at >= 1ULL << (11 + e->conf->psb_period);
}

static void psb_check(struct enc *e, const struct clock *c, uint64_t ip)
{
    if (psb_due(e))
        put_psb(e, c, ip);
}

/* --- TraceEn, time, PacketEn --------------------------------------------------------
 */

void enc_start(struct enc *e, const struct clock *c)
{
    e->on = true;
    e->mode_sent = false;
    e->cyc_sent = c->cyc;
    stack_clear(e);
    mtc_arm(e, c);
    if (psb_due(e)) {
        put_psb(e, c, 0);
        return;
    }
    put_tsc(e, c);
    pkt_cbr(&e->out, (uint8_t)c->cbr);
}

void enc_stop(struct enc *e, const struct clock *c)
{
    enc_time(e, c);
    flush(e);
    e->on = false;
}

void enc_time(struct enc *e, const struct clock *c)
{
    if (!e->on || !e->conf->mtc)
        return;
    while (e->mtc_cyc <= c->cyc) {
        flush(e);
        cyc_upto(e, e->mtc_cyc);
        pkt_mtc(&e->out, (uint8_t)(e->mtc_next >> e->conf->mtc_period));
        e->mtc_next += 1ULL << e->conf->mtc_period;
        e->mtc_cyc = clock_cyc_at(c, clock_ctc_start(e->model, e->mtc_next));
    }
    if (!e->enabled)
        psb_check(e, c, 0);
}

void enc_restart(struct enc *e, const struct clock *c)
{
    enc_stop(e, c);
    enc_start(e, c);
}

void enc_cbr(struct enc *e, const struct clock *c)
{
    flush(e);
    cyc_upto(e, c->cyc);
    pkt_cbr(&e->out, (uint8_t)c->cbr);
    e->mtc_cyc = clock_cyc_at(c, clock_ctc_start(e->model, e->mtc_next));
}

void enc_pge(struct enc *e, const struct clock *c, uint64_t ip)
{
    psb_check(e, c, 0);
    cyc_upto(e, c->cyc);
    if (!e->mode_sent)
        put_mode(e);
    put_ip(e, PKT_PGE, ip);
    e->enabled = true;
}

void enc_pgd(struct enc *e, const struct clock *c)
{
    flush(e);
    cyc_upto(e, c->cyc);
    pkt_ip(&e->out, PKT_PGD, IP_NONE, 0);
    e->enabled = false;
}

void enc_async(struct enc *e, const struct clock *c, uint64_t ip)
{
    flush(e);
    cyc_upto(e, c->cyc);
    put_ip(e, PKT_FUP, ip);
    pkt_ip(&e->out, PKT_PGD, IP_NONE, 0);
    e->enabled = false;
}

/* --- branches -----------------------------------------------------------------------
 */

static void bit_put(struct enc *e, const struct clock *c, bool taken)
{
    if (!e->tnt_n)
        e->tnt_room = rng_one_in(e->rng, 4) ? PKT_LONG_TNT : PKT_SHORT_TNT;
    e->tnt = e->tnt << 1 | taken;
    e->tnt_n++;
    e->branch_cyc = c->cyc;
    if (e->tnt_n == e->tnt_room)
        flush(e);
}

void enc_cond(struct enc *e, const struct clock *c, bool taken, uint64_t to)
{
    bit_put(e, c, taken);
    psb_check(e, c, to);
}

void enc_call(struct enc *e, uint64_t next)
{
    e->stack[e->stack_top++ % ENC_STACK] = next;
    if (e->stack_n < ENC_STACK)
        e->stack_n++;
}

void enc_indirect(struct enc *e, const struct clock *c, uint64_t to)
{
    bool wait = !e->conf->cyc && e->tip_n < ENC_WAITING && rng_one_in(e->rng, 4);

    e->tip[e->tip_n++] = to;
    e->branch_cyc = c->cyc;
    if (!wait || !e->tnt_n)
        flush(e);
    psb_check(e, c, to);
}

void enc_ret(struct enc *e, const struct clock *c, uint64_t to)
{
    bool known = e->stack_n && e->stack[(e->stack_top - 1) % ENC_STACK] == to;

    if (e->stack_n) {
        e->stack_n--;
        e->stack_top--;
    }
    if (known && !e->conf->noretcomp) {
        bit_put(e, c, true);
    } else {
        /* Never waits: a decoder takes a RET met with TNT bits left for a compressed
         * one. */
        e->tip[e->tip_n++] = to;
        e->branch_cyc = c->cyc;
        flush(e);
    }
    psb_check(e, c, to);
}
