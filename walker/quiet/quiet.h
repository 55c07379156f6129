/* quiet.h - the common packets, from leg to leg.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_QUIET_QUIET_H
#define PTS_WALKER_QUIET_QUIET_H

#include "walker/flow/period.h"
#include "walker/flow/switches.h"
#include "walker/quiet/quiet_walk.h"

/* Before selected times: the next event leaps to them; and no switch is seen until then. */
static inline bool quiet_before_range(const struct flow *f)
{
    const struct range_state *r = &f->told.range;
    return r->start && r->tsc && (r->tsc > r->ff_tsc || switches_any(f));
}

/* In a period that goes on for some instructions: for fewer it does not pay. */
static inline bool quiet_period(const struct flow *f)
{
    enum { WORTH = 32 };
    const uint64_t t = f->in.s.clk.now + f->in.s.clk.insns;

    switch (f->conf.period_type) {
    case PERIOD_INSNS:
        return f->conf.period - f->walk.period_insns > WORTH; /* may be below 0 */
    case PERIOD_TICKS:
        return t >= f->walk.last_tick &&
               (f->in.s.unbroken || t + WORTH < period_ends(f));
    case PERIOD_NONE:
        break;
    }
    return true;
}

/* Whether plain packets may be taken without events: nothing waits for the next event,
 * or for the next branch, to be told or to take effect. */
static inline bool quiet_now(const struct flow *f)
{
    if (!f->quiet)
        return false;
    const struct pt_state *s = &f->in.s;
    const struct told_state *t = &f->told;
    uint64_t until = quiet_until(f);
    bool same_maps = t->tsc < until && s->clk.now < until && t->sample_tsc < until;
    bool nr = f->walk.nr;
    bool same_mode = s->iflag == s->next_iflag && !s->next_mode && s->pip == nr &&
                     s->nr == nr && s->next_nr == nr && (!nr || f->conf.guest_images);
    if (f->branches && (t->branch_due || (t->range.start && t->range.tsc)))
        return false; /* branches before selected times are not told */
    return t->started && t->any && s->cbr_seen == s->clk.cbr && same_maps &&
           same_mode && quiet_period(f) && !quiet_before_range(f) &&
           !switches_wait(f) && !f->walk.loops.total && !f->walk.emu_ptwrite;
}

/* Takes what it can from the trace while walk.phase is SYNC.  STEP_ON: go on with the next
 * packet, or with the outcomes that are left when the phase says so. */
enum step quiet_packets(struct flow *f);
/* The outcomes in walk.tnt_bits, as many as are plain. */
enum step quiet_tnt_bits(struct flow *f);

#endif
