/* counts.h - what of a recording's records leads to warnings, mostly at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_COUNTS_H
#define PTS_SYNTH_RUN_COUNTS_H

#include "decoder/record/record.h"
#include "synth/plan/plan.h"

#define NO_TRACE UINT64_MAX

/* All zero, but for trace_at. */
struct run_counts {
    uint64_t records; /* all, also made samples and errors */
    uint64_t lost_records, lost_samples;
    uint64_t samples; /* recorded; at the end also made */
    uint64_t aux_records, aux_truncated, aux_partial, aux_collision;
    uint64_t unknown_records, unknown_ids, unprocessable;
    uint64_t unordered, proc_map_timeouts;
    uint64_t trace_errors,
        unknown_errors;   /* recorded: AUXTRACE_ERROR of type 1 and 0 */
    uint64_t aux_samples; /* that brought a piece of trace */
    uint64_t trace_at;    /* where the first piece of trace is; NO_TRACE */
    uint64_t cut, cut_at; /* records that end before what their type says, the first */
    bool more_namespaces, fewer_namespaces; /* than perf knows: it has been said */
};

/* Counts a record, and says what perf says at once, by the plan's message function. */
void counts_add(struct run_counts *c, const struct record *rec, const struct plan *p);
/* perf's warnings, in its order. */
void counts_warn(const struct run_counts *c, const struct plan *p);

#endif
