/* options.h - the options of a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two halves.  `text` is for who prints; all else says which samples there are and what
 * they have, and matters whoever gets them.
 */
#ifndef PTS_SYNTH_PLAN_OPTIONS_H
#define PTS_SYNTH_PLAN_OPTIONS_H

#include "decoder/base/vec.h"
#include "decoder/record/perf_order.h"
#include "synth/plan/fields.h"
#include "synth/plan/itrace.h"

#include <ptscript/session.h>
#include <stdbool.h>
#include <stdint.h>

/* What is only about the text. */
struct text_options {
    struct fields fields;
    bool ns, latency, deltatime, xed, inline_names;
    bool header, header_only, show_info, per_event_dump;
    bool show_task, show_mmap, show_switch, show_namespace, show_cgroup, show_lost,
        show_round, show_bpf, show_text_poke;
    uint32_t pad_dso; /* --call-trace */
    int64_t max_blocks;
    uint64_t limit; /* samples, errors and records to print; 0: all */
};

/* Strings are the caller's. */
struct options {
    struct itrace itrace;
    struct text_options text;
    bool reltime; /* --time is relative, too */
    bool verbose; /* C++ names with their parameters */
    bool dump, dump_unsorted;
    bool code_stays; /* as in sideband.h, with an order of its own */
    bool dump_cpus;  /* samples of cpus that were not asked for, too */
    bool unseen; /* nobody shows samples, for which perf would look for their code */
    bool code_unseen; /* the same of those who show samples, but no instructions */
    bool
        guests_come; /* samples of guests that nobody asked for, too: who takes them leaves them out */
    bool
        scripted; /* a script gets the samples: perf looks for their code when it asks */
    bool own_order;    /* who shows call chains goes by the configuration himself */
    bool own_cpus;     /* who names some has looked whether events have them */
    bool own_stack;    /* max_stack is what it is, whatever --itrace says */
    bool unwarned;     /* no counts of records at the end */
    bool records_only; /* nobody handles samples: they are records like any other */
    bool calls_too;    /* call stacks are kept, though nobody is shown them */
    enum perf_order_how order; /* of records, where an output has its own */
    bool demangle, demangle_kernel, full_source_path;
    bool show_kernel_path;
    bool hide_call_graph, all_cpus;
    bool strict_pt; /* decode as the processor's manual says, not as perf does */
    const char *cpu, *comms, *dsos, *pids, *tids, *symbols, *time, *graph_function;
    const char *stop_bt;
    const char *dlfilter;               /* path of a compiled filter; NULL: none */
    VEC(const char *) dlarg;            /* its arguments */
    const char *switch_on, *switch_off; /* names of events */
    bool show_on_off;                   /* also these events */
    bool stitch_lbr;
    bool
        own_lbr_chains; /* with own_order: whether perf takes chains for ones from branches */
    bool debug_mode; /* no samples, only whether they are in order */
    int64_t addr_range, max_stack;
    bool index;    /* FILE.ptidx is kept */
    uint32_t jobs; /* threads, that of the caller among them; as many as are of use */

    bool quiet; /* perf's warnings are not told */

    pts_message_fn *message; /* where warnings go, may be NULL */
    void *message_ctx;
};

/* Frames by --max-stack, which perf keeps in 32 bits with a sign: none by a number below 0. */
static inline uint64_t frames_most(int64_t given)
{
    const int32_t n = (int32_t)given;

    return n < 0 ? 0 : (uint64_t)n;
}

/* perf's defaults. */
void options_init(struct options *o, pts_message_fn *message, void *message_ctx);
/* In the order given.  PTS_E_USAGE: perf's text (it exits with 129 then); PTS_E_FORMAT:
 * they contradict each other (255); PTS_E_UNSUPPORTED names the option. */
pts_status options_parse(struct options *o, const struct pts_option *list, size_t count,
                         struct pts_diag *why);
/* Also after a failure; copies share what is given back. */
void options_free(struct options *o);
/* PTS_E_USAGE when one of them is only about the text. */
pts_status options_without_text(const struct pts_option *list, size_t count,
                                struct pts_diag *why);

#endif
