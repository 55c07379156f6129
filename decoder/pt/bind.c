/* bind.c - events that waited for an address, once execution is there.
 *
 * SPDX-License-Identifier: MIT
 *
 *     PTWRITE(ip)  FUP          the FUP is bound: no target follows it
 *     MWAIT  PWRE ... FUP       both wait, whatever comes in between
 *     CFE  FUP  TIP             an interrupt: told where it came, then the target
 *     OVF ... FUP               the trace goes on there
 */
#include "decoder/pt/reader.h"

void pt_unbind(struct pt_reader *r)
{
    r->s.bound.what = 0;
    r->s.bound.cfe_ip = false;
    r->s.bound.owed = false;
    r->s.bound.tx = 0;
    r->s.bound.evd.count = 0;
    r->s.iflag = r->s.next_iflag;
}

static void arrive_cfe(struct pt_reader *r, uint32_t *what, uint16_t *flags)
{
    const struct pt_bound *b = &r->s.bound;

    *what |= EV_CFE;
    if (!b->cfe_ip && r->s.tracing)
        *what |= EV_BRANCH;
    if (b->cfe_ip || r->s.tracing)
        *flags |= EVF_FUP_IP;
    r->extra.cfe_type = b->cfe_type;
    r->extra.cfe_vector = b->cfe_vector;
    r->extra.evd = b->evd;
    r->s.bound.evd.count = 0;
}

uint32_t pt_cfe_branch(struct pt_reader *r)
{
    uint32_t what = 0;
    uint16_t flags = 0;

    if (!r->conf.strict || !(r->s.bound.what & EV_CFE) || r->s.bound.cfe_ip)
        return 0;
    arrive_cfe(r, &what, &flags);
    r->s.bound.what &= ~(uint32_t)EV_CFE;
    return what;
}

static void arrive_tx(struct pt_reader *r, uint32_t *what, uint16_t *flags)
{
    r->s.tx = r->s.bound.tx;
    *what |= EV_TX;
    if (r->s.tx & EVF_TX_ABORT)
        *what |= EV_BRANCH;
    *flags = r->s.tx;
}

static void arrive_bound(struct pt_reader *r, uint32_t *what, uint16_t *flags)
{
    static const uint32_t others = ~(uint32_t)(EV_CFE | EV_IFLAG | EV_TX);
    uint32_t bound = r->s.bound.what;

    if (bound & EV_CFE)
        arrive_cfe(r, what, flags);
    if (bound & EV_IFLAG)
        *what |= pt_iflag_turn(&r->s);
    if (bound & EV_TX)
        arrive_tx(r, what, flags);
    bound &= others;
    *what |= bound;
    if (bound & EV_TELLING_IP && !r->s.bound.owed) /* else an OVF came in its place */
        *flags |= EVF_FUP_IP;
    for (; bound; bound &= bound - 1) {
        unsigned nr = (unsigned)__builtin_ctz(bound);
        r->extra.value[nr] = r->s.bound.value[nr];
    }
    r->s.bound.what = 0;
    r->s.bound.cfe_ip = false;
    r->s.bound.owed = false;
}

/* What waited is told in place of a branch, unless it is one itself: an interrupt,
 * an abort. */
enum pt_arrival pt_arrive(struct pt_reader *r, uint32_t *what, uint16_t *flags)
{
    bool any = r->s.bound.what;
    bool resumed = r->s.overflowed && !any && !r->s.tracing;

    r->s.tracing |= r->conf.strict && pt_lost(r) && !r->still_lost; /* a FUP tells */
    r->s.overflowed = r->still_lost;
    r->still_lost = false;
    if (any) {
        *what &= ~(uint32_t)EV_BRANCH;
        arrive_bound(r, what, flags);
        return ARRIVED_EVENTS;
    }
    if (!resumed)
        return ARRIVED_QUIETLY;
    r->s.tracing = true;
    *what |= EV_BRANCH | EV_TRACE_BEGIN;
    return ARRIVED_RESUMED;
}
