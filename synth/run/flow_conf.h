/* flow_conf.h - how the trace was recorded, as far as decoding depends on it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_FLOW_CONF_H
#define PTS_SYNTH_RUN_FLOW_CONF_H

#include "synth/run/session.h"
#include "synth/plan/plan.h"

/* Regions of an address filter; the strings belong to the arena given. */
struct flow_regions {
    VEC(struct flow_filter) at;
};

/* From the file and from the plan; fails for lack of memory alone. */
pts_status flow_conf_make(const struct pts_session *s, const struct decode_plan *plan,
                          struct arena *arena, struct flow_regions *regions,
                          struct flow_config *out);

/* The same, of where the kernel switches threads: of a full trace only. */
void flow_conf_switches(const struct pts_session *s, const struct sideband *sb,
                        struct flow_config *out);
/* The same, of whether threads may be shared; behind flow_conf_switches. */
void flow_conf_shared(const struct sideband *sb, struct flow_config *out);
/* Whoever asked for calls and returns for the sake of call stacks is told of each branch. */
void flow_conf_all_branches(struct flow_config *out);

#endif
