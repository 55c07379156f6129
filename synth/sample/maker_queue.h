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
    struct sample form; /* of samples in lines: who, and what has no other value */
    bool formed;        /* for somebody, and it is known what becomes of his samples: */
    enum delivered delivered;
};
#define CBR_NEVER UINT32_MAX

enum { MAKER_CODES = 16, MAKER_CLASSES = 16 };

/* What all lines have in common (maker_line.c). */
struct line_plan {
    struct chains *chains; /* NULL: nobody wants stacks */
    uint32_t branch;       /* the event of samples; EVL_NONE: none are wanted */
    uint32_t insn;         /* the same; who delivers them copies their stacks */
    uint32_t filter;       /* PTS_FLAG_* of branches; 0: all are wanted */
    bool skips, timeless;
    bool only_insns;      /* a branch is an instruction like others */
    bool untimed_skipped; /* no time is asked for that is not known */
};

struct maker {
    const struct plan *plan;
    struct delivery *to;
    uint32_t rare; /* EV_* of the samples that are made in turn */
    bool cbr;      /* changes of the frequency are among them */
    /* PTS_FLAG_* by class of instruction, of events that are nothing else: with EVF_TO_IF or not */
    uint32_t flags_of[2][MAKER_CLASSES];
    struct line_plan line;
    uint64_t tsc, ns; /* a time of a line, and what that is */
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

struct maker_at {
    const struct event_batch *batch;
    const struct pt_event *ev;
};

/* Cycles since the last sample of the kind that had any. */
static inline void maker_count_ipc(const struct maker *m, const struct maker_at *at,
                                   struct sample *s, uint64_t *insns, uint64_t *cycles)
{
    if (!(at->ev->flags & EVF_IPC) && !m->plan->decode.approx_ipc)
        return;
    /* No cycles since then: nothing is said and nothing forgotten, so that the next one
     * that has cycles tells of all instructions since. */
    s->cyc_cnt = batch_ncyc(at->batch, at->ev) - *cycles;
    if (!s->cyc_cnt)
        return;
    const uint64_t ninsn = batch_ninsn(at->batch, at->ev);
    s->insn_cnt = ninsn - *insns;
    *insns = ninsn;
    *cycles += s->cyc_cnt;
}

/* Instructions are not counted where no code is followed: the period is 1 then. */
static inline uint64_t maker_period(const struct maker *m, struct maker_queue *q,
                                    uint64_t ninsn)
{
    const uint64_t before = q->period_insns;

    q->period_insns = ninsn;
    return m->plan->decode.quick ? 1 : ninsn - before;
}

static inline void maker_count_insn(const struct maker *m, struct maker_queue *q,
                                    const struct maker_at *at, struct sample *s)
{
    s->period = maker_period(m, q, batch_ninsn(at->batch, at->ev));
    maker_count_ipc(m, at, s, &q->insn_insns, &q->insn_cycles);
}

/* Queues come in any order.  The pointer holds until the next call that makes one; NULL: no
 * memory. */
struct maker_queue *maker_queue_new(struct maker *m, uint32_t queue);

static inline struct maker_queue *maker_queue_at(struct maker *m, uint32_t queue)
{
    return queue < m->queue.len ? &m->queue.at[queue] : maker_queue_new(m, queue);
}

/* --- maker_line.c --- */

void maker_line_init(struct maker *m);

/* --- pebs.c --- */

struct pebs_record {
    const struct pt_block *block;
    const struct sample *base; /* what all samples of its event have in common */
    bool guest;
};

pts_status pebs_samples(struct maker *m, const struct maker_queue *q,
                        const struct pebs_record *r);

#endif
