/* ahead.h - code that was not walked yet, looked at before its time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Some packets belong to an instruction whose address they do not have.  Nothing of the
 * flow changes here but the code that it keeps at hand.
 */
#ifndef PTS_WALKER_STEP_AHEAD_H
#define PTS_WALKER_STEP_AHEAD_H

#include "walker/flow/flow_state.h"

enum goal { GOAL_MOV_CR3, GOAL_PTWRITE };

/* Whether execution comes to such an instruction without a packet: walk.goal. */
bool goal_find(struct flow *f, enum goal kind);
/* Whether it comes to a far transfer so. */
bool far_is_ahead(struct flow *f);
/* Whether it comes to ip so, in few steps. */
bool ip_is_ahead(struct flow *f, uint64_t ip);
/* Whether it is at a VM entry. */
bool at_vmentry(struct flow *f);

/* Walks to walk.goal and executes it: STEP_TARGET.  When it is sampled, that is in the
 * event at hand. */
enum step walk_goal(struct flow *f);

#endif
