/* on_off.h - samples between two events: --switch-on, --switch-off.
 *
 * SPDX-License-Identifier: MIT
 *
 *            on            off           on
 *     - - - - |  .  .  .  . | - - - - - - |  .  .  .       - kept back   . wanted
 *
 * Only samples that have passed all other filters count, and the two events themselves are
 * wanted only if that is asked for.  Without `on` samples are wanted from the beginning.
 */
#ifndef PTS_SYNTH_SAMPLE_ON_OFF_H
#define PTS_SYNTH_SAMPLE_ON_OFF_H

#include "synth/plan/plan.h"
#include "synth/sample/sample.h"

struct on_off {
    const struct plan *plan;
    bool waiting; /* for the event that switches on */
};

static inline void on_off_init(struct on_off *o, const struct plan *p)
{
    o->plan = p;
    o->waiting = p->sel.switch_on != EVL_NONE;
}

/* Whether the next sample is wanted. */
static inline bool on_off_passes(struct on_off *o, const struct sample *s)
{
    const struct select *sel = &o->plan->sel;

    if (sel->switch_on != EVL_NONE && o->waiting) {
        if (s->event != sel->switch_on)
            return false;
        o->waiting = false;
        return o->plan->opt.show_on_off;
    }
    if (sel->switch_off != EVL_NONE && !o->waiting && s->event == sel->switch_off) {
        o->waiting = true;
        return o->plan->opt.show_on_off;
    }
    return true;
}

#endif
