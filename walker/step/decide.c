/* decide.c - what packets decide: outcomes of branches, and targets.
 *
 * SPDX-License-Identifier: MIT
 *
 *     TNT T N T      walk to a conditional branch or a compressed return: one bit each;
 *                    at an indirect branch the TIP was deferred and is the next packet
 *     TIP            walk to an indirect branch; all before it are direct ones
 *     TIP.PGD        the same, or to where an address filter ends the trace
 */
#include "walker/step/decide.h"

#include "walker/flow/emit.h"
#include "walker/flow/gaps.h"
#include "walker/step/ahead.h"
#include "walker/flow/filter.h"
#include "walker/quiet/quiet.h"
#include "walker/flow/stretch.h"
#include "walker/step/walk.h"

static const uint64_t oldest_bit = UINT64_C(1) << 63;

void packet_read(struct flow *f)
{
    if (f->in.forget) {
        /* A PSB: the hardware has forgotten its return addresses, too. */
        ret_clear(&f->code.rets);
        f->in.forget = false;
    }
    stretch_check(f);
    if (f->gaps.wanted)
        gap_noted(f);
}

/* What is no end comes back as STEP_ON, so that callers handle the answers that they
 * wait for and no others. */
enum step read_ended(struct flow *f, enum pt_answer a)
{
    switch (a) {
    case PT_BREAK:
        trace_begins(f);
        return STEP_BREAK;
    case PT_BAD:
        return flow_fault(f, FAULT_BAD_PACKET);
    case PT_FULL:
        return flow_fault(f, FAULT_INTERNAL);
    case PT_OVERFLOW:
        f->walk.phase = SYNC;
        f->out.ev.from = f->walk.ip;
        f->walk.ip = 0;
        return flow_fault(f, FAULT_OVERFLOW);
    case PT_MISMATCH:
    case PT_STOPPED:
        return flow_fault(f, FAULT_MISMATCH);
    case PT_ON:
    case PT_TNT:
    case PT_TIP:
    case PT_TIP_PGD:
    case PT_TIP_PGE:
    case PT_FUP:
    case PT_AT:
    case PT_HERE:
    case PT_EVENT:
    case PT_PTWRITE:
    case PT_PIP:
    case PT_PSB_AT:
    case PT_PSB:
        return STEP_ON;
    case PT_END:
        break;
    }
    return STEP_END;
}

/* A branch that a packet decided: what takes effect with it does so now. */
static void branch_arrives(struct flow *f)
{
    f->out.ev.what |= pt_branch_done(&f->in);
    stretch_check(f);
}

/* --- TIP ------------------------------------------------------------------------- */

/* The packet itself says that tracing went off; what is walked to is where. */
static void trace_ends(struct flow *f)
{
    pt_trace_off(&f->in.s);
    f->walk.phase = SYNC;
    f->out.ev.what |= EV_TRACE_END;
}

static uint64_t goal_reached(struct flow *f)
{
    uint64_t at = f->walk.goal;
    f->walk.goal = 0;
    return at;
}

static enum step walk_cr3(struct flow *f)
{
    enum step s = walk_goal(f);

    if (s != STEP_TARGET)
        return s;
    branch_arrives(f);
    trace_ends(f);
    f->out.ev.what |= EV_BRANCH;
    note_branch(f, goal_reached(f), 0);
    return STEP_EVENT;
}

/* The MOV CR3 that ended the trace has no PIP: it left the address space that is to be
 * traced.  When there was one all the same, no far transfer may follow that the TIP.PGD
 * could be of. */
static enum step pgd_of_cr3(struct flow *f)
{
    struct walk_state *w = &f->walk;
    bool here = !goal_find(f, GOAL_MOV_CR3);

    if (here && (!w->ip || w->ip != w->cr3_end || far_is_ahead(f)))
        return STEP_ON;
    f->in.met |= PLACE_PGD_CR3;
    if (!here)
        return walk_cr3(f);
    branch_arrives(f);
    trace_ends(f);
    note_branch(f, w->ip, 0);
    return STEP_EVENT;
}

