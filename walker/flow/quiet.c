/* quiet.c - the common packets while nobody looks at branches.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all bytes of a trace are PAD, TNT, TIP, TIP.PGE, TIP.PGD and CYC packets, and
 * many runs want only errors, or other events.  Then a branch is a step from leg to leg
 * and no event is built; the time is reported at the first branch that a packet
 * decides, and only when it has changed.  Whatever is not plain is left, untouched, to
 * the code that goes branch by branch and gives the same result (I7).
 */
#include "walker/flow/quiet.h"

#include "decoder/pt/fast.h"
#include "walker/flow/emit.h"
#include "walker/flow/legs.h"

struct quiet_walk {
    struct leg_walk legs;
    bool settled; /* reporting a branch would change nothing */
    bool due;     /* the time of packets done is to be reported */
};

/* Whether an event now would leave all times as they are, if it does not enter user
 * code. */
static bool settled(const struct flow *f)
{
    return f->told.sample_tsc == f->in.s.clk.now && f->told.sample_tsc <= f->told.tsc &&
           f->told.event_tsc == f->told.tsc &&
           (!f->conf.want_times || f->told.told_tsc == f->told.tsc);
}

static struct quiet_walk quiet_load(const struct flow *f)
{
    return (struct quiet_walk){.legs.ip = f->walk.ip, .settled = settled(f)};
}

/* All is in f, as after a packet. */
static void quiet_flush(struct flow *f, struct quiet_walk *w)
{
    legs_store(f, &w->legs);
    if (w->due)
        report_time(f);
    w->due = false;
}

/* Reports the branch from -> to, after which execution is at w->legs.ip. */
static enum step quiet_report(struct flow *f, struct quiet_walk *w, uint64_t from,
                              uint64_t to, uint32_t what)
{
    quiet_flush(f, w);
    f->out.ev.what |= what;
    note_branch(f, from, to);
    event_end(f);
    event_begin(f);
    w->settled = settled(f);
    if (!f->code.at.leg_len) /* the maps may have changed */
        w->legs.here = NULL;
    return f->out.events.len < BATCH_EVENTS ? STEP_ON : STEP_SILENT;
}

/* The direct branches on the way to the next one that a packet decides are events, too:
 * they bring the queue's time up to what is reported, which is all up to now when the
 * phase says so. */
static inline void quiet_direct(struct flow *f, struct quiet_walk *w, enum phase phase)
{
    const struct leg *leg = legs_here(f, &w->legs);
    if (!leg || !leg->direct)
        return;
    enum phase before = f->walk.phase;
    f->walk.phase = phase;
    quiet_report(f, w, w->legs.ip, w->legs.ip, 0);
    f->walk.phase = before;
}

/* Bit by bit until one reports the time: the first branch that is taken does. */
static enum step quiet_first(struct flow *f, struct quiet_walk *w, uint64_t bits,
                             uint32_t count, uint32_t *used)
{
    enum step s = STEP_ON;

    while (!w->settled && *used < count) {
        quiet_direct(f, w, *used ? IN_TNT_MORE : IN_TNT);
        uint64_t bit = bits << *used;
        if (!legs_bits(f, &w->legs, bit, 1))
            break;
        ++*used;
        if (!(bit >> 63))
            continue;
        f->walk.phase = *used < count ? IN_TNT_MORE : SYNC;
        s = quiet_report(f, w, f->code.at.start + w->legs.last->end, w->legs.ip, 0);
    }
    return s;
}

/* Uses bits; those left are in f, and f->walk.phase says so. */
static inline enum step quiet_bits(struct flow *f, struct quiet_walk *w, uint64_t bits,
                                   uint32_t count)
{
    enum step s = STEP_ON;
    uint32_t used = 0;

    if (!w->settled)
        s = quiet_first(f, w, bits, count, &used);
    used += legs_bits(f, &w->legs, bits << used, count - used);
    f->walk.tnt_bits = bits << used;
    f->walk.tnt_count = count - used;
    if (used)
        f->walk.phase = used < count ? IN_TNT_MORE : SYNC;
    return s;
}

enum step quiet_tnt_bits(struct flow *f)
{
    struct quiet_walk w = quiet_load(f);
    enum step s = quiet_bits(f, &w, f->walk.tnt_bits, f->walk.tnt_count);
    w.due = !f->walk.tnt_count;
    quiet_flush(f, &w);
    return s;
}

/* --- Packets
 *
 * Each of these follows the packet in q.  STEP_AGAIN: it is not plain, nothing was done;
 * STEP_BREAK: it was followed, but what comes after it is not for here; STEP_SILENT: the
 * batch is full.
 */

