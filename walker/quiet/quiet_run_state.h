/* quiet_run_state.h - all that changes in a run.
 *
 * SPDX-License-Identifier: MIT
 *
 *     flow, quiet_walk  --run_load-->  struct run  --run_store-->  flow, quiet_walk
 *
 * It is that of one function, so that it stays in registers: all here is inlined there.
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_STATE_H
#define PTS_WALKER_QUIET_QUIET_RUN_STATE_H

#include "decoder/pt/fast.h"
#include "walker/quiet/quiet_walk.h"

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
    uint64_t count, below; /* cycles, and how many more may come ... */
    bool below_known;      /* ... which nobody asks for where there is no CYC */
    uint64_t fresh_count;  /* at the last branch behind a packet of time ... */
    bool fresh_told;       /* ... if there was one */
    bool fresh;            /* cycles are those of this packet */
    bool samples;          /* instructions that are counted off may be told */
    bool settled;          /* as in quiet_walk */
    bool is_said;          /* said is of this run; else it is quiet_walk.said */
    bool is_event;         /* the same of event ... */
    bool same;             /* ... and it is said */
    struct run_mark said, event;
    uint32_t moved;     /* events */
    bool times;         /* as run_for.times */
    bool late;          /* ... and they wait until the run is over ... */
    uint32_t late_room; /* ... where so many have room */
};

/* What it is for: constant where a run is inlined. */
struct run_for {
    bool quick;                 /* no code is followed */
    bool times;                 /* quiet_walk.times */
    struct net_calls *net;      /* calls that do not cancel out; NULL: nobody does */
    struct leg_log *log;        /* branches that are told; NULL: none are */
    bool all;                   /* ... and not only calls and returns */
    struct last_branches *last; /* ... or kept; NULL: they are told */
    bool keeps;                 /* here, without a log */
    bool plain;                 /* what is told needs neither times nor cycles */
    bool
        no_cyc; /* none came so far: then few TNTs are full, and many a TIP is put off */
};

/* A TNT that is followed. */
struct run_tnt {
    uint64_t bits, left;     /* its outcomes, and those that were not plain */
    const struct leg *first; /* where they began; NULL: legs.c is to look */
    uint64_t began;          /* run.insns there */
    unsigned size;           /* 0: it was not begun */
    bool behind; /* what is left is behind a TIP that was put off: the packet at hand */
};

/* --- Whether there may be a run --- */

/* Whether the queue's time stays before the one that was asked for: then an event needs no more than
 * a mark.  Cycles are counted only while they do not reach that. */
static inline bool time_stays_before(const struct flow *f)
{
    return !f->conf.want_times ||
           (f->told.tsc < f->asked_tsc && f->in.s.clk.now < f->asked_tsc);
}

/* The same where it stays what was told; but each branch that is told moves it. */
static inline bool time_stays(const struct flow *f, const struct quiet_walk *w)
{
    const struct told_state *t = &f->told;

    return !tells_branches(w) && (w->later.counted || f->in.s.clk.now <= t->tsc) &&
           t->tsc == t->told_tsc;
}

static inline bool run_may(const struct flow *f, const struct quiet_walk *w)
{
    return w->is_said && !(f->in.s.tx | f->out.ev.flags) &&
           (w->times ? f->told.tsc >= f->asked_tsc
                     : time_stays_before(f) || time_stays(f, w));
}

/* --- Begin and end --- */

/* The clock, where nothing was told yet. */
ALWAYS_INLINE void run_load_clock(struct run *r, const struct flow *f,
                                  const struct quiet_walk *w)
{
    const struct pt_clock *c = &f->in.s.clk;

    r->changed = w->changed;
    r->count = c->cyc_count;
    r->fresh = c->cycles_fresh;
    r->settled = w->settled;
    r->below_known = r->fresh_told = r->is_said = r->is_event = r->same = false;
    r->below = r->moved = 0;
}

ALWAYS_INLINE void run_load(struct run *r, const struct flow *f, struct quiet_walk *w,
                            const struct pt_fast *q)
{
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
    };
    run_load_clock(r, f, w);
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
    q->budget = r->budget; /* which packets of time and samples move */
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
static inline uint64_t cycles_at(const struct pt_reader *in, uint64_t count)
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
    if (!f->conf.want_times) {
        w->is_event |= r->is_event || r->moved;
        return;
    }
    if (!r->moved)
        return;
    w->is_event = true;
    if (f->told.tsc < f->asked_tsc) {
        f->out.skipped += r->moved;
        return;
    }
    f->told.event_tsc = f->told.tsc;
    w->is_event = false;
}

/* What was told, and the clock. */
ALWAYS_INLINE void run_store_clock(const struct run *r, struct flow *f,
                                   struct quiet_walk *w)
{
    struct pt_clock *c = &f->in.s.clk;