/* That perf walks past one, as far as it can be seen at no cost. */
static void note_cr3(struct flow *f)
{
    if (!stretch_at(f, f->walk.ip) || !f->code.at.code->bytes)
        return;
    const struct stretch *p = &f->code.at;
    const struct block *b =
        block_at(p->code, p->mode, f->walk.ip + p->to_off, p->epoch);
    if (b && b->special & INSN_MOV_CR3 &&
        !(b->state == BLOCK_BRANCH && b->cls >= INSN_IRET && f->in.pgd_pip))
        f->in.met |= PLACE_PGD_CR3;
}

enum step walk_pgd(struct flow *f)
{
    enum step s = STEP_ON;

    f->walk.phase = IN_TIP_PGD;
    if (!f->in.ip_known && f->conf.strict)
        s = pgd_of_cr3(f);
    else if (!f->in.ip_known)
        note_cr3(f);
    f->in.pgd_pip = false;
    return s == STEP_ON ? walk_tip(f) : s;
}

static enum step tip_decides(struct flow *f)
{
    if (f->walk.phase == IN_TIP_PGD)
        trace_ends(f);
    f->walk.phase = SYNC;
    note_branch(f, f->walk.ip, 0);
    if (f->in.ip_known) {
        take_ip(f);
        f->out.ev.to = f->walk.ip;
    }
    return STEP_EVENT;
}

/* A conditional branch out of the filtered region of a bare trace: the PGD says, or the
 * filters do, whether it was taken. */
static enum step bare_conditional(struct flow *f)
{
    struct walk_state *w = &f->walk;
    uint64_t from = w->ip, to = direct_target(f), next = wrap_ip(f, from + w->ilen);

    if (f->in.ip_known ? f->in.s.last_ip == next : !leaves_filter(f, to))
        to = next;
    if (!leaves_filter(f, to))
        return walk_mismatch(f);
    trace_ends(f);
    w->ip = to;
    note_branch(f, from, to);
    return STEP_EVENT;
}

/* A direct branch ends the trace when it leaves the filtered region.  By the manual a
 * TIP.PGD with an address has its target, whatever is known of filters. */
static bool pgd_is_of(struct flow *f, uint64_t to)
{
    return leaves_filter(f, to) || (f->in.ip_known && to == f->in.s.last_ip &&
                                    pt_strict(&f->in, PLACE_PGD_DIRECT));
}

/* A conditional branch goes where the TIP.PGD says; perf looks at the taken one only, and
 * tells a wrong source. */
static bool pgd_is_of_cond(struct flow *f)
{
    uint64_t to = f->in.s.last_ip;

    if (f->walk.phase != IN_TIP_PGD || !f->in.ip_known ||
        (to != direct_target(f) && to != wrap_ip(f, f->walk.ip + f->walk.ilen)))
        return false;
    return pt_strict(&f->in, PLACE_PGD_DIRECT);
}

static enum step cond_ends(struct flow *f)
{
    trace_ends(f);
    note_branch(f, f->walk.ip, f->in.s.last_ip);
    take_ip(f);
    return STEP_EVENT;
}

enum step walk_tip(struct flow *f)
{
    struct walk_state *w = &f->walk;

    if (w->goal)
        return walk_cr3(f);
    enum step s = walk_code(f, 0);
    if (s == STEP_EVENT && w->phase == IN_TIP_PGD && f->out.ev.what & EV_BRANCH &&
        pgd_is_of(f, f->out.ev.to)) {
        loop_left(f);
        trace_ends(f);
        pt_nr_next(&f->in.s);
        return s;
    }
    if (s != STEP_BRANCH)
        return s;
    branch_arrives(f);
    if (w->branch == BRANCH_INDIRECT)
        return tip_decides(f);
    if (w->phase == IN_TIP_PGD && f->conf.bare)
        return bare_conditional(f);
    if (pgd_is_of_cond(f))
        return cond_ends(f);
    uint64_t to = direct_target(f);
    /* A conditional branch out of the filtered region: the PGD stands for its TNT
     * bit. */
    if (w->phase == IN_TIP_PGD && leaves_filter(f, to)) {
        trace_ends(f);
        w->ip = to;
        note_branch(f, to, to); /* perf tells the target as the source, too */
        return STEP_EVENT;
    }
    return walk_mismatch(f);
}

/* The payload of a PTW without a FUP belongs to the ptwrite that comes next. */
enum step walk_ptwrite(struct flow *f)
{
    enum step s = walk_goal(f);

