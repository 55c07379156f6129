/* quiet_run_legs.h - from leg to leg in a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * As legs.c, where nothing has to be looked up; branches that are wanted are noted.
 */
#ifndef PTS_WALKER_FLOW_QUIET_RUN_LEGS_H
#define PTS_WALKER_FLOW_QUIET_RUN_LEGS_H

#include "walker/flow/quiet_run_tell.h"
#include "walker/flow/switches.h"

/* The leg where execution is; NULL: legs.c is to look. */
ALWAYS_INLINE struct leg *run_here(struct run *r, const struct flow *f)
{
    if (r->leg)
        return r->leg;
    const struct leg_place *p = leg_place_of(&f->code.known, r->ip);
    if (p->ip == r->ip && p->age == f->code.known.age) {
        r->in = p->in;
        r->leg = p->leg;
    }
    return r->leg;
}

/* Where a compressed RET leads; NULL: not known here. */
ALWAYS_INLINE struct leg *run_ret(struct run *r, struct flow *f)
{
    struct ret_stack *s = &f->code.rets;
    const struct ret_entry *e;

    if (!s->count || s->count - 1 < s->stale || !(e = ret_top(s))->leg ||
        in_kernel(r->in->start) != in_kernel(e->ip) || switches_at(f, e->ip) ||
        !f->conf.ret_compression)
        return NULL;
    ret_drop(s);
    r->in = e->in;
    return e->leg;
}

/* What the calls push that a leg passes, where it is known to which leg each of them returns. */
ALWAYS_INLINE bool run_calls(const struct run *r, struct ret_stack *s,
                             const struct leg *leg)
{
    const struct leg_pass *c = leg->pass, *end = c + leg->direct;

    for (; c < end; c++)
        if (c->call && c->rel && !c->back)
            return false;
    for (c = leg->pass; c < end; c++)
        if (c->call && c->rel)
            ret_push_leg(s, (struct ret_entry){r->in->start + c->ret, c->back, r->in});
    return true;
}

/* The last call that a leg passes from which anybody returns; NULL: there is none. */
static inline const struct leg_pass *last_call(const struct leg *leg)
{
    for (unsigned i = leg->direct; i-- > 0;)
        if (leg->pass[i].call && leg->pass[i].rel)
            return &leg->pass[i];
    return NULL;
}

/* The same of a leg that passes calls: its RET is that of the last one. */
ALWAYS_INLINE struct leg *run_ret_called(struct run *r, struct flow *f,
                                         const struct leg *leg)
{
    struct ret_stack *s = &f->code.rets;
    const struct leg_pass *call = last_call(leg);

    if (!f->conf.ret_compression || s->count < s->stale || !call ||
        switches_at(f, r->in->start + call->ret) || !run_calls(r, s, leg))
        return NULL;
    struct leg *back = ret_top(s)->leg;
    ret_drop(s);
    return back;
}

/* Outcomes: left-aligned, with a 1 behind the last. */
static const uint64_t none_left = UINT64_C(1) << 63;

static inline uint32_t outcomes(uint64_t bits)
{
    return 63 - (uint32_t)__builtin_ctzll(bits);
}

/* Passes conditional branches without calls in front of them, the leg's at hand first, and leaves
 * the outcomes behind. */
ALWAYS_INLINE uint64_t run_conds(struct run *r, struct run_for who, uint64_t bits)
{
    struct leg *leg = r->leg, *next;
    const struct leg *last = r->last;
    uint64_t insns = r->insns, then;

    while (bits != none_left && leg->branch == BRANCH_COND && !leg->calls) {
        then = insns + leg_ninsn(leg);
        if (then >= r->budget || !(next = leg->next[bits >> 63]))
            break;
        if (who.all && leg->direct)
            run_note(r, who.log, leg, insns, 0);
        if (who.all && bits >> 63)
            run_note(r, who.log, leg, insns, legs_taken(r->in, leg));
        insns = then;
        last = leg;
        leg = next;
        bits <<= 1;
    }
    r->leg = leg;
    r->last = last;
    if (insns != r->insns) /* else the last one may be of another stretch */
        r->last_in = r->in;
    r->insns = insns;
    return bits;
}

/* Passes a leg that has calls, or ends with a RET.  False: it is not plain, and was not passed. */
ALWAYS_INLINE bool run_leg(struct run *r, struct flow *f, struct run_for who,
                           uint64_t bits)
{
    struct leg *leg = r->leg, *next;
    const struct stretch *in = r->in;
    uint64_t start = in->start;

    if (r->insns + leg_ninsn(leg) >= r->budget)
        return false;
    if (leg->branch == BRANCH_COND) {
        next = leg->next[bits >> 63];
        if (!next || !run_calls(r, &f->code.rets, leg))
            return false;
        if (who.net)
            net_leg(who.net, leg, start, in->mode);
        if (who.log)
            run_note(r, who.log, leg, r->insns, 0);
        if (who.all && bits >> 63)
            run_note(r, who.log, leg, r->insns, legs_taken(in, leg));
    } else {
        if (leg->cls != INSN_RET || bits <= none_left)
            return false;
        next = leg->calls ? run_ret_called(r, f, leg) : run_ret(r, f);
        if (!next)
            return false;
        const uint64_t to = f->code.rets.at[f->code.rets.top].ip;
        if (who.net && leg->calls)
            net_leg(who.net, leg, start, in->mode);
        if (who.net)
            net_end(who.net, leg, start, to);
        if (who.log && (leg->calls || (who.all && leg->direct)))
            log_note(who.log, &(struct leg_passed){leg, in, r->insns, 0});
        if (who.log)
            log_note(who.log, &(struct leg_passed){leg, in, r->insns, to});
    }
    r->insns += leg_ninsn(leg);
    r->last = leg;
    r->last_in = in;
    r->leg = next;
    return true;
}

