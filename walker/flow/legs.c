/* legs.c - a walk from leg to leg.
 *
 * SPDX-License-Identifier: MIT
 *
 * This knows nothing of time.  Its results are what walk_code and its callers come to
 * branch by branch; where they would not be, it stops before the leg (I7).
 */
#include "walker/flow/legs.h"

#include "decoder/base/arena.h"
#include "walker/flow/stretch.h"
#include "walker/flow/switches.h"

/* Many queues are short, or go through little code. */
enum {
    STRETCHES_FIRST = 4,
    STRETCHES_MOST = 64,
    PLACE_BITS_FIRST = 6,
    PLACE_BITS_MOST = 13,
    MISSED_MOST = 4 /* for each place, until there are more */
};

static bool more_stretches(struct stretches *k)
{
    uint32_t room = k->room ? k->room * 2 : STRETCHES_FIRST;

    if (room <= STRETCHES_MOST) {
        struct stretch *at = mem_resize(NULL, room, sizeof(*at));
        if (!at)
            return false;
        mem_free(k->at);
        k->at = at;
        k->room = room;
    }
    k->count = 0;
    k->age++;
    return true;
}

static bool more_places(struct stretches *k)
{
    uint32_t bits = k->place ? k->bits + 1 : PLACE_BITS_FIRST;
    struct leg_place *place = mem_zalloc((size_t)1 << bits, sizeof(*place));

    if (!place)
        return false;
    mem_free(k->place);
    k->place = place;
    k->bits = bits;
    k->missed = 0;
    k->age++; /* not 0 */
    return true;
}

bool legs_load(struct flow *f, struct leg_walk *q)
{
    struct stretches *k = &f->code.known;
    bool few =
        !k->place || (k->bits < PLACE_BITS_MOST && k->missed >> k->bits >= MISSED_MOST);

    *q = (struct leg_walk){.ip = f->walk.ip, .budget = UINT64_MAX};
    if (k->count == k->room) {
        last_told(f);
        ret_forget_legs(&f->code.rets);
    }
    if ((k->count == k->room && !more_stretches(k)) || (few && !more_places(k))) {
        f->out.no_memory = true;
        return false;
    }
    return true;
}

void legs_free(struct flow *f)
{
    mem_free(f->code.known.at);
    mem_free(f->code.known.place);
}

/* What a walk would have left behind. */
void legs_store(struct flow *f, const struct leg_walk *q)
{
    const struct leg *leg = q->last;

    f->walk.ip = legs_ip(q);
    if (!leg)
        return;
    f->walk.cls = leg->cls;
    f->walk.branch = leg->branch;
    f->walk.ilen = leg->len;
    f->walk.rel = leg->rel;
    f->walk.jumped_signature = false;
    f->walk.bytes = stretch_bytes(f, q->last_in, q->last_in->legs->off + leg->end,
                                  leg->len, leg->timed);
}

/* --- Where legs are --- */

/* The stretch with ip, kept until the maps or the mode may have changed. */
static const struct stretch *known_stretch(struct flow *f, uint64_t ip)
{
    struct stretches *k = &f->code.known;

    if (!stretch_at(f, ip) || ip - f->code.at.start >= f->code.at.leg_len)
        return NULL;
    for (uint32_t i = 0; i < k->count; i++)
        if (k->at[i].start == f->code.at.start)
            return &k->at[i];
    if (k->count == k->room)
        return NULL; /* those there are in use: room is made by legs_load */
    k->at[k->count] = f->code.at;
    return &k->at[k->count++];
}

struct leg *legs_find(struct flow *f, struct leg_walk *q)
{
    struct leg_place *p = leg_place_of(&f->code.known, q->ip);

