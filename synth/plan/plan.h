/* plan.h - what a run is to do, worked out before it begins.
 *
 * SPDX-License-Identifier: MIT
 *
 *     options     what was asked for       \
 *     facts       what the recording has    >  struct plan
 *     wants       what will be looked at   /
 *
 * A plan does not change while a run goes by it.
 */
#ifndef PTS_SYNTH_PLAN_PLAN_H
#define PTS_SYNTH_PLAN_PLAN_H

#include "decoder/aux/auxtrace.h"
#include "decoder/base/address.h"
#include "synth/plan/evlist.h"
#include "synth/plan/made.h"
#include "synth/plan/options.h"
#include "synth/plan/select.h"
#include "synth/plan/wants.h"
#include "walker/flow/flow.h"

/* What of the recording matters.  Lent during the call; the strings of attrs and cpuid for
 * the life of the plan. */
struct plan_facts {
    const struct evl_attr *attr;
    size_t attr_count;
    bool pipe;               /* attrs came as records: they are checked one by one */
    uint32_t cpus_available; /* NRCPUS, 0 without */
    uint64_t first_sample, last_sample; /* feature SAMPLE_TIME, ns; 0 without */
    const struct aux_info *aux;         /* NULL: no trace of Intel PT */
    uint64_t aux_off;                   /* where its record is, as perf says, */
    uint32_t aux_size;                  /* ... and its size, header and all */
    const char *cpuid;                  /* feature CPUID; NULL without */
    uint32_t branch_registers;       /* feature CPU_PMU_CAPS: "branches"; 0 without */
    const struct pts_option *config; /* perf's configuration */
    size_t config_count;
    bool guest_images; /* code of guests is there, too */
    bool guests;       /* samples of guests are wanted */
    bool samples;      /* some were recorded */
};

/* What the decoder has to know. */
struct decode_plan {
    bool on;                /* false: leave the trace alone */
    uint32_t events;        /* EV_*: those that lead to anything */
    uint32_t want_classes;  /* of branches: as in struct flow_config */
    bool net_calls;         /* the same */
    uint32_t last_branches; /* the same */
    bool insn_bytes;        /* somebody wants them */
    bool cycles;            /* the same of instructions per cycle */
    bool timeless;          /* ignore time: each queue by itself */
    bool approx_ipc;
    bool strict;       /* as in struct flow_config */
    int32_t max_loops; /* the same */
    uint32_t log_size; /* bytes of the log that are kept for an error (d+e) */
    uint32_t quick;    /* as in struct flow_config */
    enum flow_period period_unit;
    uint64_t period; /* ticks: not yet rounded down to a power of two */
    struct tsc_conv clock;
    uint32_t max_non_turbo, cbr_khz;
    bool cap_event_trace;
    bool one_machine; /* guests are shown like the host: code was given for them */
    VEC(struct flow_range) range; /* in ticks */
};

/* Which stacks are followed. */
struct stack_plan {
    bool calls;
    uint32_t last_branches; /* how many to keep for each thread */
    bool mispredicted;      /* these are shown so */
    bool
        at_made; /* calls or last branches, not both, and only samples made from the trace get them */
    bool any;
};

/* Events whose samples the processor puts into the trace. */
struct pebs_plan {
    uint32_t event; /* the first of them; EVL_NONE */
    bool single;    /* there is no other */
    const char *cpuid;
};

struct plan {
    struct options opt;
    bool guests; /* samples of guests are shown */
    struct evlist evl;
    struct select sel;
    struct decode_plan decode;
    struct stack_plan stack;
    struct pebs_plan pebs;
    struct made made;
    uint32_t branch_filter; /* PTS_FLAG_*: letters c and r; 0: all */
    uint32_t want[CLASSES]; /* WANT_* */
    bool has_trace;         /* even if it is not to be decoded */
    uint32_t trace_type;    /* of its event, if there is one */
    bool chains_shown;      /* where samples have call chains, they are asked for */
    bool callers_first;     /* those are shown from the outermost function on */
    bool unwinds; /* perf would add frames from stack dumps to recorded chains */
    uint32_t
        stitch_depth; /* --stitch-lbr: registers of branches; 0: nothing is joined */
    bool filtering;   /* something besides the kind of sample is to be looked at */
};

/* Of a guest that nobody asked for, where perf looks for nothing; cpumode: as in a sample. */
static inline bool plan_leaves_out(const struct plan *p, uint8_t cpumode)
{
    return mode_is_guest(cpumode) && !p->guests;
}

/* A record that perf could not use, so that the run ends. */
struct plan_failed {
    uint64_t off; /* where perf says it is; UINT64_MAX: none */
};

/* PTS_END: perf would end here, silently and with success (a message was sent). */
pts_status plan_new(const struct plan_facts *facts, const struct options *options,
                    const struct wants *wants, struct plan **out,
                    struct plan_failed *failed, struct pts_diag *why);
void plan_free(struct plan *p); /* NULL is fine */

/* Whether a plan can be made as far as lists and CPUs go, which perf looks at before it starts a
 * script; says nothing. */
bool plan_lists_fit(const struct plan_facts *facts, const struct options *options);

/* Frames of a call chain: --max-stack, but g and G may ask for longer ones. */
uint64_t plan_max_stack(const struct plan *p);

/* What samples of an event are to have. */
static inline uint32_t plan_wants(const struct plan *p, uint32_t event)
{
    return p->want[p->evl.ev.at[event].class];
}

void plan_warn(const struct plan *p, const char *text);

#endif
