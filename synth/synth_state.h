/* synth_state.h - what the files behind synth.h share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYNTH_STATE_H
#define PTS_SYNTH_SYNTH_STATE_H

#include "synth/chain.h"
#include "synth/out_perf.h"
#include "synth/rec_text.h"
#include "synth/synth.h"

enum { COUNTERS = 64 };

/* What of a queue carries over from one event to the next. */
struct syn_queue {
    uint64_t period_insns; /* ninsn at the last instruction sample */
    uint64_t insn_insns,
        insn_cycles; /* counted up to the last one with a cycle count */
    uint64_t branch_insns, branch_cycles;
    uint32_t cbr, cbr_seen;
    uint32_t counter[COUNTERS]; /* 1 + the event that it counts, by AUX_OUTPUT_HW_ID */
};
#define CBR_NEVER UINT32_MAX

struct synth {
    struct options opt;
    struct evlist evl;
    struct select sel;
    struct synth_needs needs;
    VEC(struct flow_range) ticks;
    struct chains chains;
    struct sample_stacks stacks; /* of the sample on its way, in the next two */
    uint64_t chain_words[2 * ITRACE_SIZE_MAX + 3]; /* or from branches */
    struct last_branch branch_words[ITRACE_SIZE_MAX];
    struct out_perf *out;
    struct lookup look;
    uint32_t made[MADE_EVENTS];
    uint32_t branch_filter; /* IPF_*, 0: all */
    uint64_t skipped;
    uint64_t made_count;
    uint32_t trace_errors;
    uint32_t pebs_event; /* the first whose records are in the trace; EVL_NONE */
    bool pebs_single;    /* there is no other */
    const char *cpuid;
    bool has_trace; /* even if it is not to be decoded */
    bool use_stacks;
    bool unwinds;      /* perf would add frames from stack dumps to recorded chains */
    bool chains_shown; /* where samples have call chains, they are printed */
    bool filtering;    /* something besides fields is to be looked at */
    VEC(struct syn_queue) queue;
};

/* Whose stacks a sample gets. */
enum sample_kind { SAMPLE_PLAIN, SAMPLE_MADE, SAMPLE_RECORDED };

/* Filters and prints. */
pts_status synth_deliver(struct synth *s, struct sample *sample, enum sample_kind kind,
                         struct text *t);
/* The line of an error of the trace, and its count. */
void synth_made_error(struct synth *s, const struct pts_auxtrace_error *e,
                      struct text *t);

/* A record that perf could not use, so that the run ends. */
struct failed_record {
    uint32_t type, size;
    uint64_t off;      /* as perf counts */
    const char *words; /* what perf says of it besides *why, with line ends */
};

/* Says so in perf's words: *why has the first of them, and then the last. */
pts_status synth_record_failed(struct synth *s, const struct synth_setup *u,
                               const struct failed_record *r, struct pts_diag *why);

/* --- synth_trace.c --- */

/* Whether kernel code was traced. */
bool trace_has_kernel(const struct synth *s, const struct synth_setup *u);
/* Sets what the decoder needs (s->needs), and makes the events of the samples. */
pts_status trace_plan(struct synth *s, const struct synth_setup *u,
                      struct pts_diag *why);

/* --- syn.c --- */

struct syn_queue *syn_queue_at(struct synth *s, uint32_t queue); /* NULL: no memory */

/* s N: the first N samples are left out. */
static inline bool synth_skip(struct synth *s)
{
    return s->opt.itrace.skip && s->skipped++ < s->opt.itrace.skip;
}

/* --- syn_pebs.c --- */

struct pebs_record {
    const struct pt_block *block;
    const struct sample *base; /* what all samples of its event have in common */
    bool guest;
};

/* Finds the events that want it. */
void pebs_plan(struct synth *s, const char *cpuid);
pts_status pebs_samples(struct synth *s, const struct syn_queue *q,
                        const struct pebs_record *r, struct text *t);

/* --- synth_stacks.c --- */

/* Which stacks are to be kept. */
void stacks_plan(struct synth *s, bool kernel_traced);
/* Fill in sample->stacks, valid until the next call. */
void stacks_of_made(struct synth *s, struct sample *sample);
void stacks_of_recorded(struct synth *s, struct sample *sample);
void stacks_of_pebs(struct synth *s, struct sample *sample, const struct pt_block *b);

static inline struct chain_key synth_chain_key(const struct who *w)
{
    return (struct chain_key){w->thread, w->cpu, w->pid == 0 && w->tid == 0};
}

#endif
