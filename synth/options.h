/* options.h - the options of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_OPTIONS_H
#define PTS_SYNTH_OPTIONS_H

#include "synth/fields.h"
#include "synth/itrace.h"

#include <ptscript/session.h>
#include <stdbool.h>
#include <stdint.h>

/* Strings are the caller's. */
struct options {
    struct itrace itrace;
    struct fields fields;
    bool ns, latency, reltime, deltatime;
    bool verbose; /* C++ names with their parameters */
    bool show_task, show_mmap, show_switch, show_namespace, show_cgroup, show_lost,
        show_round, show_bpf, show_text_poke;
    bool dump, dump_unsorted;
    bool header, header_only, show_info;
    bool demangle, full_source_path, inline_names;
    bool hide_call_graph, all_cpus, xed;
    uint32_t pad_dso; /* --call-trace */
    const char *cpu, *comms, *dsos, *pids, *tids, *symbols, *time, *graph_function;
    const char *stop_bt;
    int64_t addr_range, max_stack, max_blocks;

    pts_message_fn *message; /* where warnings go, may be NULL */
    void *message_ctx;
};

/* perf's defaults. */
void options_init(struct options *o, pts_message_fn *message, void *message_ctx);
/* In the order given.  PTS_E_USAGE: perf's text (it exits with 129 then); PTS_E_FORMAT:
 * they contradict each other (255); PTS_E_UNSUPPORTED names the option. */
pts_status options_parse(struct options *o, const struct pts_option *list, size_t count,
                         struct pts_diag *why);

#endif
