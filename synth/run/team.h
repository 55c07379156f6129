/* team.h - who follows the queues of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_TEAM_H
#define PTS_SYNTH_RUN_TEAM_H

#include "synth/run/session.h"
#include "synth/plan/plan.h"
#include "walker/flow/code_store.h"
#include "walker/relay/relay.h"

/* What queues are opened from; sb and codes are lent for their life. */
struct queues_from {
    const struct pts_session *session;
    const struct plan *plan;
    const struct sideband *sb;
    struct code_store *codes;
    bool busy; /* who helps has something to do besides following queues */
};

/* Zero-initialise; give back with team_free, after a failure, too. */
struct team {
    struct relay_team relay;
    struct code_store *
        *codes; /* one for each but the caller, who has that of the run */
};
/* No more threads than asked for, and than have something to do. */
pts_status team_make(const struct queues_from *from, const struct aux_queues *aux,
                     struct team *out);
void team_free(struct team *t);

#endif
