/* out_perf.h - samples as the lines of perf script.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line's columns come from the fields of its event's class (spec A5.3).  Some widths
 * depend on what was printed before, as in perf, so one out_perf must see all lines of
 * a run in order.
 */
#ifndef PTS_SYNTH_OUT_PERF_H
#define PTS_SYNTH_OUT_PERF_H

#include "synth/evlist.h"
#include "synth/fields.h"
#include "synth/fmt.h"
#include "synth/sample.h"
#include "synth/select.h"
#include "synth/tracepoint.h"

#include <ptscript/status.h>

struct out_opts {
    bool ns, latency, reltime, deltatime;
    bool native; /* recorded on x86: missing instruction bytes are read from files */
    bool xed;    /* instructions as text in the place of their bytes */
    uint32_t pad_dso;                /* --call-trace: width of dso names, 0 none */
    bool chains;                     /* call chains are printed */
    bool inlined;                    /* with inlined functions, where perf has them */
    uint64_t max_stack, max_blocks;  /* frames; blocks of brstackinsn, 0 any number */
    const struct name_list *stop_bt; /* chains end at these; NULL: none */
    struct tracepoints *tracepoints;
    bool has_clock;
    uint64_t clockid_ns, tod_ns; /* two names of one moment */
};

struct out_perf;

/* All of it is lent for the life of the result.  fields and evlist must not change
 * after the first line. */
pts_status out_perf_new(const struct fields *f, const struct evlist *l,
                        const struct lookup *look, const struct out_opts *opts,
                        struct out_perf **out);
void out_perf_free(struct out_perf *o); /* NULL is fine */

/* The line of one sample.  depth: of its thread's call stack, for callindent (with the
 * correction for returns). */
void out_perf_sample(struct out_perf *o, const struct sample *s, size_t depth,
                     struct text *t);
/* The columns in front of a side-band record: comm, tid, cpu, time.  record_type:
 * perf's number of it, s->event: the event its sample id belongs to. */
void out_perf_start(struct out_perf *o, const struct sample *s, uint32_t record_type,
                    struct text *t);
/* What lies at ip, found as perf finds a sample's ip. */
const struct place *out_perf_place(struct out_perf *o, const struct who *w,
                                   uint8_t cpumode, uint64_t ip);
/* The same for a sample's addr: maps of the other mode are tried, too. */
const struct place *out_perf_target(struct out_perf *o, const struct who *w,
                                    uint8_t cpumode, uint64_t addr);
/* Name that callindent and --graph-function go by: of the function called or returned
 * from.  *ip: the address to show when there is none, 0 nothing. */
const char *out_perf_function(struct out_perf *o, const struct sample *s, uint64_t *ip);

#endif
