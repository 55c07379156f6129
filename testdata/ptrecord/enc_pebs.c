/* enc_pebs.c - PEBS records in the trace: a block of groups of items.
 *
 * SPDX-License-Identifier: MIT
 *
 * SDM volume 3, "PEBS output to Intel Processor Trace"; addresses, latencies and
 * registers other than the IP are made up.
 */
#include "testdata/ptrecord/enc.h"
#include "testdata/ptrecord/lbr.h"

enum pebs_group {
    PEBS_GPRS = 1,
    PEBS_BASIC = 4,
    PEBS_MEMORY = 5,
    PEBS_LBR = 8, /* and the two after it */
    PEBS_XMM = 16
};
enum {
    GPRS = 18,
    GPRS_OF_32 = 10,
    GPR_IP = 1,
    XMM_HALVES = 32,
    LBR_GROUPS = 3,
    LBRS_IN_GROUP = 10
};

static void basic_put(struct enc *e, const struct clock *c)
{
    pkt_bbp(&e->out, PEBS_BASIC, false);
    pkt_bip(&e->out, 0, e->ip, false);
    pkt_bip(&e->out, 1, 1, false); /* of the first counter */
    pkt_bip(&e->out, 2, clock_tsc(c), false);
}

static void gprs_put(struct enc *e)
{
    bool four = !e->is64;
    unsigned count = four ? GPRS_OF_32 : GPRS;

    pkt_bbp(&e->out, PEBS_GPRS, four);
    for (unsigned id = 0; id < count; id++)
        pkt_bip(&e->out, id, id == GPR_IP ? e->ip : rng_next(e->rng), four);
}

static void memory_put(struct enc *e)
{
    pkt_bbp(&e->out, PEBS_MEMORY, false);
    pkt_bip(&e->out, 0, rng_next(e->rng) >> 17, false);
    pkt_bip(&e->out, 1, rng_range(e->rng, 0, 15), false);
    pkt_bip(&e->out, 2, rng_range(e->rng, 4, 300), false);
}

/* The latest branch first; each is where it came from, where to, and its LBR_INFO. */
static void lbrs_put(struct enc *e, const struct lbr *l)
{
    for (unsigned i = 0; i < l->count && i < LBR_GROUPS * LBRS_IN_GROUP; i++) {
        const struct lbr_entry *b = lbr_back(l, i);
        unsigned id = i % LBRS_IN_GROUP * 3;
        if (!id)
            pkt_bbp(&e->out, PEBS_LBR + i / LBRS_IN_GROUP, false);
        pkt_bip(&e->out, id, b->from, false);
        pkt_bip(&e->out, id + 1, b->to, false);
        pkt_bip(&e->out, id + 2, b->info, false);
    }
}

static void xmm_put(struct enc *e)
{
    pkt_bbp(&e->out, PEBS_XMM, false);
    for (unsigned id = 0; id < XMM_HALVES; id++)
        pkt_bip(&e->out, id, rng_next(e->rng), false);
}

void enc_pebs(struct enc *e, const struct clock *c, const struct lbr *l)
{
    if (e->lost)
        return;
    enc_before(e, c);
    basic_put(e, c);
    gprs_put(e);
    memory_put(e);
    if (e->conf->pebs_lbr)
        lbrs_put(e, l);
    if (e->conf->pebs_xmm)
        xmm_put(e);
    pkt_bep(&e->out, true);
    enc_ip(e, PKT_FUP, e->ip);
}
