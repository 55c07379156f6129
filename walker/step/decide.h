/* decide.h - what packets decide: outcomes of branches, and targets.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_STEP_DECIDE_H
#define PTS_WALKER_STEP_DECIDE_H

#include "walker/flow/flow_state.h"

/* The outcomes in walk.tnt_bits.  STEP_ON: all are used, and there is nothing to tell. */
enum step walk_tnt(struct flow *f);
/* A TIP.PGD that was read. */
enum step walk_pgd(struct flow *f);
enum step walk_ptwrite(struct flow *f);
enum step walk_pip(struct flow *f);
/* To the branch that the TIP or TIP.PGD in hand tells the target of. */
enum step walk_tip(struct flow *f);
/* What the end of the reader's packets means to the flow; a is no answer about
 * execution. */
enum step read_ended(struct flow *f, enum pt_answer a);
/* After each call of the reader. */
void packet_read(struct flow *f);

#endif