    if (p->ip == q->ip && p->age == f->code.known.age) {
        q->in = p->in;
        return q->here = p->leg;
    }
    q->in = known_stretch(f, q->ip);
    if (!q->in)
        return NULL;
    q->here = leg_at(q->in->legs, (uint32_t)(q->ip - q->in->start), q->in->epoch);
    /* One that holds for a while only may have been made anew when it is asked for again. */
    if (q->here && !q->here->timed)
        *p = (struct leg_place){q->ip, q->here, q->in, f->code.known.age};
    f->code.known.missed++;
    return q->here;
}

/* --- Walking --- */

/* Few ask for it, and the walk has no register to spare. */
static __attribute__((noinline)) void
legs_note(struct leg_walk *q, const struct leg *leg, uint64_t insns, uint64_t to)
{
    q->log->at[q->log->count++] = (struct leg_passed){leg, q->in, insns, to};
}

/* The leg at a place of the same map, found for a call that will return there. */
static __attribute__((noinline)) struct leg *legs_back(struct leg_walk *q, uint64_t at)
{
    struct leg *leg =
        at < q->in->leg_len ? leg_at(q->in->legs, (uint32_t)at, q->in->epoch) : NULL;
    return leg && !leg->timed ? leg : NULL;
}

/* The direct branches that leg passes; insns were walked before it. */
static inline void legs_direct(struct flow *f, struct leg_walk *q, struct leg *leg,
                               uint64_t insns)
{
    for (unsigned i = 0; leg->calls && i < leg->direct; i++) {
        struct leg_pass *c = &leg->pass[i];
        if (!c->call || !c->rel)
            continue;
        struct leg *back = leg_seen(&c->back);
        if (!back && (back = legs_back(q, c->ret)))
            leg_returns(leg, c, back);
        ret_push_leg(&f->code.rets,
                     (struct ret_entry){q->in->start + c->ret, back, q->in});
    }
    if (q->net)
        net_leg(q->net, leg, q->in->start, q->in->mode);
    else if (q->log)
        legs_note(q, leg, insns, 0);
}

static inline void legs_pass(struct flow *f, struct leg_walk *q, struct leg *leg)
{
    if (leg->calls || (q->all && leg->direct))
        legs_direct(f, q, leg, q->insns);
    q->insns += leg_ninsn(leg);
    q->last = leg;
    q->last_in = q->in;
    q->direct += leg->direct;
}

/* The leg after leg when its branch is taken or not; NULL: off the map, or no memory.
 * Links are filled in once and never change (I3): from the second time on, a leg
 * leads to the next without a look-up.  To one that holds for a while only there is none. */
static struct leg *legs_link(struct leg_walk *q, struct leg *leg, unsigned taken)
{
    uint64_t to = leg_to(leg, taken), ip = q->in->start + to;
    q->ip = ild_is_64(q->in->mode) ? ip : (uint32_t)ip;
    if (to >= q->in->leg_len)
        return NULL;
    struct leg *next = leg_at(q->in->legs, (uint32_t)to, q->in->epoch);
    if (next && !next->timed)
        leg_link(&leg->next[taken], next);
    return next;
}

/* Follows conditional branches, leg's first, for at most n > 0 bits, and says for how
 * many. */
static inline uint32_t legs_conds(struct flow *f, struct leg_walk *q, struct leg *leg,
                                  uint64_t bits, uint32_t n, bool all)
{
    uint64_t insns = q->insns;
    uint32_t left = n;
    const struct leg *last = q->last;
    unsigned direct = 0;

    do {
        unsigned taken = (unsigned)(bits >> 63);
        if (insns + leg_ninsn(leg) >= q->budget)
            break;
        if (leg->calls || (all && leg->direct))
            legs_direct(f, q, leg, insns);
        if (all && taken)
            legs_note(q, leg, insns, legs_taken(q->in, leg));
        insns += leg_ninsn(leg);
        direct += leg->direct;
        bits <<= 1;
        left--;
        last = leg;
        leg = leg_seen(&leg->next[taken]);
        if (!leg && !(leg = legs_link(q, (struct leg *)(uintptr_t)last, taken)))
            break;
    } while (left && leg->branch == BRANCH_COND);
    q->here = leg;
    q->last = last;
    if (left < n) /* else the last one may be of another stretch */
        q->last_in = q->in;
    q->insns = insns;
    q->direct += direct;
    return n - left;
}

