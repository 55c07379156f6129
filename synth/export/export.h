/* export.h - a recording as rows of tables: the sink that makes them.
 *
 * SPDX-License-Identifier: MIT
 *
 *     item -> export.c     a sample and what it refers to; a switch of threads
 *          -> who.c        ids of machines, threads, names
 *          -> where.c      ids of files, symbols
 *          -> calls.c      calls, when they return; call_path.c: who called whom
 *          -> chains.c     call chains as such paths
 *          -> rows.h       to whoever takes rows
 *
 * Ids are perf's: a thing gets the next number of its table when a row first refers to it
 * (docs/export.md).
 */
#ifndef PTS_SYNTH_EXPORT_EXPORT_H
#define PTS_SYNTH_EXPORT_EXPORT_H

#include "synth/export/calls.h"
#include "synth/export/chains.h"
#include "synth/export/where.h"
#include "synth/export/who.h"

/* Zero-initialise but for the first three. */
struct exporter {
    struct export_to to;
    bool with_calls;    /* calls are wanted, */
    bool with_chains;   /* ... and paths of call chains */
    struct scene scene; /* from here on after begin */
    struct export_who who;
    struct export_where where;
    struct call_paths paths;
    struct calls calls;
    struct export_chains chains;
    uint64_t words[ITRACE_SIZE_MAX + 1]; /* of one */
    VEC(uint32_t) evsel;                 /* ids by number; 0: none yet */
    uint32_t evsels;
    uint64_t samples, switches;
    uint64_t unhandled;         /* samples of tracepoints, which no table takes */
    struct who last;            /* whose the sample before was, */
    struct export_ids last_ids; /* ... and its ids */
};

struct sink export_sink(struct exporter *e);
void export_free(struct exporter *e);

#endif
