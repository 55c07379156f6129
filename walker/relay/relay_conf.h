/* relay_conf.h - what a queue is followed by, and for how long.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_RELAY_RELAY_CONF_H
#define PTS_WALKER_RELAY_RELAY_CONF_H

#include "decoder/base/crew.h"
#include "walker/flow/flow.h"
#include "walker/flow/rooms.h"

/* Who follows the segments of all queues of a run. */
struct relay_team {
    struct crew *crew; /* NULL: everybody follows his own queue alone */
    struct flow_images
        *images;         /* by who runs a task: walking finds out about code (I3) */
    struct rooms *rooms; /* there if crew is */
    uint32_t ahead;  /* segments of a queue that are followed at once, or one more */
    uint64_t queues; /* that have so many */
    uint64_t bytes;  /* of a segment, at most */
    uint64_t quiet_bytes; /* the same where little is told */
    uint64_t
        far; /* a queue that waits for others for so many ticks keeps no segments with
                   * all branches, which take much memory */
    /* The only other one is busy with printing what branches lead to: where all that are wanted are printed nobody
     * follows ahead, as telling another of them costs as much as it keeps.  But with `busy_in_crowds`, where
     * others come in between: to put all in order is so much work that who does it must not follow, too. */
    bool busy, busy_in_crowds;
    uint32_t marks;      /* so many are kept of each queue (relay_scout); 0: none */
    uint64_t mark_bytes; /* from one to the next, at least */
    bool distrust;       /* for tests: each guess is taken for wrong */
    bool crowded;        /* others are known to come in between, at the beginning */
    bool crowd; /* for tests: others are taken to come in between all the time */
};
/* All lent for the life of the relay. */
struct relay_conf {
    const struct flow_config *flow;
    struct flow_queue queue;
    const struct sideband *sb;
    struct flow_images images; /* told once for each dso that is walked in truth */
    const struct relay_team *team;
};

/* How long a queue is followed before others are, TSC ticks. */
struct relay_turn {
    uint64_t
        until; /* it stops at the first time that is not before; earlier ones need not
                      * be told */
    uint64_t
        others; /* the least time of all others: it stops behind that in any case */
};

#endif
