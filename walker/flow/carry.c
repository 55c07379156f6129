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

static bool told_same(const struct told_state *a, const struct told_state *b)
{
    return SAME(from) && SAME(to) && SAME(flags) && SAME(sample_tsc) &&
           SAME(sample_insns) && SAME(sample_cycles) && SAME(reported_cycles) &&
           SAME(tsc) && SAME(event_tsc) && SAME(told_tsc) && SAME(trace_nr) &&
           SAME(cbr_due) && SAME(branch_due) && SAME(started) && SAME(any) &&
           SAME(epoch) && SAME(next_epoch_tsc) && SAME(who.pid) && SAME(who.tid) &&
           SAME(who.cpu) && SAME(who.thread) && SAME(who.until) && SAME(range.start) &&
           SAME(range.index) && SAME(range.tsc) && SAME(range.ff_tsc);
}

bool carry_same(const struct carry *a, const struct carry *b)
{
    return where_same(&a->at, &b->at) && pt_state_same(&a->pt, &b->pt) &&
           walk_same(&a->walk, &b->walk) && told_same(&a->told, &b->told);
}
