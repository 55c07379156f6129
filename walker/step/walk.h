/* walk.h - from branch to branch through the code.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_STEP_WALK_H
#define PTS_WALKER_STEP_WALK_H

#include "walker/flow/flow_state.h"

/* Walks from walk.ip to the next branch (walk.cls, ...), or to `target` when not 0, or to
 * the next instruction to be sampled.  STEP_EVENT: a direct branch was followed or an
 * instruction is to be sampled, the event is in f->out.ev. */
enum step walk_code(struct flow *f, uint64_t target);

/* Behind an event that was told: where every instruction is sampled, those up to the next
 * branch, which are all alike. */
void walk_line(struct flow *f);

/* The instruction at a FUP is sampled together with the FUP's event, when it is due. */
void walk_sample_fup(struct flow *f);

/* Looks for an address anew: code and packets disagree. */
static inline enum step walk_mismatch(struct flow *f)
{
    f->walk.phase = SEEK_IP;
    return flow_fault(f, FAULT_MISMATCH);
}

#endif
