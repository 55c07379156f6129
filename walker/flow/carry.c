/* carry.c - whether two flows stand at the same point with the same knowledge.
 *
 * SPDX-License-Identifier: MIT
 *
 * Member by member, since what lies between members is not defined.
 */
#include "walker/flow/carry.h"

#define SAME(member) (a->member == b->member)

static bool where_same(const struct pt_where *a, const struct pt_where *b)
{
    return SAME(buf) && SAME(off) && SAME(pos) && SAME(ctx) && SAME(before);
}

static bool walk_same(const struct walk_state *a, const struct walk_state *b)
{
    return SAME(phase) && SAME(fault) && SAME(ip) && SAME(tnt_bits) &&
           SAME(tnt_count) && SAME(emu_ptwrite) && SAME(nr) && SAME(goal) &&
           SAME(cr3_end) && SAME(target_left) && SAME(jumped_signature) && SAME(cls) &&
           SAME(branch) && SAME(ilen) && SAME(rel) && SAME(ret_addr) && SAME(bytes) &&
           SAME(loops.count) && SAME(loops.window) && SAME(loops.left) &&
           SAME(loops.total) && SAME(loops.mark) && SAME(ninsn) && SAME(period_insns) &&
           SAME(last_tick);
}

static bool switch_same(const struct switch_state *a, const struct switch_state *b)
{
    return SAME(on) && SAME(phase) && SAME(tid) && SAME(next) && SAME(told) && SAME(at);
}

static bool told_same(const struct told_state *a, const struct told_state *b)
{
    return SAME(from) && SAME(to) && SAME(flags) && SAME(sample_tsc) &&
           SAME(sample_insns) && SAME(sample_cycles) && SAME(reported_cycles) &&
           SAME(tsc) && SAME(event_tsc) && SAME(told_tsc) && SAME(trace_nr) &&
           SAME(cbr_due) && (!a->cbr_due || SAME(cbr)) && SAME(branch_due) &&
           SAME(shared) && SAME(started) && SAME(any) && SAME(epoch) &&
           SAME(next_epoch_tsc) && SAME(who.pid) && SAME(who.tid) && SAME(who.cpu) &&
           SAME(who.thread) && SAME(who.until) && switch_same(&a->sw, &b->sw) &&
           SAME(range.start) && SAME(range.index) && SAME(range.tsc) &&
           SAME(range.ff_tsc);
}

bool carry_same(const struct carry *a, const struct carry *b)
{
    return where_same(&a->at, &b->at) && pt_state_same(&a->pt, &b->pt) &&
           walk_same(&a->walk, &b->walk) && told_same(&a->told, &b->told);
}

/* --- Guesses ---------------------------------------------------------------------- */

/* Counts and marks that are set again before anybody looks at them. */
static void walk_settle(struct walk_state *w, const struct walk_state *truth,
                        const struct carry_use *use)
{
    w->ninsn = truth->ninsn;
    w->ret_addr = truth->ret_addr;
    if (!use->insn_period)
        w->period_insns = truth->period_insns;
    if (!use->tick_period)
        w->last_tick = truth->last_tick;
    if (w->loops.count || w->loops.total || truth->loops.count || truth->loops.total)
        return;
    w->loops = truth->loops;
}

/* Cycles are counted from the beginning.  Where they are estimated, the sum is rounded, so
 * that another beginning may make another count of them. */
static void cycles_settle(struct carry *c, const struct carry *truth,
                          const struct carry_use *use)
{
    struct pt_clock *clk = &c->pt.clk;
    const struct pt_clock *true_clk = &truth->pt.clk;
    uint64_t off = true_clk->cycles - clk->cycles;

    if (clk->have_cyc && true_clk->have_cyc) {
        clk->est_base = true_clk->est_base;
        clk->est_from = true_clk->est_from;
    } else if (!clk->have_cyc && !true_clk->have_cyc) {
        clk->cyc_base = true_clk->cyc_base;
        clk->cyc_count = true_clk->cyc_count;
    }
    if (use->cycles && !true_clk->have_cyc)
        return;
    if (!use->cycles) {
        clk->cycles_fresh = true_clk->cycles_fresh;
        clk->est_base = true_clk->est_base;
        clk->est_from = true_clk->est_from;
        c->told.sample_cycles = truth->told.sample_cycles - off;
        c->told.reported_cycles = truth->told.reported_cycles - off;
    }
    clk->cycles += off;
    c->told.sample_cycles += off;
    c->told.reported_cycles += off;
}

/* When the time was told last does not matter, as it may be told again; nor which of the records is in
 * effect that change nothing. */
static void told_settle(struct told_state *t, const struct told_state *truth,
                        const struct carry_use *use)
{
    t->told_tsc = truth->told_tsc;
    if (t->next_epoch_tsc == truth->next_epoch_tsc)
        t->epoch = truth->epoch;
    if (!use->branches)
        t->branch_due = truth->branch_due;
}

/* In step with execution each event says where it is, before anybody looks at what the last one left. */
static void event_settle(struct told_state *t, const struct told_state *truth)
{
    t->from = truth->from;
    t->to = truth->to;
}

bool carry_fits(const struct carry *guess, const struct carry *truth,
                const struct carry_use *use)
{
    struct carry c = *guess;

    walk_settle(&c.walk, &truth->walk, use);
    cycles_settle(&c, truth, use);
    told_settle(&c.told, &truth->told, use);
    if (c.walk.phase == SYNC)
        event_settle(&c.told, &truth->told);
    return carry_same(&c, truth);
}

void carry_as_told(struct carry *guess)
{
    guess->told.any = true;
    guess->told.branch_due = guess->told.shared;
}

/* What the flow has not touched is as it was. */
#define KEPT(member)                                                                   \
    do {                                                                               \
        if (end->member == guess->member)                                              \
            end->member = truth->member;                                               \
    } while (0)

void carry_counted(const struct carry *guess, const struct carry *truth,
                   struct carry *end)
{
    uint64_t cycles = truth->pt.clk.cycles - guess->pt.clk.cycles;

    end->walk.ninsn += truth->walk.ninsn - guess->walk.ninsn;
    end->pt.clk.cycles += cycles;
    end->pt.clk.est_base += cycles;
    end->told.sample_cycles += cycles;
    end->told.reported_cycles += cycles;
    KEPT(told.told_tsc);
    KEPT(pt.clk.cyc_base);
    KEPT(pt.clk.cyc_count);
}
