/* out_opts.h - how samples are shown, besides what fields say: the options of a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * They do not change while a run prints; whoever needs one looks here, and nobody
 * parses anything.
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_OPTS_H
#define PTS_SYNTH_PRINT_LINE_OUT_OPTS_H

#include <stdbool.h>
#include <stdint.h>

struct name_list;
struct tracepoints;

struct out_opts {
    bool ns, latency, reltime, deltatime;
    bool native; /* recorded on x86: missing instruction bytes are read from files */
    bool xed;    /* instructions as text in the place of their bytes */
    uint32_t pad_dso;                /* --call-trace: width of dso names, 0 none */
    bool chains;                     /* call chains are printed */
    bool callers_first;              /* beginning with the outermost function */
    bool inlined;                    /* with inlined functions, where perf has them */
    uint64_t max_stack, max_blocks;  /* frames; blocks of brstackinsn, 0 any number */
    const struct name_list *stop_bt; /* chains end at these; NULL: none */
    struct tracepoints *tracepoints;
    bool has_clock;              /* the two are known */
    uint64_t clockid_ns, tod_ns; /* two names of one moment */
};

#endif