    if (s == STEP_BRANCH)
        return walk_mismatch(f);
    if (s != STEP_TARGET)
        return s;
    f->walk.phase = SYNC;
    f->out.ev.what = (f->out.ev.what & EV_INSN) | EV_PTWRITE;
    note_branch(f, goal_reached(f), 0);
    return STEP_EVENT;
}

/* By the manual a PIP belongs to the MOV CR3 that comes next, if there is one before a branch
 * that needs a packet. */
enum step walk_pip(struct flow *f)
{
    enum step s = walk_goal(f);

    if (s != STEP_TARGET)
        return s;
    f->walk.goal = 0;
    f->walk.cr3_end = f->walk.ip;
    f->walk.phase = SYNC;
    return f->out.ev.what & EV_INSN ? STEP_EVENT : STEP_ON;
}

/* --- TNT ------------------------------------------------------------------------- */

static inline bool tnt_take(struct walk_state *w)
{
    bool taken = w->tnt_bits & oldest_bit;
    w->tnt_bits <<= 1;
    /* With bits left the next call goes on here, and not at the next packet. */
    w->phase = --w->tnt_count ? IN_TNT_MORE : SYNC;
    return taken;
}

/* A return is in a TNT only when it goes where its call came from, and then its bit
 * is 1.  Any other needs a TIP. */
static enum step tnt_return(struct flow *f)
{
    struct walk_state *w = &f->walk;

    if (!f->conf.ret_compression || !w->ret_addr || !(w->tnt_bits & oldest_bit))
        return walk_mismatch(f);
    tnt_take(w);
    note_branch(f, w->ip, w->ret_addr);
    w->ip = w->ret_addr;
    return STEP_EVENT;
}

/* An indirect branch while bits are left: its TIP was deferred and is the next packet. */
static enum step tnt_deferred(struct flow *f)
{
    enum pt_answer a = pt_take_tip(&f->in);

    packet_read(f);
    if (a == PT_MISMATCH)
        return walk_mismatch(f);
    if (a != PT_TIP)
        return read_ended(f, a);
    uint64_t from = f->walk.ip;
    take_ip(f);
    note_branch(f, from, f->walk.ip);
    branch_arrives(f);
    return STEP_EVENT;
}

/* The next 64 TNT bits from here, this packet's and those of later ones, are a payload. */
static enum step tnt_ptwrite(struct flow *f)
{
    uint64_t value;

    f->walk.emu_ptwrite = false;
    if (!pt_payload(&f->in, f->walk.tnt_bits, f->walk.tnt_count, &value))
        return flow_fault(f, FAULT_PTWRITE);
    f->in.extra.value[EV_NR_PTWRITE] = value;
    return plain_event(f, EV_PTWRITE);
}

/* A conditional branch; STEP_ON: not taken and nothing to tell. */
static inline enum step tnt_conditional(struct flow *f)
{
    struct walk_state *w = &f->walk;
    uint64_t from = w->ip;

    if (tnt_take(w)) {
        w->ip = direct_target(f);
        note_branch(f, from, w->ip);
        return STEP_EVENT;
    }
    w->ip += w->ilen;
    if (f->out.ev.what & EV_INSN) {
        f->out.ev.what = EV_INSN;
        note_branch(f, from, 0);
        return STEP_EVENT;
    }
    f->in.s.clk.cycles_fresh = false;
    return STEP_ON;
}

/* The packet's own time is reported when its last bit is used (I1). */
enum step walk_tnt(struct flow *f)
{
    struct walk_state *w = &f->walk;

    if (quiet_now(f)) {
        enum step s = quiet_tnt_bits(f);
        if (s != STEP_ON || !w->tnt_count)
            return s;
    }
    while (w->tnt_count) {
        if (w->emu_ptwrite)
            return tnt_ptwrite(f);
        enum step s = walk_code(f, 0);
        /* A jump over a signature of bytes says that bits of a payload follow (emulated
         * PTWRITE). */
        w->emu_ptwrite =
            s == STEP_EVENT && w->branch != BRANCH_NONE && w->jumped_signature;
        if (s != STEP_BRANCH)
            return s;
        if (w->cls == INSN_RET)
            return tnt_return(f);
        if (w->branch == BRANCH_INDIRECT)
            return tnt_deferred(f);
        s = tnt_conditional(f);
        if (s != STEP_ON)
            return s;
    }
    report_time(f);
    return STEP_ON;
}
