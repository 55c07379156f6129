/* filter.h - address filters: does a branch leave the traced code?
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_FILTER_H
#define PTS_WALKER_FLOW_FILTER_H

#include "walker/flow/flow_state.h"

/* Whether the TIP.PGD at hand may have ended the trace in front of `to`. */
bool leaves_filter(const struct flow *f, uint64_t to);

#endif
