/* enc.c - one PT unit: what is executed goes in, packets come out.
 *
 * SPDX-License-Identifier: MIT
 *
 * Branches gather in a TNT until it is full or something else has to be sent.  A TIP
 * may wait behind a TNT that is still filling ("deferred TIPs" in the SDM): the decoder
 * then meets the indirect branch with TNT bits left and takes the TIP that follows.
 */
#include "testdata/ptrecord/enc.h"

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

/* --- time ----------------------------------------------------------------------- */

/* CYC goes before the packets that may carry one, if enough cycles have passed. */
static void cyc_upto(struct enc *e, uint64_t cyc)
{
    uint32_t thresh = e->conf->cyc_thresh;

    if (!e->conf->cyc || cyc <= e->cyc_sent ||
        (thresh && cyc - e->cyc_sent < 1ULL << (thresh - 1)))
        return;
    pkt_cyc(&e->out, cyc - e->cyc_sent);
    e->cyc_sent = cyc;
}

void enc_tsc(struct enc *e, const struct clock *c)
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

static void mtc_put(struct enc *e)
{
    enc_flush(e);
    cyc_upto(e, e->mtc_cyc);
    pkt_mtc(&e->out, (uint8_t)(e->mtc_next >> e->conf->mtc_period));
}

/* --- IPs, branches kept back ------------------------------------------------------ */

/* All of an IP, which processors may write in either way. */
static enum pkt_ipbytes form_whole(struct enc *e, uint64_t ip)
{
    bool sext = (uint64_t)((int64_t)(ip << 16) >> 16) == ip;

    return sext && !rng_one_in(e->rng, 16) ? IP_48_SEXT : IP_FULL;
}

void enc_ip(struct enc *e, enum pkt_ip kind, uint64_t ip)
{
    uint64_t diff = ip ^ e->last_ip;
    enum pkt_ipbytes form = !(diff >> 16)   ? IP_16
                            : !(diff >> 32) ? IP_32
                            : !(diff >> 48) && rng_one_in(e->rng, 8)
                                ? IP_48
                                : form_whole(e, ip);

    pkt_ip(&e->out, kind, form, ip);
    e->last_ip = ip;
}

void enc_flush(struct enc *e)
{
    if (!e->tnt_n && !e->tip_n)
        return;
    cyc_upto(e, e->branch_cyc);
    if (e->tnt_n)
        pkt_tnt(&e->out, e->tnt, e->tnt_n);
    for (unsigned i = 0; i < e->tip_n; i++)
        enc_ip(e, PKT_TIP, e->tip[i]);
    e->tnt_n = e->tip_n = 0;
    e->tnt = 0;
}

void enc_before(struct enc *e, const struct clock *c)
{
    enc_flush(e);
    cyc_upto(e, c->cyc);
}

/* --- PSB+ ------------------------------------------------------------------------- */

static void mode_put(struct enc *e)
{
    pkt_mode_exec(&e->out, e->is64, e->conf->event);
    e->mode_sent = true;
}

/* PADs, which say nothing, follow a PSB on some processors. */
static void pads_put(struct enc *e)
{
    unsigned n = rng_one_in(e->rng, 4) ? 6 : 0;

    while (n--)
        pkt_pad(&e->out);
}

static void psb_put(struct enc *e, const struct clock *c)
{
    enc_before(e, c);
    e->psb_at = enc_offset(e);
    e->psb_seen = true;
    e->stack_n = 0;
    e->last_ip = 0;
    e->mode_sent = false;
    pkt_psb(&e->out);
    pads_put(e);
    enc_tsc(e, c);
    pkt_cbr(&e->out, (uint8_t)c->cbr);
    if (e->enabled) {
        mode_put(e);
        pkt_mode_tsx(&e->out, e->in_tx, false);
        /* Never shortened: a decoder may read it before it forgets the last IP. */
        pkt_ip(&e->out, PKT_FUP, form_whole(e, e->ip), e->ip);
        e->last_ip = e->ip;
    }
    pkt_psbend(&e->out);
}

static bool psb_due(const struct enc *e)
{
    return !e->psb_seen ||
           enc_offset(e) - e->psb_at >= 1ULL << (11 + e->conf->psb_period);
}

static void psb_check(struct enc *e, const struct clock *c)
{
    if (!e->lost && psb_due(e))
        psb_put(e, c);
}

/* --- TraceEn, PacketEn ------------------------------------------------------------ */

