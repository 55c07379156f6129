/* quiet_run.c - the plainest packets, many in a row.
 *
 * SPDX-License-Identifier: MIT
 *
 * What quiet.c does for each packet, done with all that changes at hand: nothing of it is in
 * memory that somebody else looks at, so it stays in registers.  For who wants
 * branches each is told from its packet, in quiet.c; calls that cancel out are kept here, too.
 *
 *     flow, quiet_walk  --run_load-->  struct run  --run_store-->  flow, quiet_walk
 *                                       ^      |
 *                                       '------'  CYC, TNT, TIP
 *
 * Whatever is not plain ends the run, in front of its packet, and is for quiet.c; but a leg of
 * a TNT that is not plain is walked by legs_bits, and the run goes on.
 */
#include "walker/flow/quiet_run.h"

#include "walker/flow/switches.h"

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* While it lasts the clock does not move but by counted cycles: a mark (quiet_mark) is how many
 * there were, and what instructions.  That none was counted yet is seen by their number. */
struct run_mark {
    uint64_t count, changed;
};

struct run {
    const uint8_t *at, *end;
    uint8_t before;           /* as pt_fast.before */
    struct leg *leg;          /* here; NULL: look up ip */
    const struct stretch *in; /* of that leg */
    uint64_t ip;
    const struct leg *last; /* as in leg_walk */
    const struct stretch *last_in;
    uint64_t insns, budget, changed;
    uint64_t count, below;     /* cycles, and how many more may come ... */
    struct clock_later *later; /* ... NULL: it is known */
    const struct pt_clock *clock;
    uint64_t fresh_count; /* at the last branch behind a packet of time ... */
    bool fresh_told;      /* ... if there was one */
    bool fresh;           /* cycles are those of this packet */
    bool settled;         /* as in quiet_walk */
    bool is_said;         /* said is of this run; else it is quiet_walk.said */
    bool is_event;        /* the same of event ... */
    bool same;            /* ... and it is said */
    struct run_mark said, event;
    uint32_t moved; /* events */
};

/* --- Begin and end --- */

/* Whether the queue's time stays: then an event needs no more than a mark. */
static bool time_stays(const struct flow *f, const struct quiet_walk *w)
{
    const struct told_state *t = &f->told;

    if (!f->conf.want_times)
        return true;
    return (w->later.counted || f->in.s.clk.now <= t->tsc) &&
           (t->tsc < f->asked_tsc || t->tsc == t->told_tsc);
}

static bool run_may(const struct flow *f, const struct quiet_walk *w)
{
    return w->is_said && !(f->in.s.tx | f->out.ev.flags) && time_stays(f, w);
}

ALWAYS_INLINE void run_load(struct run *r, const struct flow *f, struct quiet_walk *w,
                            const struct pt_fast *q)
{
    const struct pt_clock *c = &f->in.s.clk;

    *r = (struct run){
        .at = q->at,
        .end = q->end,
        .before = q->before,
        .leg = w->legs.here,
        .in = w->legs.in,
        .ip = w->legs.ip,
        .last = w->legs.last,
        .last_in = w->legs.last_in,
        .insns = w->legs.insns,
        .budget = w->legs.budget,
        .changed = w->changed,
        .count = c->cyc_count,
        .later = &w->later,
        .clock = c,
        .fresh = c->cycles_fresh,
        .settled = w->settled,
    };
}

/* What legs.c looks at. */
ALWAYS_INLINE void run_store_legs(const struct run *r, struct leg_walk *q)
{
    q->here = r->leg;
    q->in = r->in;
    q->ip = r->ip;
    q->last = r->last;
    q->last_in = r->last_in;
    q->insns = r->insns;
}

ALWAYS_INLINE void run_load_legs(struct run *r, const struct leg_walk *q)
{
    r->leg = q->here;
    r->in = q->in;
    r->ip = q->ip;
    r->last = q->last;
    r->last_in = q->last_in;
    r->insns = q->insns;
}