/* Where a return at the end of leg goes; 0: it is not known. */
static inline uint64_t legs_ret(struct flow *f, const struct leg_walk *q,
                                const struct leg *leg)
{
    for (unsigned i = leg->calls ? leg->direct : 0; i-- > 0;)
        if (leg->pass[i].call && leg->pass[i].rel)
            return q->in->start + leg->pass[i].ret;
    return ret_peek(&f->code.rets);
}

/* Execution is where the call came from that returns now. */
static inline void legs_go_back(struct flow *f, struct leg_walk *q)
{
    struct ret_stack *rets = &f->code.rets;
    const struct ret_entry *e = ret_top(rets);

    ret_drop(rets);
    q->ip = e->ip;
    q->here = rets->count >= rets->stale ? e->leg : NULL;
    if (q->here)
        q->in = e->in;
    else if (rets->stale > rets->count)
        rets->stale = rets->count;
}

/* The RET at the end of leg when its target is compressed to a taken bit. */
static inline bool legs_return(struct flow *f, struct leg_walk *q, struct leg *leg,
                               uint64_t bits)
{
    if (leg->cls != INSN_RET || !(bits >> 63) || !f->conf.ret_compression)
        return false;
    uint64_t from = q->in->start + leg->end, to = legs_ret(f, q, leg);
    if (!to || (in_kernel(from) && !in_kernel(to)) || switches_at(f, to) ||
        q->insns + leg_ninsn(leg) >= q->budget)
        return false;
    legs_pass(f, q, leg);
    if (q->net)
        net_end(q->net, leg, q->in->start, to);
    else if (q->log)
        legs_note(q, leg, q->insns - leg_ninsn(leg), to);
    if (to == ret_peek(&f->code.rets))
        legs_go_back(f, q);
    else
        legs_go(q, to);
    return true;
}

uint32_t legs_bits(struct flow *f, struct leg_walk *q, uint64_t bits, uint32_t n)
{
    uint32_t used = 0, some;

    q->first = q->direct = 0;
    while (used < n) {
        struct leg *leg = legs_here(f, q);
        if (leg && !used)
            q->first = leg->direct;
        if (leg && leg->branch == BRANCH_COND)
            some = q->all ? legs_conds(f, q, leg, bits << used, n - used, true)
                          : legs_conds(f, q, leg, bits << used, n - used, false);
        else
            some = leg && legs_return(f, q, leg, bits << used);
        if (!some)
            break;
        used += some;
    }
    return used;
}

/* No outcome leads on from such a leg: its link is to where the call returns to. */
static inline void legs_call_indirect(struct flow *f, struct leg_walk *q,
                                      struct leg *leg)
{
    struct leg *back = leg_seen(&leg->next[0]);
    if (!back && !leg->timed && (back = legs_back(q, leg_to(leg, 0))))
        leg_link(&leg->next[0], back);
    ret_push_leg(&f->code.rets, (struct ret_entry){q->ip + leg->len, back, q->in});
}

bool legs_indirect(struct flow *f, struct leg_walk *q)
{
    struct leg *leg = legs_here(f, q);
    if (!leg || leg->branch != BRANCH_INDIRECT ||
        q->insns + leg_ninsn(leg) >= q->budget)
        return false;
    legs_pass(f, q, leg);
    legs_go(q, q->in->start + leg->end);
    if (leg->cls == INSN_CALL)
        legs_call_indirect(f, q, leg);
    else if (leg->cls == INSN_RET)
        f->walk.ret_addr = ret_pop(&f->code.rets);
    return true;
}