    run_store_events(r, f, w);
    if (r->fresh_told)
        f->told.sample_cycles = cycles_at(&f->in, r->fresh_count);
    w->changed = r->changed;
    if (r->count != c->cyc_count)
        w->later.counted = c->have_cyc = true;
    c->cycles = cycles_at(&f->in, r->count);
    c->cyc_count = r->count;
    c->cycles_fresh = r->fresh;
}

ALWAYS_INLINE void run_store(const struct run *r, struct flow *f, struct quiet_walk *w,
                             struct pt_fast *q)
{
    run_store_clock(r, f, w);
    run_store_legs(r, &w->legs);
    q->at = r->at;
    q->before = r->before;
}

/* Cycles passed behind so many instructions. */
ALWAYS_INLINE void run_counted(struct run *r, const struct flow *f, uint64_t cycles,
                               uint64_t insns)
{
    r->count += cycles;
    r->below -= cycles;
    r->fresh = true;
    r->settled = false;
    r->changed = insns;
    if (f->conf.period_type == PERIOD_TICKS)
        r->budget = insns + f->insns_ahead - 2;
    r->before = PTS_PKT_CYC;
}

/* --- Events --- */

/* The time when so many cycles had been counted.  How long one is, was measured before the run, if
 * anybody asks. */
ALWAYS_INLINE uint64_t time_at(const struct pt_clock *c, uint64_t count)
{
    return count == c->cyc_count ? c->now : clock_at(c, count);
}

ALWAYS_INLINE void run_late_begin(struct run *r, const struct flow *f,
                                  const struct quiet_walk *w)
{
    enum { MOST = LATE_TIMES - LATE_PACKET };

    r->late = times_wait(f, w);
    r->late_room = !r->late ? UINT32_MAX : f->out.ahead < MOST ? f->out.ahead : MOST;
}

/* Whether what is said waits so. */
ALWAYS_INLINE bool run_late(const struct run *r, const struct flow *f,
                            struct late_times *late)
{
    const uint64_t count = r->said.count;

    if (!r->is_said || count == f->in.s.clk.cyc_count || !r->late)
        return false;
    late->count[late->n] = count;
    late->n += !late->n || late->count[late->n - 1] != count;
    return true;
}

/* The queue's time moves on to what is said. */
ALWAYS_INLINE void run_moved(struct run *r, struct flow *f, struct quiet_walk *w)
{
    if (r->times && run_late(r, f, &w->late_times))
        return;
    if (r->times &&
        flow_moved(f, r->is_said ? time_at(&f->in.s.clk, r->said.count) : w->said.now))
        return;
    r->moved++;
}

ALWAYS_INLINE void run_event(struct run *r, struct flow *f, struct quiet_walk *w)
{
    r->is_said = r->is_event = r->same = true;
    r->said = (struct run_mark){r->count, r->changed};
    run_moved(r, f, w);
}

/* The same for run_for.plain.  Behind another at the same time it changes nothing. */
ALWAYS_INLINE void run_event_plain(struct run *r)
{
    r->is_said = r->is_event = r->same = r->settled = true;
    r->said = (struct run_mark){r->count, r->changed};
}

/* As quiet_direct(). */
ALWAYS_INLINE void run_direct(struct run *r, struct flow *f, struct quiet_walk *w)
{
    if (r->is_said)
        r->is_event = r->same = true;
    else
        w->event = w->said;
    run_moved(r, f, w);
}

/* As quiet_events() of all outcomes of a packet. */
ALWAYS_INLINE void run_events(struct run *r, struct flow *f, struct quiet_walk *w,
                              bool event, bool first)
{
    const bool times = f->conf.want_times;

    if (r->settled)
        return;
    if (__builtin_expect(first && (!event || times), 0))
        run_direct(r, f, w);
    if (event) {
        run_event(r, f, w);
        r->settled = true;
        return;
    }
    if (r->is_event && r->same)
        r->event = r->said;
    r->same = false;
    r->is_said = true;
    r->said = (struct run_mark){r->count, r->changed};
}

/* The same of outcomes behind which others of the packet are left. */
ALWAYS_INLINE void run_events_part(struct run *r, struct flow *f, struct quiet_walk *w,
                                   bool event, bool first)
{
    if (r->settled)
        return;
    if (first && (!event || f->conf.want_times))
        run_direct(r, f, w);
    if (!event)
        return;
    run_event(r, f, w);
    r->settled = true;
}

/* For who wants cycles: whether a first outcome was taken, nobody can foresee. */
ALWAYS_INLINE void run_fresh(struct run *r, const struct flow *f, bool told)
{
    if (!f->conf.want_cycles)
        return;
    if (r->fresh && told) {
        r->fresh_count = r->count;
        r->fresh_told = true;
    }
    r->fresh = false;
}

#endif
