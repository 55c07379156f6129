/* fup.c - to the address of a FUP, and what happened there.
 *
 * SPDX-License-Identifier: MIT
 *
 * A FUP has the address of something that does not show in the code.  It is *quiet* when it
 * belongs to an event (ptwrite, power, transaction, interrupt flag ...): then execution goes
 * on from there.  Otherwise something asynchronous happened, and a TIP, TIP.PGD or TIP.PGE
 * tells where execution went.
 */
#include "walker/step/fup.h"

#include "walker/step/ahead.h"
#include "walker/step/decide.h"
#include "walker/step/walk.h"

/* Whatever happened there, no instruction did it: class and length are none. */
bool fup_events(struct flow *f, bool quiet)
{
    struct pt_event *ev = &f->out.ev;
    bool sample = f->in.s.bound.what & EV_IFLAG && quiet;

    f->walk.cls = INSN_OTHER;
    f->walk.ilen = 0;
    switch (pt_arrive(&f->in, &ev->what, &ev->flags)) {
    case ARRIVED_QUIETLY:
        return false;
    case ARRIVED_RESUMED:
        note_branch(f, 0, f->walk.ip);
        return true;
    case ARRIVED_EVENTS:
        break;
    }
    note_branch(f, f->walk.ip, 0);
    if (sample)
        walk_sample_fup(f);
    return true;
}

/* Goldmont's FUP may hold the address after the branch that it interrupted. */
static bool fup_is_next_ip(const struct flow *f, enum step s)
{
    return f->conf.fup_next_ip && s == STEP_BRANCH &&
           f->walk.branch == BRANCH_INDIRECT &&
           f->in.s.last_ip == f->walk.ip + f->walk.ilen;
}

/* An event on the way is told first; the walk goes on from there when the flow is
 * asked again, since the phase stays. */
enum step walk_fup(struct flow *f)
{
    enum step s = walk_code(f, f->in.s.last_ip);
    if (s == STEP_EVENT)
        return s;
    if (s == STEP_TARGET || fup_is_next_ip(f, s)) {
        bool quiet = f->walk.phase != IN_FUP;
        f->walk.phase = SYNC;
        return fup_events(f, quiet) && quiet ? STEP_EVENT : STEP_ON;
    }
    f->in.s.bound.what &= ~(uint32_t)EV_TX;
    return s == STEP_BRANCH ? walk_mismatch(f) : s;
}

/* Erratum SKD022: a VM entry that ends the trace has a FUP as if it were interrupted.  It
 * is executed all the same. */
static void vmentry_done(struct flow *f)
{
    f->out.ev.flags &= (uint16_t)~EVF_ASYNC;
    walk_code(f, 0);
}

/* Something asynchronous, or the abort of a transaction: where execution went from
 * there says the packet behind the FUP. */
enum step walk_fup_tip(struct flow *f)
{
    struct pt_event *ev = &f->out.ev;
    uint64_t from = f->walk.ip;
    bool vmentry = f->conf.errata & ERRATUM_SKD022 && !f->conf.quick && at_vmentry(f);

    if (f->in.s.tx & EVF_TX_ABORT) {
        f->in.s.tx = 0;
        ev->flags &= (uint16_t)~EVF_IN_TX;
        ev->flags |= EVF_TX_ABORT;
    } else {
        ev->flags |= EVF_ASYNC;
    }
    enum pt_answer a = pt_target(&f->in);
    packet_read(f);
    if (a == PT_MISMATCH)
        return walk_mismatch(f);
    if (a != PT_TIP && a != PT_TIP_PGD && a != PT_TIP_PGE)
        return read_ended(f, a);
    if (vmentry && a == PT_TIP_PGD && pt_strict(&f->in, PLACE_SKD022))
        vmentry_done(f);
    note_branch(f, a == PT_TIP_PGE ? 0 : from, 0);
    if (f->in.ip_known) {
        take_ip(f);
        ev->to = f->walk.ip;
    }
    ev->what |= f->in.what;
    return STEP_EVENT;
}

/* Erratum BDM64: in front of an abort the target of a branch may be wrong.  When the abort
 * cannot be reached from there, the branch went where it happened. */
static void abort_reached(struct flow *f)
{
    uint64_t at = f->in.s.last_ip;

    if (f->conf.errata & ERRATUM_BDM64 && f->in.s.bound.what & EV_TX &&
        f->in.s.bound.tx & EVF_TX_ABORT && f->walk.branch != BRANCH_NONE &&
        !ip_is_ahead(f, at) && pt_strict(&f->in, PLACE_BDM64))
        f->walk.ip = at;
}

/* The first FUP behind an overflow says where the trace goes on.  One that is not the next
 * packet does, too, but is followed by the target of what happened there. */
static bool is_of_interrupt(struct flow *f)
{
    return pt_lost(&f->in) && f->in.s.since_ovf != SINCE_NOTHING &&
           pt_strict(&f->in, PLACE_OVF_ALONE);
}

enum step walk_to_fup(struct flow *f, bool quiet)
{
    if (f->in.follow)
        abort_reached(f);
    if (!f->in.follow) {
        bool target = !quiet && is_of_interrupt(f);
        take_ip(f);
        if (target)
            f->walk.phase = IN_FUP;
        return fup_events(f, quiet) ? STEP_EVENT : STEP_ON;
    }
    f->walk.phase = quiet ? IN_FUP_QUIET : IN_FUP;
    enum step s = walk_fup(f);
    if (s != STEP_ON || quiet)
        return s;
    return walk_fup_tip(f);
}
