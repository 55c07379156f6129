/* maker_queue.h - what the files behind maker.h share.
 *
 * SPDX-License-Identifier: MIT
 *
 * The decoder's counts run on through a queue, and a sample tells how much was added
 * since the one before it of the same kind.  So each kind has its own mark.  Cycles are
 * known now and then only (EVF_IPC): the marks of instructions and cycles move
 * together, when there is something to tell.
 */
#ifndef PTS_SYNTH_SAMPLE_MAKER_QUEUE_H
#define PTS_SYNTH_SAMPLE_MAKER_QUEUE_H

#include "synth/sample/maker.h"

enum { COUNTERS = 64 };

/* What of a queue carries over from one event to the next. */
struct maker_queue {
    uint64_t period_insns; /* ninsn at the last instruction sample */
    uint64_t insn_insns,
        insn_cycles; /* counted up to the last one with a cycle count */
    uint64_t branch_insns, branch_cycles;
    uint32_t cbr, cbr_seen;
    uint32_t counter[COUNTERS]; /* 1 + the event that it counts, by AUX_OUTPUT_HW_ID */
};
#define CBR_NEVER UINT32_MAX

enum { MAKER_CODES = 16 };

struct maker {
    const struct plan *plan;
    struct delivery *to;
    uint32_t rare; /* EV_* of the samples that are made in turn */
    bool cbr;      /* changes of the frequency are among them */
    uint64_t skipped;
    uint64_t told; /* events that perf announces, a record each */
    uint64_t samples;
    uint32_t errors, untold;         /* trace errors; those that nobody asked for */
    uint32_t errors_of[MAKER_CODES]; /* by code; beyond: the last */
    VEC(struct maker_queue) queue;
};

/* s N: the first N samples are left out. */
static inline bool maker_skips(struct maker *m)
{
    return m->plan->opt.itrace.skip && m->skipped++ < m->plan->opt.itrace.skip;
}

/* --- pebs.c --- */

struct pebs_record {
    const struct pt_block *block;
    const struct sample *base; /* what all samples of its event have in common */
    bool guest;
};

pts_status pebs_samples(struct maker *m, const struct maker_queue *q,
                        const struct pebs_record *r);

#endif