/* All of it that legs change, where nobody wants their branches. */
struct run_way {
    struct leg *leg;
    const struct leg *last;
    const struct stretch *in, *last_in;
    uint64_t insns, limit;
};

/* Passes conditional branches without calls in front of them, and leaves the outcomes behind. */
ALWAYS_INLINE uint64_t way_flat(struct run_way *w, uint64_t bits)
{
    struct leg *leg = w->leg, *next;
    const struct leg *last = w->last;
    uint64_t insns = w->insns, then, began = bits;

    while (bits << 1 && (then = insns + leg->length) < w->limit &&
           (next = leg->next[bits >> 63])) {
        insns = then;
        last = leg;
        leg = next;
        bits <<= 1;
    }
    if (bits != began)
        w->last_in = w->in;
    w->leg = leg;
    w->last = last;
    w->insns = insns;
    return bits;
}

/* A leg with one call, or a return.  False: it is not plain, and was not passed. */
ALWAYS_INLINE bool way_odd(struct run_way *w, struct flow *f, uint64_t bits)
{
    struct ret_stack *s = &f->code.rets;
    struct leg *leg = w->leg, *next;
    const struct stretch *in = w->in;

    if (w->insns + leg_ninsn(leg) >= w->limit)
        return false;
    if (leg->push > 0) {
        next = leg->next[bits >> 63];
        if (!next || s->count == s->size)
            return false;
        s->at[s->top] = (struct ret_entry){in->start + leg->back->at, leg->back, in};
        s->top = (s->top + 1) & (s->size - 1);
        s->count++;
    } else {
        if (!leg->push || bits <= none_left || s->count <= s->stale)
            return false;
        const uint32_t top = (s->top - 1) & (s->size - 1);
        const struct ret_entry *e = &s->at[top];
        next = e->leg;
        if (!next || in_kernel(in->start) != in_kernel(e->ip) || switches_at(f, e->ip))
            return false;
        w->in = e->in;
        s->top = top;
        s->count--;
    }
    w->last = leg;
    w->last_in = in;
    w->insns += leg_ninsn(leg);
    w->leg = next;
    return true;
}

ALWAYS_INLINE uint64_t run_way(struct run *r, struct flow *f, uint64_t bits)
{
    enum { MOST = 1 << 30 }; /* outcomes of one packet have not so many instructions */
    struct run_way w = {r->leg, r->last, r->in, r->last_in, r->insns, r->insns + MOST};

    if (r->budget < w.limit)
        w.limit = r->budget;

    for (;;) {
        bits = way_flat(&w, bits);
        if (bits == none_left || !way_odd(&w, f, bits))
            break;
        bits <<= 1;
    }
    r->leg = w.leg;
    r->last = w.last;
    r->in = w.in;
    r->last_in = w.last_in;
    r->insns = w.insns;
    return bits;
}

/* Follows outcomes and says which were not plain. */
ALWAYS_INLINE uint64_t run_outcomes(struct run *r, struct flow *f, struct run_for who,
                                    uint64_t bits)
{
    if (!who.log && !who.net && f->conf.ret_compression) {
        bits = run_way(r, f, bits);
        if (bits == none_left)
            return bits;
    }
    for (;;) {
        bits = run_conds(r, who, bits);
        if (bits == none_left || !run_leg(r, f, who, bits))
            return bits;
        bits <<= 1;
        if (bits == none_left)
            return bits;
    }
}

/* How many direct branches the legs of the first `count` outcomes pass, up to one that is
 * taken: behind that nobody asks. */
static inline unsigned direct_of(const struct leg *leg, uint64_t bits, uint32_t count)
{
    unsigned direct = 0;

    for (;; bits <<= 1) {
        direct += leg->direct;
        if (--count == 0 || bits >> 63)
            return direct;
        leg = leg->next[0];
    }
}

/* The indirect branch at the end of a leg: what it does to the returns.  False: quiet.c is to
 * look. */
ALWAYS_INLINE bool run_indirect(struct run *r, struct flow *f, const struct leg *leg)
{
    struct ret_stack *s = &f->code.rets;

    if ((leg->cls == INSN_CALL && !leg->next[0]) ||
        (leg->calls && !run_calls(r, s, leg)))
        return false;
    if (leg->cls == INSN_RET)
        f->walk.ret_addr = ret_pop(s);
    if (leg->cls != INSN_CALL)
        return true;
    ret_push_leg(
        s, (struct ret_entry){r->in->start + leg->end + leg->len, leg->next[0], r->in});
    return true;
}

#endif
