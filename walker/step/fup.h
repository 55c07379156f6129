/* fup.h - to the address of a FUP, and what happened there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_STEP_FUP_H
#define PTS_WALKER_STEP_FUP_H

#include "walker/flow/flow_state.h"

/* Execution is at walk.ip, which bound events waited for; quiet: no TIP follows.  False:
 * nothing is told of it. */
bool fup_events(struct flow *f, bool quiet);
/* Walks to the FUP's ip.  STEP_ON: there, and nothing to report yet. */
enum step walk_fup(struct flow *f);
/* Behind an asynchronous FUP: where execution went. */
enum step walk_fup_tip(struct flow *f);
/* A FUP that was read (PT_FUP, PT_AT).  STEP_ON: nothing to report. */
enum step walk_to_fup(struct flow *f, bool quiet);

#endif
