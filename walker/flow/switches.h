/* switches.h - threads that change where the kernel switches them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A record tells that a CPU goes on with another thread, and its time is a little off that
 * of the trace.  Where the kernel is traced the exact place is known: the branch to
 * __switch_to.  So record and branch wait for each other, whichever comes first:
 *
 *                      branch to __switch_to
 *           TRACING ------------------------> WAITS_FOR_RECORD
 *            |   ^                                  | record: the queue goes on at its time
 *     record |   | branch: the thread changes       v
 *            v   |                               TRACING
 *       WAITS_FOR_BRANCH
 *
 * As perf does it.  An error in the kernel ends this for the queue: from then on records
 * alone tell.
 */
#ifndef PTS_WALKER_FLOW_SWITCHES_H
#define PTS_WALKER_FLOW_SWITCHES_H

#include "walker/flow/flow_state.h"

void switches_init(struct flow *f);

/* An error was met at `from`. */
void switches_error(struct flow *f, uint64_t from);

/* Only where switches are told by the trace (flow_config.switch_to); who calls asks, since most
 * queues have none and this is done for every event. */
static inline bool switches_any(const struct flow *f)
{
    return f->conf.switch_to != 0;
}

/* Whether a branch there may be more than a branch. */
static inline bool switches_at(const struct flow *f, uint64_t to)
{
    return switches_any(f) && (to == f->conf.switch_to || to == f->conf.switch_hook);
}

/* Whether any branch may be. */
static inline bool switches_wait(const struct flow *f)
{
    return switches_any(f) && f->told.sw.on && f->told.sw.phase == SWITCH_NOT_TRACING;
}

/* Whether who runs is still to be told. */
static inline bool switches_untold(const struct flow *f)
{
    return f->told.sw.tid != f->told.sw.told;
}

/* Before an event is told: records up to its time take effect. */
void switches_before(struct flow *f);
/* After it: it may be the branch that switches. */
void switches_after(struct flow *f);
/* In place of that for an event before the selected times, as perf: no branch is seen, and who was
 * announced is there. */
void switches_passed(struct flow *f);
/* Whether the time of the event must be estimated: it switches, and no record was seen. */
bool switches_unseen(const struct flow *f);

#endif
