/* wants.h - what those who get the samples have to say about a plan.
 *
 * SPDX-License-Identifier: MIT
 *
 * What nobody looks at is not worked out; and a text cannot show every field of every
 * event.  So a plan asks before it is made.
 */
#ifndef PTS_SYNTH_PLAN_WANTS_H
#define PTS_SYNTH_PLAN_WANTS_H

#include "synth/plan/evlist.h"

/* What samples are to have, where there is any. */
enum want {
    WANT_CHAINS = 1 << 0,
    WANT_BRANCHES = 1 << 1, /* stacks of them */
    WANT_DEPTH = 1 << 2,    /* of the call stack */
    WANT_CODE = 1 << 3,     /* bytes of the instruction */
    WANT_CYCLES = 1 << 4    /* instructions per cycle */
};

struct wants {
    void *ctx;
    /* WANT_*, for events of a class.  Asked more than once: checks may change it. */
    uint32_t (*of_class)(void *ctx, enum out_class class);
    /* These may be NULL.  Each fails when the events cannot be dealt with: at event i,
     * just made or read from a pipe; among those of a file; among these once more, when
     * only the trace is left to be looked at; among all there are, at the end.  chains: call chains are asked for. */
    pts_status (*check_event)(void *ctx, const struct evlist *l, uint32_t i,
                              bool chains, struct pts_diag *why);
    pts_status (*check_file)(void *ctx, const struct evlist *l, struct pts_diag *why);
    pts_status (*check_recorded)(void *ctx, const struct evlist *l,
                                 struct pts_diag *why);
    pts_status (*check_all)(void *ctx, const struct evlist *l, struct pts_diag *why);
};

#endif
