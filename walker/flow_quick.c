/* flow_quick.c - a walk from leg to leg.
 *
 * SPDX-License-Identifier: MIT
 *
 * This knows nothing of time.  Its results are what walk_code and its callers come to
 * branch by branch; where they would not be, it stops before the leg.
 */
#include "walker/flow_quick.h"

static const uint64_t kernel_start = UINT64_C(1) << 63;

void quick_store(struct flow *f, struct quick *q)
{
    const struct leg *leg = q->last;

    f->ip = q->ip;
    f->ninsn += q->insns;
    f->clk.insns += q->insns;
    f->sample_insns += q->insns;
    q->insns = 0;
    if (!leg)
        return;
    f->cls = leg->cls;
    f->branch = leg->branch;
    f->ilen = leg->len;
    f->rel = leg->rel;
    f->jumped_signature = false;
    f->bytes = f->place.code->bytes + f->place.legs->off + leg->end;
    q->last = NULL;
}

struct leg *quick_find(struct flow *f, struct quick *q)
{
    const struct place *p = &f->place;

    if (q->ip - p->start >= p->leg_len) {
        quick_store(f, q); /* q->last is in the place that is left */
        place_at(f, q->ip);
        if (q->ip - p->start >= p->leg_len)
            return NULL;
    }
    return leg_at(p->legs, (uint32_t)(q->ip - p->start));
}

static inline void push_calls(struct flow *f, const struct leg *leg)
{
    for (unsigned i = 0; i < leg->calls; i++)
        ret_push(&f->rets, f->place.start + leg->ret[i]);
}

static inline void quick_pass(struct flow *f, struct quick *q, const struct leg *leg)
{
    push_calls(f, leg);
    q->insns += leg->ninsn;
    q->last = leg;
}

/* The leg after leg when its branch is taken or not; NULL: off the map, or no memory.
 */
static struct leg *quick_link(struct flow *f, struct quick *q, struct leg *leg,
                              unsigned taken)
{
    uint64_t to = leg_to(leg, taken);
    q->ip = f->place.start + to;
    if (to >= f->place.leg_len)
        return NULL;
    leg->next[taken] = leg_at(f->place.legs, (uint32_t)to);
    return leg->next[taken];
}

/* Follows conditional branches, leg's first, for at most n > 0 bits, and says for how
 * many. */
static inline uint32_t quick_conds(struct flow *f, struct quick *q, struct leg *leg,
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
        if (!leg && !(leg = quick_link(f, q, last, taken)))
            break;
    } while (left && leg->branch == BRANCH_COND);
    if (leg)
        q->ip = f->place.start + leg->at;
    q->here = leg;
    q->last = last;
    q->insns = insns;
    return n - left;
}

/* The RET at the end of leg when its target is compressed to a taken bit. */
static inline bool quick_return(struct flow *f, struct quick *q, const struct leg *leg,
                                uint64_t bits)
{
    if (leg->cls != INSN_RET || !(bits >> 63) || !f->conf.ret_compression)
        return false;
    uint64_t from = f->place.start + leg->end;
    uint64_t to =
        leg->calls ? f->place.start + leg->ret[leg->calls - 1] : ret_peek(&f->rets);
    if (!to || (from >= kernel_start && to < kernel_start))
        return false;
    quick_pass(f, q, leg);
    ret_pop(&f->rets);
    q->ip = to;
    q->here = NULL;
    return true;
}

uint32_t quick_bits(struct flow *f, struct quick *q, uint64_t bits, uint32_t n)
{
    uint32_t used = 0;

    while (used < n) {
        struct leg *leg = quick_here(f, q);
        if (leg && leg->branch == BRANCH_COND)
            used += quick_conds(f, q, leg, bits << used, n - used);
        else if (leg && quick_return(f, q, leg, bits << used))
            used++;
        else
            break;
    }
    return used;
}

bool quick_indirect(struct flow *f, struct quick *q)
{
    const struct leg *leg = quick_here(f, q);
    if (!leg || leg->branch != BRANCH_INDIRECT)
        return false;
    quick_pass(f, q, leg);
    q->ip = f->place.start + leg->end;
    q->here = NULL;
    if (leg->cls == INSN_CALL)
        ret_push(&f->rets, q->ip + leg->len);
    else if (leg->cls == INSN_RET)
        f->ret_addr = ret_pop(&f->rets);
    return true;
}