void enc_start(struct enc *e, const struct clock *c)
{
    if (e->full) { /* a decoder cannot know what it missed: from the beginning */
        e->full = e->lost = e->psb_seen = false;
    }
    e->on = true;
    e->mode_sent = false;
    e->cyc_sent = c->cyc;
    e->stack_n = 0;
    mtc_arm(e, c);
    if (psb_due(e)) {
        psb_put(e, c);
        return;
    }
    enc_tsc(e, c);
    pkt_cbr(&e->out, (uint8_t)c->cbr);
}

void enc_stop(struct enc *e, const struct clock *c)
{
    enc_time(e, c);
    if (!e->full)
        enc_found(e, c);
    e->on = false;
}

void enc_restart(struct enc *e, const struct clock *c)
{
    enc_stop(e, c);
    enc_start(e, c);
}

void enc_time(struct enc *e, const struct clock *c)
{
    if (!e->on || !e->conf->mtc)
        return;
    while (e->mtc_cyc <= c->cyc) {
        if (!e->lost)
            mtc_put(e);
        e->mtc_next += 1ULL << e->conf->mtc_period;
        e->mtc_cyc = clock_cyc_at(c, clock_ctc_start(e->model, e->mtc_next));
    }
    if (!e->enabled)
        psb_check(e, c);
}

void enc_cbr(struct enc *e, const struct clock *c)
{
    e->mtc_cyc = clock_cyc_at(c, clock_ctc_start(e->model, e->mtc_next));
    if (e->lost)
        return;
    enc_before(e, c);
    pkt_cbr(&e->out, (uint8_t)c->cbr);
}

void enc_pge(struct enc *e, const struct clock *c, uint64_t ip)
{
    e->ip = ip;
    psb_check(e, c);
    e->enabled = true;
    if (e->lost || !e->conf->branch)
        return;
    enc_before(e, c);
    if (!e->mode_sent)
        mode_put(e);
    enc_ip(e, PKT_PGE, ip);
}

void enc_pgd(struct enc *e, const struct clock *c)
{
    e->enabled = false;
    if (e->lost || !e->conf->branch)
        return;
    enc_before(e, c);
    pkt_ip(&e->out, PKT_PGD, IP_NONE, 0);
}

void enc_async(struct enc *e, const struct clock *c, uint64_t ip)
{
    e->enabled = false;
    if (e->lost || !e->conf->branch)
        return;
    enc_before(e, c);
    enc_ip(e, PKT_FUP, ip);
    pkt_ip(&e->out, PKT_PGD, IP_NONE, 0);
}

/* --- branches --------------------------------------------------------------------- */

static void bit_put(struct enc *e, const struct clock *c, bool taken)
{
    if (e->lost || !e->conf->branch)
        return;
    if (!e->tnt_n)
        e->tnt_room = rng_one_in(e->rng, 4) ? PKT_LONG_TNT : PKT_SHORT_TNT;
    e->tnt = e->tnt << 1 | taken;
    e->tnt_n++;
    e->branch_cyc = c->cyc;
    if (e->tnt_n == e->tnt_room)
        enc_flush(e);
}

/* MAY_WAIT: the TIP need not be sent at once. */
static void tip_put(struct enc *e, const struct clock *c, uint64_t to, bool may_wait)
{
    if (e->lost || !e->conf->branch)
        return;
    e->tip[e->tip_n++] = to;
    e->branch_cyc = c->cyc;
    if (!may_wait || !e->tnt_n || e->tip_n > ENC_WAITING || e->conf->cyc ||
        !rng_one_in(e->rng, 4))
        enc_flush(e);
}

void enc_direct(struct enc *e, uint64_t to)
{
    e->ip = to;
}

void enc_call(struct enc *e, uint64_t next)
{
    e->stack[e->stack_top++ % ENC_STACK] = next;
    if (e->stack_n < ENC_STACK)
        e->stack_n++;
}

void enc_cond(struct enc *e, const struct clock *c, bool taken, uint64_t to)
{
    e->ip = to;
    bit_put(e, c, taken);
    psb_check(e, c);
}

void enc_indirect(struct enc *e, const struct clock *c, uint64_t to)
{
    e->ip = to;
    tip_put(e, c, to, true);
    psb_check(e, c);
}

void enc_ret(struct enc *e, const struct clock *c, uint64_t to)
{
    bool known = e->stack_n && e->stack[(e->stack_top - 1) % ENC_STACK] == to;

    e->ip = to;
    if (e->stack_n) {
        e->stack_n--;
        e->stack_top--;
    }
    if (known && !e->conf->noretcomp)
        bit_put(e, c, true);
    else
        tip_put(e, c, to, false); /* with TNT bits left it would pass for compressed */
    psb_check(e, c);
}