/* Cycles for IPC when so many had been counted. */
static uint64_t cycles_at(const struct pt_reader *in, uint64_t count)
{
    return in->s.clk.cycles + (in->s.tracing ? count - in->s.clk.cyc_count : 0);
}

ALWAYS_INLINE struct quiet_mark
mark_of(const struct flow *f, const struct quiet_walk *w, const struct run_mark *m)
{
    bool counted = w->later.counted || m->count != f->in.s.clk.cyc_count;

    return (struct quiet_mark){f->in.s.clk.now, counted ? m->count : 0,
                               cycles_at(&f->in, m->count), m->changed};
}

ALWAYS_INLINE void run_store_events(const struct run *r, struct flow *f,
                                    struct quiet_walk *w)
{
    if (r->is_event)
        w->event = mark_of(f, w, r->same ? &r->said : &r->event);
    if (r->is_said)
        w->said = mark_of(f, w, &r->said);
    w->settled = r->settled;
    if (!r->moved)
        return;
    w->is_event = true;
    if (!f->conf.want_times)
        return;
    if (f->told.tsc < f->asked_tsc) {
        f->out.skipped += r->moved;
        return;
    }
    f->told.event_tsc = f->told.tsc;
    w->is_event = false;
}

ALWAYS_INLINE void run_store(const struct run *r, struct flow *f, struct quiet_walk *w,
                             struct pt_fast *q)
{
    struct pt_clock *c = &f->in.s.clk;

    run_store_events(r, f, w);
    if (r->fresh_told)
        f->told.sample_cycles = cycles_at(&f->in, r->fresh_count);
    run_store_legs(r, &w->legs);
    w->legs.budget = r->budget;
    w->changed = r->changed;
    if (r->count != c->cyc_count)
        w->later.counted = c->have_cyc = true;
    c->cycles = cycles_at(&f->in, r->count);
    c->cyc_count = r->count;
    c->cycles_fresh = r->fresh;
    q->at = r->at;
    q->before = r->before;
}

/* --- Packets --- */

ALWAYS_INLINE bool run_cyc(struct run *r, bool ticks)
{
    uint64_t cycles;

    /* Many a trace has no CYC, and to find it out takes a division. */
    if (__builtin_expect(r->later != NULL, 0)) {
        if ((*r->at & 3) != 3)
            return false;
        r->below = clock_later_left(r->later, r->clock);
        r->later = NULL;
    }
    unsigned n = fast_cyc(r->at, r->below, &cycles);

    if (!n || !cycles)
        return false;
    r->count += cycles;
    r->below -= cycles;
    r->fresh = true;
    r->settled = false;
    r->changed = r->insns;
    if (ticks)
        r->budget = r->insns + QUIET_INSNS_AHEAD - 2;
    r->at += n;
    r->before = PTS_PKT_CYC;
    return true;
}

ALWAYS_INLINE void run_event(struct run *r)
{
    r->is_said = r->is_event = r->same = true;
    r->said = (struct run_mark){r->count, r->changed};
    r->moved++;
}

/* As quiet_direct(). */
ALWAYS_INLINE void run_direct(struct run *r, struct quiet_walk *w)
{
    if (r->is_said)
        r->is_event = r->same = true;
    else
        w->event = w->said;
    r->moved++;
}

/* As quiet_events() of all outcomes of a packet. */
ALWAYS_INLINE void run_events(struct run *r, struct quiet_walk *w, bool event,
                              bool first, bool times)
{
    if (r->settled)
        return;
    if (__builtin_expect(first && (!event || times), 0))
        run_direct(r, w);
    if (event) {
        run_event(r);
        r->settled = true;
        return;
    }
    if (r->is_event && r->same)
        r->event = r->said;
    r->same = false;
    r->is_said = true;
    r->said = (struct run_mark){r->count, r->changed};
}

ALWAYS_INLINE void run_fresh(struct run *r, bool told)
{
    if (r->fresh && told) {
        r->fresh_count = r->count;
        r->fresh_told = true;
    }
    r->fresh = false;
}

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

