/* quiet_run_way.h - from leg to leg where nobody wants their conditional branches.
 *
 * SPDX-License-Identifier: MIT
 *
 * As quiet_run_legs.h, with all that legs change in a struct that stays in registers.  Nothing is called
 * here: what is at hand would have to be put away for it.
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_WAY_H
#define PTS_WALKER_QUIET_QUIET_RUN_WAY_H

#include "walker/quiet/quiet_run_tell.h"
#include "walker/flow/switches.h"

/* Outcomes: left-aligned, with a 1 behind the last. */
static const uint64_t none_left = UINT64_C(1) << 63;

static inline uint32_t outcomes(uint64_t bits)
{
    return 63 - (uint32_t)__builtin_ctzll(bits);
}

struct run_way {
    struct leg *leg;
    const struct leg *last;
    const struct stretch *in;
    const struct stretch
        *left; /* that of `last`, if it does not end with a conditional branch */
    uint64_t insns, limit;
    struct net_calls *net; /* as run_for.net */
    struct leg_log *log;   /* calls and returns are noted there; NULL: they are not */
    bool keeps;            /* as run_for.keeps ... */
    struct last_branches *kept; /* ... there, and its count */
    uint32_t noted;
};

ALWAYS_INLINE struct run_way run_way_from(const struct run *r, struct run_for who)
{
    enum { MOST = 1 << 30 }; /* outcomes of one packet have not so many instructions */
    const uint64_t most = r->insns + MOST;

    return (struct run_way){
        .leg = r->leg,
        .last = r->last,
        .in = r->in,
        .left = r->last_in,
        .insns = r->insns,
        .limit = r->budget < most ? r->budget : most,
        .net = who.net,
        .log = who.keeps ? NULL : who.log,
        .keeps = who.keeps,
        .kept = who.keeps ? who.last : NULL,
        .noted = who.keeps ? who.last->count : 0,
    };
}

ALWAYS_INLINE void run_way_to(struct run *r, const struct run_way *w,
                              struct run_for who)
{
    const bool some = w->insns != r->insns;

    if (who.keeps)
        who.last->count = w->noted;

    r->leg = w->leg;
    r->last = w->last;
    r->in = w->in;
    r->last_in = some && w->last->branch == BRANCH_COND ? w->in : w->left;
    r->insns = w->insns;
}

/* A leg, for a loop that is to have it in a register of its own. */
ALWAYS_INLINE struct leg *at_hand(struct leg *leg)
{
    __asm__("" : "+r"(leg));
    return leg;
}

/* A leg of a conditional branch is passed, where last branches are kept.  Whether one was taken cannot be
 * foreseen, so the place is written in any case. */
ALWAYS_INLINE uint32_t way_note(const struct run_way *w, const struct leg *leg,
                                uint64_t taken, uint32_t noted)
{
    struct last_leg *at = last_at(w->kept, noted);

    at->leg = (uintptr_t)leg + (LAST_DIRECT + taken);
    at->in = w->in;
    return noted + ((uint32_t)taken | (leg->direct > 0));
}

/* The same of one that ends otherwise. */
ALWAYS_INLINE void way_note_to(struct run_way *w, const struct leg *leg, uint64_t to)
{
    *last_at(w->kept, w->noted++) =
        (struct last_leg){(uintptr_t)leg | LAST_DIRECT | LAST_END, w->in, to};
}

/* The same of one that is told: its calls, or where it leads. */
ALWAYS_INLINE void way_log(const struct run_way *w, const struct stretch *in,
                           uint64_t to)
{
    log_note(w->log, &(struct leg_passed){w->leg, in, w->insns, to});
}

/* Passes conditional branches without calls in front of them, and leaves the outcomes behind. */
ALWAYS_INLINE uint64_t way_flat(struct run_way *w, uint64_t bits)
{
    struct leg *leg = at_hand(w->leg), *next;
    const struct leg *last = w->last;
    uint64_t insns = w->insns, then;
    uint32_t noted = w->noted;

    while (bits << 1 && (then = insns + leg->length) < w->limit &&
           (next = leg_seen(&leg->next[bits >> 63]))) {
        if (w->keeps)
            noted = way_note(w, leg, bits >> 63, noted);
        insns = then;
        last = leg;
        leg = next;
        bits <<= 1;
    }
    w->leg = at_hand(leg);
    w->last = last;
    w->insns = insns;
    w->noted = noted;
    return bits;
}

/* The call that returns, if it is known to which leg it does; NULL: it is not plain. */
ALWAYS_INLINE const struct ret_entry *way_back(const struct stretch *in,
                                               const struct flow *f)
{
    const struct ret_stack *s = &f->code.rets;

    if (s->count <= s->stale)
        return NULL;
    const struct ret_entry *e = &s->at[s->count - 1];
    return e->leg && in_kernel(in->start) == in_kernel(e->ip) && !switches_at(f, e->ip)
               ? e
               : NULL;
}