static inline enum step quiet_tnt(struct flow *f, struct quiet_walk *w,
                                  const struct pt_fast *q)
{
    f->walk.phase = IN_TNT;
    enum step s = quiet_bits(f, w, q->pkt.value, q->pkt.count);
    if (f->walk.tnt_count)
        return STEP_BREAK;
    w->due = true;
    return s;
}

/* Coming from outside user code, only an estimate of the time is known. */
static inline bool enters_user(uint64_t from, uint64_t to)
{
    return (!from || in_kernel(from)) && to && !in_kernel(to);
}

static inline enum step quiet_arrive(struct flow *f, struct quiet_walk *w,
                                     uint64_t from, uint64_t to, uint32_t what)
{
    w->due = true;
    if (w->settled && (f->conf.timeless || !enters_user(from, to)))
        return STEP_ON;
    return quiet_report(f, w, from, to, what);
}

static inline bool quiet_indirect(struct flow *f, struct quiet_walk *w)
{
    if (!w->settled)
        quiet_direct(f, w, IN_TIP);
    return legs_indirect(f, &w->legs);
}

static inline enum step quiet_tip(struct flow *f, struct quiet_walk *w,
                                  const struct pt_fast *q)
{
    if (!q->pkt.count || !quiet_indirect(f, w))
        return STEP_AGAIN;
    uint64_t from = w->legs.ip;
    w->legs.ip = fast_last_ip(&f->in, q);
    return quiet_arrive(f, w, from, w->legs.ip, 0);
}

/* It may be what ended the trace. */
static inline bool quiet_mov_cr3(struct flow *f, struct quiet_walk *w)
{
    const struct leg *leg = legs_here(f, &w->legs);
    return leg && leg->special & INSN_MOV_CR3;
}

static inline enum step quiet_pgd(struct flow *f, struct quiet_walk *w,
                                  const struct pt_fast *q)
{
    bool by_filter = f->conf.filter_count || (f->conf.bare && q->pkt.count);
    if (by_filter || (!q->pkt.count && quiet_mov_cr3(f, w)) || !quiet_indirect(f, w))
        return STEP_AGAIN;
    uint64_t from = w->legs.ip, to = 0;
    pt_trace_off(&f->in.s);
    if (q->pkt.count)
        w->legs.ip = to = fast_last_ip(&f->in, q);
    return quiet_arrive(f, w, from, to, EV_TRACE_END);
}

static inline enum step quiet_pge(struct flow *f, struct quiet_walk *w,
                                  const struct pt_fast *q)
{
    if (!q->pkt.count)
        return STEP_AGAIN;
    f->in.s.tracing = true;
    f->in.s.overflowed = false;
    clock_trace_on(&f->in.s.clk);
    w->legs.ip = fast_last_ip(&f->in, q);
    w->legs.here = NULL;
    return quiet_arrive(f, w, 0, w->legs.ip, EV_TRACE_BEGIN);
}

static enum step quiet_cyc(struct flow *f, struct quiet_walk *w,
                           const struct pt_fast *q)
{
    if (__builtin_expect(f->conf.errata & ERRATUM_SKD007, 0) &&
        cyc_is_cut(&q->pkt, (struct pkt_cursor){q->at + q->pkt.size, q->end, 0}))
        return STEP_AGAIN;
    quiet_flush(f, w);
    clock_cyc(&f->in.s.clk, q->pkt.value, f->in.s.tracing);
    w->settled = settled(f);
    return quiet_now(f) ? STEP_ON : STEP_BREAK;
}

static inline enum step quiet_packet(struct flow *f, struct quiet_walk *w,
                                     struct pt_fast *q)
{
    switch (fast_peek(q)) {
    case FAST_TNT:
        return quiet_tnt(f, w, q);
    case FAST_CYC:
        return quiet_cyc(f, w, q);
    case FAST_TIP:
        return quiet_tip(f, w, q);
    case FAST_TIP_PGD:
        return quiet_pgd(f, w, q);
    case FAST_TIP_PGE:
        return quiet_pge(f, w, q);
    case FAST_OTHER:
        break;
    }
    return STEP_AGAIN;
}

enum step quiet_packets(struct flow *f)
{
    struct quiet_walk w = quiet_load(f);
    struct pt_fast q;
    enum step s;

    if (!fast_begin(&q, &f->in))
        return STEP_ON;
    do {
        s = quiet_packet(f, &w, &q);
        if (s == STEP_AGAIN)
            break;
        fast_take(&q);
    } while (s == STEP_ON);
    fast_end(&q, &f->in);
    quiet_flush(f, &w);
    return s == STEP_SILENT ? s : STEP_ON;
}
