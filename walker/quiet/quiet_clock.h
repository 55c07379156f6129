/* quiet_clock.h - packets of time on the quiet way.
 *
 * SPDX-License-Identifier: MIT
 *
 * Cycles are counted, and turned into time only where somebody looks (clock_later.h), or near to
 * where something is to be told: a sample, a record that takes effect, a time that was asked for.
 */
#ifndef PTS_WALKER_QUIET_QUIET_CLOCK_H
#define PTS_WALKER_QUIET_QUIET_CLOCK_H

#include "decoder/pt/fast.h"
#include "walker/quiet/quiet_walk.h"

/* Until when it may only be counted from here on, and how many instructions may be walked. */
void quiet_clock(struct flow *f, struct quiet_walk *w);

/* What was counted up to q need not be looked at again. */
void quiet_here(const struct flow *f, struct quiet_walk *w, const struct pt_fast *q);

/* The packet in q.  STEP_ON: it is passed; STEP_BREAK: it is, and something is due; STEP_AGAIN: it
 * is not for here. */
enum step quiet_cyc(struct flow *f, struct quiet_walk *w, const struct pt_fast *q);
enum step quiet_mtc(struct flow *f, struct quiet_walk *w, struct pt_fast *q);

#endif