/* Where the return at the end of a leg leads that passes no call; NULL: it is not plain. */
ALWAYS_INLINE struct leg *way_ret(struct run_way *w, struct flow *f)
{
    const struct ret_entry *e = way_back(w->in, f);

    if (!e)
        return NULL;
    if (w->net)
        net_end(w->net, w->leg, w->in->start, e->ip);
    if (w->keeps)
        way_note_to(w, w->leg, e->ip);
    if (w->log && f->conf.want_classes >> INSN_RET & 1)
        way_log(w, w->in, e->ip);
    w->left = w->in;
    w->in = e->in;
    ret_drop(&f->code.rets);
    return e->leg;
}

/* A call, where there is room. */
ALWAYS_INLINE void way_push(struct ret_stack *s, const struct stretch *in, uint32_t ret,
                            struct leg *back)
{
    struct ret_entry *e = &s->at[s->count++];

    e->ip = in->start + ret;
    e->leg = back;
    e->in = in;
}

/* Where a conditional branch behind one call leads. */
ALWAYS_INLINE struct leg *way_call(const struct run_way *w, struct flow *f,
                                   const struct leg *leg, uint64_t bits)
{
    struct ret_stack *s = &f->code.rets;
    struct leg *next = leg_seen(&leg->next[bits >> 63]), *back = leg_seen(&leg->back);

    if (!next || !back || s->count == s->size)
        return NULL;
    way_push(s, w->in, back->at, back);
    if (w->net)
        net_leg(w->net, leg, w->in->start, w->in->mode);
    return next;
}

/* All calls that a leg passes, if there is room and it is known where each returns to. */
ALWAYS_INLINE bool way_push_all(struct ret_stack *s, const struct stretch *in,
                                const struct leg *leg)
{
    const struct leg_pass *c = leg->pass, *end = c + leg->direct;

    if (s->size - s->count < leg->calls)
        return false;
    for (; c < end; c++)
        if (c->call && c->rel && !leg_seen(&c->back))
            return false;
    for (c = leg->pass; c < end; c++)
        if (c->call && c->rel)
            way_push(s, in, c->ret, leg_seen(&c->back));
    return true;
}

/* The same behind several. */
ALWAYS_INLINE struct leg *way_calls(const struct run_way *w, struct flow *f,
                                    const struct leg *leg, uint64_t bits)
{
    struct leg *next = leg_seen(&leg->next[bits >> 63]);

    if (leg->branch != BRANCH_COND || !next || !way_push_all(&f->code.rets, w->in, leg))
        return NULL;
    if (w->net)
        net_leg(w->net, leg, w->in->start, w->in->mode);
    return next;
}

/* A leg with calls, or a return.  False: it is not plain, and was not passed. */
ALWAYS_INLINE bool way_odd(struct run_way *w, struct flow *f, uint64_t bits)
{
    struct leg *leg = w->leg, *next;
    const uint64_t then = w->insns + leg_ninsn(leg);

    if (then >= w->limit)
        return false;
    if (leg->push > 0)
        next = way_call(w, f, leg, bits);
    else if (leg->push)
        next = bits >> 63 ? way_ret(w, f) : NULL;
    else
        next = way_calls(w, f, leg, bits);
    if (!next)
        return false;
    if (w->keeps && leg->push >= 0)
        w->noted = way_note(w, leg, bits >> 63, w->noted);
    if (w->log && leg->push >= 0)
        way_log(w, w->in, 0);
    w->last = leg;
    w->insns = then;
    w->leg = next;
    return true;
}

/* What the indirect branch at the end of a leg, and the calls that it passes, do to the returns.  False: it
 * is not plain, and nothing was done. */
ALWAYS_INLINE bool way_indirect(const struct stretch *in, struct flow *f,
                                const struct leg *leg)
{
    struct ret_stack *s = &f->code.rets;

    if (leg->cls == INSN_CALL &&
        (!leg_seen(&leg->next[0]) || s->size - s->count < leg->calls + UINT32_C(1)))
        return false;
    if (leg->cls == INSN_RET && !leg->calls && !s->count)
        return false;
    if (leg->calls && !way_push_all(s, in, leg))
        return false;
    if (leg->cls == INSN_RET)
        f->walk.ret_addr = ret_pop(s);
    if (leg->cls == INSN_CALL)
        way_push(s, in, leg->end + leg->len, leg_seen(&leg->next[0]));
    return true;
}

/* A leg with an indirect branch at its end was passed. */
ALWAYS_INLINE void way_passed(struct run_way *w, const struct leg *leg)
{
    w->insns += leg_ninsn(leg);
    w->last = leg;
    w->left = w->in;
}

/* Leaves the outcomes behind that were not plain. */
ALWAYS_INLINE uint64_t way_on(struct run_way *w, struct flow *f, uint64_t bits)
{
    for (;;) {
        bits = way_flat(w, bits);
        if (bits == none_left || !way_odd(w, f, bits))
            return bits;
        bits <<= 1;
    }
}

ALWAYS_INLINE uint64_t run_way(struct run *r, struct flow *f, struct run_for who,
                               uint64_t bits)
{
    struct run_way w = run_way_from(r, who);

    bits = way_on(&w, f, bits);
    run_way_to(r, &w, who);
    return bits;
}

#endif
