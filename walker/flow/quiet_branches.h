/* quiet_branches.h - branches that are told from legs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_QUIET_BRANCHES_H
#define PTS_WALKER_FLOW_QUIET_BRANCHES_H

#include "walker/flow/quiet_walk.h"

/* Those of a TNT that are in the log, of which taken is the first outcome: it began after so many
 * instructions, with a direct branch or not. */
void tell_tnt(struct flow *f, struct quiet_walk *w, uint64_t began, bool direct,
              bool taken);
/* Those in the log that are on the way to an indirect branch. */
void tell_way(struct flow *f, struct quiet_walk *w);
/* That branch. */
void tell_indirect(struct flow *f, struct quiet_walk *w, uint64_t to);

#endif