/* Outcomes: left-aligned, with a 1 behind the last. */
static const uint64_t none_left = UINT64_C(1) << 63;

static uint32_t outcomes(uint64_t bits)
{
    return 63 - (uint32_t)__builtin_ctzll(bits);
}

/* Passes conditional branches without calls in front of them, the leg's at hand first, and leaves
 * the outcomes behind. */
ALWAYS_INLINE uint64_t run_conds(struct run *r, uint64_t bits)
{
    struct leg *leg = r->leg, *next;
    const struct leg *last = r->last;
    uint64_t insns = r->insns, then;

    while (bits != none_left && leg->branch == BRANCH_COND && !leg->calls) {
        then = insns + leg->ninsn;
        if (then >= r->budget || !(next = leg->next[bits >> 63]))
            break;
        insns = then;
        last = leg;
        leg = next;
        bits <<= 1;
    }
    r->leg = leg;
    r->last = last;
    r->last_in = r->in;
    r->insns = insns;
    return bits;
}

/* Passes a leg that has calls, or ends with a RET.  False: it is not plain, and was not passed. */
ALWAYS_INLINE bool run_leg(struct run *r, struct flow *f, uint64_t bits,
                           struct net_calls *net)
{
    struct leg *leg = r->leg, *next;
    uint64_t start = r->in->start;

    if (r->insns + leg->ninsn >= r->budget)
        return false;
    r->last_in = r->in;
    if (leg->branch == BRANCH_COND) {
        next = leg->next[bits >> 63];
        if (!next || !run_calls(r, &f->code.rets, leg))
            return false;
        if (net)
            net_leg(net, leg, start, r->in->mode);
    } else {
        if (leg->cls != INSN_RET || leg->calls || bits <= none_left ||
            !(next = run_ret(r, f)))
            return false;
        if (net)
            net_end(net, leg, start, f->code.rets.at[f->code.rets.top].ip);
    }
    r->insns += leg->ninsn;
    r->last = leg;
    r->leg = next;
    return true;
}

/* Follows outcomes and says which were not plain. */
ALWAYS_INLINE uint64_t run_outcomes(struct run *r, struct flow *f, uint64_t bits,
                                    struct net_calls *net)
{
    for (;;) {
        bits = run_conds(r, bits);
        if (bits == none_left || !run_leg(r, f, bits, net))
            return bits;
        bits <<= 1;
        if (bits == none_left)
            return bits;
    }
}

/* How many direct branches the legs of the first `count` outcomes pass, up to one that is
 * taken: behind that nobody asks. */
static unsigned direct_of(const struct leg *leg, uint64_t bits, uint32_t count)
{
    unsigned direct = 0;

    for (;; bits <<= 1) {
        direct += leg->direct;
        if (--count == 0 || bits >> 63)
            return direct;
        leg = leg->next[0];
    }
}

enum run_step {
    RUN_ON,
    RUN_ODD, /* the packet is not for here */
    RUN_PART /* a TNT was followed, but not to its end */
};

/* The outcomes `left` of a TNT's, of which the first leg is told if others were passed: leg by leg.
 * False: some are still left. */
ALWAYS_INLINE bool run_slow(struct run *r, struct flow *f, struct quiet_walk *w,
                            const struct leg *first, struct run_part *part,
                            uint64_t left)
{
    struct leg_walk *q = &w->legs;
    uint32_t count = outcomes(part->bits), passed = count - outcomes(left);

    run_store_legs(r, q);
    part->used = passed + legs_bits(f, q, left & (left - 1), outcomes(left));
    part->count = count;
    run_load_legs(r, q);
    if (first && passed) {
        q->direct += direct_of(first, part->bits, passed);
        q->first = first->direct;
    }
    return part->used == count;
}

ALWAYS_INLINE enum run_step run_tnt(struct run *r, struct flow *f, struct quiet_walk *w,
                                    struct run_part *part, struct net_calls *net)
{
    uint64_t bits, began = r->insns;
    unsigned size = fast_tnt(r->at, &bits);

