/* plan_making.h - what the files behind plan.h share.
 *
 * SPDX-License-Identifier: MIT
 *
 * A plan grows in steps, as perf reads a recording: events of the file, options against
 * them, events made from the trace, stacks and filters.  A step may find that perf
 * would end there; *failed then says at which record.
 */
#ifndef PTS_SYNTH_PLAN_PLAN_MAKING_H
#define PTS_SYNTH_PLAN_PLAN_MAKING_H

#include "synth/plan/plan.h"

/* A plan while it is made. */
struct making {
    struct plan *plan;
    const struct plan_facts *facts;
    const struct wants *wants;
    struct plan_failed *failed;
    struct pts_diag *why;
};

/* The same events at one record that perf could not use. */
struct bad_record {
    uint32_t type, size;
    uint64_t off; /* as perf counts */
    const char
        *words; /* what perf says of it behind *why, if that is there; with line ends */
};

/* --- plan_fail.c --- */

/* Says so in perf's words: *why has the first of them, and then the last. */
pts_status plan_bad_record(struct making *m, const struct bad_record *r);

/* --- plan_trace.c --- */

/* Whether kernel code was traced. */
bool plan_traces_kernel(const struct making *m);
/* What the decoder needs, and the events of the samples that are made. */
pts_status plan_trace(struct making *m);

#endif
