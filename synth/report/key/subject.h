/* subject.h - what is counted: a sample, a frame of its call chain or a branch.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_KEY_SUBJECT_H
#define PTS_SYNTH_REPORT_KEY_SUBJECT_H

#include "synth/symbol/place.h"

#include <ptscript/bytes.h>

/* A place as a row shows it. */
struct spot_of {
    struct place at;
    const char *dso; /* its file, as rows name it; NULL: none */
    uint64_t shown;  /* where there is no symbol */
    uint64_t asked;  /* what perf takes for its address where there is one of data */
    char origin;     /* --verbose: where its symbols came from; 0: not asked for */
    bool absolute;   /* perf has the address itself, not that within the file */
    bool inlined;    /* the symbol is a function that was inlined in it */
    char level;      /* whose code it is: k . g u H; of a branch not of its sample */
};

/* What few keys ask for. */
struct subject_more {
    uint64_t weight, transaction, page_size, cgroup, cgroup_dev, cgroup_ino;
    uint16_t latency;
    int32_t socket;
    uint64_t samples; /* of its row, for a cell that goes by them */
};

/* --mem-mode: an access to memory. */
struct subject_mem {
    struct spot_of data, code;
    uint64_t source, phys, page_size;
    int32_t pid;
    uint8_t cpumode; /* of the code */
};

/* Where what is no branch came from. */
extern const struct spot_of subject_nowhere;

/* There is one for each row. */
struct subject {
    const char *comm;      /* these two live as long as the run */
    const char *last_comm; /* what the thread was called in the end: for the width */
    const char *made_up;   /* what it is called until ... */
    uint32_t named;        /* ... this epoch; 0: comm */
    uint32_t thread;
    int32_t tid, cpu;
    uint64_t time;
    const char *srcline, *srcfile;         /* NULL: not asked for */
    const char *srcline_from, *srcline_to; /* the same of a branch */
    const char *trace;    /* what a tracepoint says; NULL: it is none */
    struct pts_bytes raw; /* of a tracepoint whose fields are keys; else nothing */
    const char *parent;   /* the caller that --parent looks for; NULL: there is none */
    struct spot_of spot;  /* of a branch: its target */
    const struct spot_of *from;      /* of a branch; else subject_nowhere */
    const struct subject_more *more; /* void where no key asks for it */
    const struct subject_mem *mem;   /* NULL: not asked for */
    uint64_t flags;                  /* of a branch: its word in the stack */
    char level;                      /* as in the spot, of the sample */
    bool line_given;                 /* by the chain, and not looked for */
    bool trace_read;                 /* for the value of a field, so perf knows it */
    /* They have no part in the width. */
    bool line_skipped, file_skipped, trace_skipped, line_from_late, line_to_late;
};

#endif
