/* calls.h - calls and their returns, from branches.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each thread has a stack of calls that have not returned yet; a row comes when one does, or when
 * it is known that it will not.  The rules by which a branch changes the stack are perf 6.1's
 * (docs/export.md).
 */
#ifndef PTS_SYNTH_EXPORT_CALLS_H
#define PTS_SYNTH_EXPORT_CALLS_H

#include "synth/export/call_path.h"
#include "synth/export/where.h"

/* An address of a branch, as the rules ask for it. */
struct call_place {
    uint64_t addr;
    uint32_t symbol; /* id, 0: none */
    uint64_t off;    /* in it */
};

/* A branch that became a sample. */
struct call_branch {
    struct call_place from, to;
    uint64_t sample; /* id */
    uint64_t time, insns, cycles;
    uint32_t flags; /* PTS_FLAG_* */
    uint32_t trace_nr;
    uint8_t len;     /* of the instruction */
    uint32_t thread; /* id */
    uint32_t comm;   /* id, 0: none */
    int32_t pid, tid, cpu;
    uint32_t machine; /* number */
};

/* A call that has not returned. */
struct call_open {
    uint64_t ret; /* where it returns to */
    uint64_t time, sample, branches, insns, cycles;
    uint32_t id;   /* if a row needed it already; 0 */
    uint32_t path; /* node */
    bool no_call;  /* nobody saw it */
    bool trace_end, jump;
};

/* The stack of a thread; the idle task has one for each CPU. */
struct call_stack {
    VEC(struct call_open) open;
    uint64_t branches, insns, cycles, last_time;
    uint32_t thread, comm, trace_nr, machine;
    int32_t tid, cpu;
    bool retpoline; /* the last branch looked like the begin of one */
};

/* Zero-initialise but for the first three. */
struct calls {
    const struct export_to *to;
    const struct export_where *where;
    struct call_paths *paths;
    VEC(struct call_stack) stack;
    struct idmap of; /* thread, and CPU of the idle task -> stack */
    uint32_t idle;   /* its id; 0: it has no stack */
    uint32_t ids;
};

/* For each branch: before its places have ids whether the trace goes on, then what it does. */
pts_status calls_gap(struct calls *c, uint32_t thread, int32_t cpu, uint32_t trace_nr);
pts_status calls_take(struct calls *c, const struct call_branch *b);
/* What never returned, thread by thread. */
pts_status calls_end(struct calls *c);
/* The words of a call chain of a sample made at ip, at most max; 0: there is no stack of that
 * thread.  perf has no other stack when it makes calls, so chains have what these have: jumps, and
 * calls that nobody saw. */
uint32_t calls_chain(const struct calls *c, uint32_t thread, int32_t cpu, uint64_t ip,
                     uint64_t *word, uint32_t max);
void calls_free(struct calls *c);

#endif
