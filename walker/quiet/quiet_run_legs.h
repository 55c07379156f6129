/* quiet_run_legs.h - from leg to leg in a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * As legs.c, where nothing has to be looked up; branches that are wanted are noted.
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_LEGS_H
#define PTS_WALKER_QUIET_QUIET_RUN_LEGS_H

#include "walker/quiet/quiet_run_way.h"

/* The leg at an address, and its stretch; NULL: legs.c is to look. */
ALWAYS_INLINE struct leg *known_leg(const struct flow *f, uint64_t ip,
                                    const struct stretch **in)
{
    const struct leg_place *p = leg_place_of(&f->code.known, ip);

    if (p->ip != ip || p->age != f->code.known.age)
        return NULL;
    *in = p->in;
    return p->leg;
}

/* That where execution is. */
ALWAYS_INLINE struct leg *run_here(struct run *r, const struct flow *f)
{
    if (!r->leg)
        r->leg = known_leg(f, r->ip, &r->in);
    return r->leg;
}

/* Where a compressed RET leads; NULL: not known here. */
ALWAYS_INLINE struct leg *run_ret(struct run *r, struct flow *f)
{
    const struct ret_entry *e = f->conf.ret_compression ? way_back(r->in, f) : NULL;

    if (!e)
        return NULL;
    ret_drop(&f->code.rets);
    r->in = e->in;
    return e->leg;
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
        switches_at(f, r->in->start + call->ret) || !way_push_all(s, r->in, leg))
        return NULL;
    struct leg *back = ret_top(s)->leg;
    ret_drop(s);
    return back;
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
        if (then >= r->budget || !(next = leg_seen(&leg->next[bits >> 63])))
            break;
        if (who.log && who.all && leg->direct)
            run_note(r, who.log, leg, insns, 0);
        if (who.log && who.all && bits >> 63)
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
        next = leg_seen(&leg->next[bits >> 63]);
        if (!next || !way_push_all(&f->code.rets, in, leg))
            return false;
        if (who.net)
            net_leg(who.net, leg, start, in->mode);
        if (who.log)
            run_note(r, who.log, leg, r->insns, 0);
        if (who.log && who.all && bits >> 63)
            run_note(r, who.log, leg, r->insns, legs_taken(in, leg));
    } else {
        if (leg->cls != INSN_RET || bits <= none_left)
            return false;
        next = leg->calls ? run_ret_called(r, f, leg) : run_ret(r, f);
        if (!next)
            return false;
        const uint64_t to = f->code.rets.at[f->code.rets.count].ip;
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

/* Follows outcomes and says which were not plain. */
ALWAYS_INLINE uint64_t run_outcomes(struct run *r, struct flow *f, struct run_for who,
                                    uint64_t bits)
{
    if (!who.log && f->conf.ret_compression) {
        bits = run_way(r, f, who, bits);
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
        leg = leg_seen(&leg->next[0]);
    }
}

/* Whether a TNT is an event that was followed from `first` on: of a branch that was taken, or a direct one
 * behind the first outcome. */
static inline bool tnt_is_event(const struct leg *first, uint64_t bits)
{
    return bits & (bits - 1) || direct_of(first, bits, outcomes(bits)) > first->direct;
}

#endif