    if (!size)
        return RUN_ODD;
    const struct leg *leg = run_here(r, f);
    uint64_t left = leg ? run_outcomes(r, f, bits, net) : bits;
    unsigned first = leg ? leg->direct : 0;
    bool event = bits & (bits - 1);
    if (__builtin_expect(left != none_left, 0)) {
        *part = (struct run_part){.bits = bits, .began = began};
        if (!run_slow(r, f, w, leg, part, left)) {
            part->bits = bits & (bits - 1);
            return RUN_PART;
        }
        event |= w->legs.direct > w->legs.first;
        first = w->legs.first;
    } else if (!event) {
        event = direct_of(leg, bits, outcomes(bits)) > first;
    }
    run_fresh(r, bits >> 63);
    run_events(r, w, event, first, f->conf.want_times);
    r->at += size;
    r->before = PTS_PKT_TNT;
    return RUN_ON;
}

/* The indirect branch at the end of a leg: what it does to the returns.  False: quiet.c is to
 * look. */
ALWAYS_INLINE bool run_indirect(struct run *r, struct flow *f, const struct leg *leg)
{
    struct ret_stack *s = &f->code.rets;

    if (leg->cls == INSN_RET)
        f->walk.ret_addr = ret_pop(s);
    if (leg->cls != INSN_CALL)
        return true;
    if (!leg->next[0])
        return false;
    ret_push_leg(
        s, (struct ret_entry){r->in->start + leg->end + leg->len, leg->next[0], r->in});
    return true;
}

ALWAYS_INLINE enum run_step run_tip(struct run *r, struct flow *f, struct quiet_walk *w,
                                    struct net_calls *net)
{
    struct pts_pkt pkt;

    if ((*r->at & 0x1f) != FAST_TIP_LEAD || pkt_ip(r->at, PTS_PKT_TIP, &pkt) < 0 ||
        !pkt.count)
        return RUN_ODD;
    const struct leg *leg = run_here(r, f);
    uint64_t to = pkt_full_ip(&pkt, f->in.s.last_ip);
    if (!leg || leg->branch != BRANCH_INDIRECT || leg->calls ||
        r->insns + leg->ninsn >= r->budget ||
        in_kernel(r->in->start) != in_kernel(to) || switches_at(f, to) ||
        !run_indirect(r, f, leg))
        return RUN_ODD;
    if (f->conf.want_times && leg->direct)
        run_direct(r, w);
    if (net && f->conf.want_classes >> leg->cls & 1)
        net_end(net, leg, r->in->start, to);
    r->insns += leg->ninsn;
    r->last = leg;
    r->last_in = r->in;
    r->leg = NULL;
    r->ip = f->in.s.last_ip = to;
    f->in.s.have_last_ip = true;
    run_fresh(r, true);
    if (!r->settled) {
        run_event(r);
        r->settled = true;
    }
    r->at += pkt.size;
    r->before = PTS_PKT_TIP;
    return RUN_ON;
}

ALWAYS_INLINE bool run_packets(struct flow *f, struct quiet_walk *w, struct pt_fast *q,
                               struct run_part *part, struct net_calls *net)
{
    bool ticks = f->conf.period_type == PERIOD_TICKS;
    enum run_step s = RUN_ON;
    struct run r;

    run_load(&r, f, w, q);
    while (s == RUN_ON && r.end - r.at >= PKT_WIDE && !(net && net_full(net))) {
        if (run_cyc(&r, ticks))
            continue;
        s = run_tnt(&r, f, w, part, net);
        if (s == RUN_ODD)
            s = run_tip(&r, f, w, net);
    }
    run_store(&r, f, w, q);
    return s == RUN_PART;
}

bool quiet_run(struct flow *f, struct quiet_walk *w, struct pt_fast *q,
               struct run_part *part)
{
    if (!run_may(f, w))
        return false;
    return f->net ? run_packets(f, w, q, part, f->net)
                  : run_packets(f, w, q, part, NULL);
}
