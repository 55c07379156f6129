/* quick.h - the quick modes: no code is followed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_STEP_QUICK_H
#define PTS_WALKER_STEP_QUICK_H

#include "walker/flow/flow_state.h"

enum step quick_step(struct flow *f);

#endif
