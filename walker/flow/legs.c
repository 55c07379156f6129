/* legs.c - a walk from leg to leg.
 *
 * SPDX-License-Identifier: MIT
 *
 * This knows nothing of time.  Its results are what walk_code and its callers come to
 * branch by branch; where they would not be, it stops before the leg (I7).
 */
#include "walker/flow/legs.h"

#include "walker/flow/stretch.h"

/* What a walk would have left behind. */
void legs_store(struct flow *f, struct leg_walk *q)
{
    const struct leg *leg = q->last;

    f->walk.ip = q->ip;
    f->walk.ninsn += q->insns;
    f->in.s.clk.insns += q->insns;
    f->told.sample_insns += q->insns;
    q->insns = 0;
    if (!leg)
        return;
    f->walk.cls = leg->cls;
    f->walk.branch = leg->branch;
    f->walk.ilen = leg->len;
    f->walk.rel = leg->rel;
    f->walk.jumped_signature = false;
    f->walk.bytes =
        stretch_bytes(f, f->code.at.legs->off + leg->end, leg->len, leg->timed);
    q->last = NULL;
}

struct leg *legs_find(struct flow *f, struct leg_walk *q)
{
    const struct stretch *p = &f->code.at;

    if (q->ip - p->start >= p->leg_len) {
        legs_store(f, q); /* q->last is in the place that is left */
        stretch_at(f, q->ip);
        if (q->ip - p->start >= p->leg_len)
            return NULL;
    }
    return leg_at(p->legs, (uint32_t)(q->ip - p->start), p->epoch);
}

static inline void push_calls(struct flow *f, const struct leg *leg)
{
    for (unsigned i = 0; i < leg->calls; i++)
        ret_push(&f->code.rets, f->code.at.start + leg->ret[i]);
}

static inline void legs_pass(struct flow *f, struct leg_walk *q, const struct leg *leg)
{
    push_calls(f, leg);
    q->insns += leg->ninsn;
    q->last = leg;
}

/* The leg after leg when its branch is taken or not; NULL: off the map, or no memory.
 */
/* Links are filled in once and never change (I3): from the second time on, a leg
 * leads to the next without a look-up.  To one that holds for a while only there is none. */
static struct leg *legs_link(struct flow *f, struct leg_walk *q, struct leg *leg,
                             unsigned taken)
{
    uint64_t to = leg_to(leg, taken);
    q->ip = wrap_ip(f, f->code.at.start + to);
    if (to >= f->code.at.leg_len)
        return NULL;
    struct leg *next = leg_at(f->code.at.legs, (uint32_t)to, f->code.at.epoch);
    if (next && !next->timed)
        leg->next[taken] = next;
    return next;
}

/* Follows conditional branches, leg's first, for at most n > 0 bits, and says for how
 * many. */
static inline uint32_t legs_conds(struct flow *f, struct leg_walk *q, struct leg *leg,
                                  uint64_t bits, uint32_t n)
{
    uint64_t insns = q->insns;
    uint32_t left = n;
    struct leg *last;

    do {
        unsigned taken = (unsigned)(bits >> 63);
        push_calls(f, leg);
        insns += leg->ninsn;
        bits <<= 1;
        left--;
        last = leg;
        leg = leg->next[taken];
        if (!leg && !(leg = legs_link(f, q, last, taken)))
            break;
    } while (left && leg->branch == BRANCH_COND);
    if (leg)
        q->ip = f->code.at.start + leg->at;
    q->here = leg;
    q->last = last;
    q->insns = insns;
    return n - left;
}

/* The RET at the end of leg when its target is compressed to a taken bit. */
static inline bool legs_return(struct flow *f, struct leg_walk *q,
                               const struct leg *leg, uint64_t bits)
{
    if (leg->cls != INSN_RET || !(bits >> 63) || !f->conf.ret_compression)
        return false;
    uint64_t from = f->code.at.start + leg->end;
    uint64_t to = leg->calls ? f->code.at.start + leg->ret[leg->calls - 1]
                             : ret_peek(&f->code.rets);
    if (!to || (in_kernel(from) && !in_kernel(to)))
        return false;
    legs_pass(f, q, leg);
    ret_pop(&f->code.rets);
    q->ip = to;
    q->here = NULL;
    return true;
}

uint32_t legs_bits(struct flow *f, struct leg_walk *q, uint64_t bits, uint32_t n)
{
    uint32_t used = 0;

    while (used < n) {
        struct leg *leg = legs_here(f, q);
        if (leg && leg->branch == BRANCH_COND)
            used += legs_conds(f, q, leg, bits << used, n - used);
        else if (leg && legs_return(f, q, leg, bits << used))
            used++;
        else
            break;
    }
    return used;
}

bool legs_indirect(struct flow *f, struct leg_walk *q)
{
    const struct leg *leg = legs_here(f, q);
    if (!leg || leg->branch != BRANCH_INDIRECT)
        return false;
    legs_pass(f, q, leg);
    q->ip = f->code.at.start + leg->end;
    q->here = NULL;
    if (leg->cls == INSN_CALL)
        ret_push(&f->code.rets, q->ip + leg->len);
    else if (leg->cls == INSN_RET)
        f->walk.ret_addr = ret_pop(&f->code.rets);
    return true;
}
