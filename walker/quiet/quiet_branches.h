/* quiet_branches.h - branches that are told from legs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_QUIET_QUIET_BRANCHES_H
#define PTS_WALKER_QUIET_QUIET_BRANCHES_H

#include "walker/flow/leg_branches.h"
#include "walker/quiet/quiet_walk.h"

/* A packet whose branches are told. */
struct tell_packet {
    uint64_t began; /* leg_walk.insns before it */
    bool
        direct; /* its first leg passes direct branches: they are told at the time before */
    bool taken; /* its first outcome */
    bool fresh; /* the first behind a packet of time */
};
/* A time, or the count of cycles that it will be found by (quiet_walk.late). */
struct tell_time {
    uint64_t at;
    uint64_t cycles; /* for IPC */
    bool late;
};
/* What those have in common that are told at that time. */
struct plain_form tell_form(struct flow *f, struct quiet_walk *w,
                            const struct tell_time *when);
/* What was reported before it, which only direct branches ask for, and the time that it has. */
struct tell_when {
    struct tell_time before, now;
};
/* Those in the log, which is empty then. */
void tell_log(struct flow *f, struct quiet_walk *w, const struct tell_packet *packet,
              const struct tell_when *when);

/* Those of a TNT that are in the log, of which taken is the first outcome: it began after so many
 * instructions, with a direct branch or not. */
void tell_tnt(struct flow *f, struct quiet_walk *w, uint64_t began, bool direct,
              bool taken);
/* Those in the log that are on the way to an indirect branch. */
void tell_way(struct flow *f, struct quiet_walk *w);
/* That branch. */
void tell_indirect(struct flow *f, struct quiet_walk *w, uint64_t to, bool fresh);

/* Where the trace ends or begins, which is told whatever branch it is: the queue's time has moved on. */
struct tell_edge {
    uint64_t from, to;
    uint32_t what; /* EV_TRACE_END or EV_TRACE_BEGIN */
    bool fresh;
};
void tell_edge(struct flow *f, struct quiet_walk *w, const struct tell_edge *e);

#endif
