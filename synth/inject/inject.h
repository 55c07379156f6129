/* inject.h - a recording as another one: records pass, samples take the place of the trace.
 *
 * SPDX-License-Identifier: MIT
 *
 *     run -> sink -> out_file: | header | ids | attrs | 0 | records | features |
 *                               written at the end ---^     ^ as they come
 *
 * Where records begin must be known before the first is written, and so how many events
 * there are: the plan says it.
 */
#ifndef PTS_SYNTH_INJECT_INJECT_H
#define PTS_SYNTH_INJECT_INJECT_H

#include "synth/inject/guest.h"
#include "synth/inject/hits.h"
#include "synth/inject/jit.h"
#include "synth/inject/known.h"
#include "synth/inject/out_file.h"
#include "synth/inject/put_record.h"
#include "synth/inject/sched_stat.h"
#include "synth/sample/sink.h"

/* What is to be done; the first that is on. */
struct inject_opts {
    bool build_id_all; /* ids in front of maps */
    bool build_ids;    /* ids in front of samples that hit */
    bool sched_stat;   /* how long threads slept, where they went to sleep */
    bool trace; /* --itrace was given: without one of those above, samples replace it */
    bool strip; /* ... and what was recorded of samples goes */
    bool branch_stacks; /* l or L */
    bool jit;           /* without one of those above, functions of jitdumps come in */
    const char *known_ids;   /* of files that are hit; NULL: none are given */
    bool no_hw_idx;          /* branch stacks that are made have no such word */
    const char *const *word; /* the command line, for the header */
    size_t words;
};

struct inject_aux {
    uint64_t off, size; /* an AUXTRACE record in the new file */
};

/* Zero-initialise but for the first members. */
struct inject {
    const struct inject_opts *opts;
    struct out_file *out;
    struct pts_diag *why; /* what a failed call of the sink is about */
    uint32_t
        refused; /* mark of the call (refused.h): nothing is written from then on */
    struct scene scene;
    bool looks; /* perf looks at maps, and not only passes them on */
    bool pipe;  /* header and features are records, and nothing is written behind */
    uint64_t data_at;
    struct perf_passed passed;    /* trace that was copied */
    VEC(struct sample_form) form; /* by event */
    VEC(struct inject_aux) aux;
    bool had_aux;
    bool skip_error; /* the next error was a record, which has been written */
    struct hits hits;
    struct known_ids known;
    struct jit jit;
    struct sched_stat sched;
    struct guest *guest; /* what comes in of its recording; NULL */
    uint64_t last_time;  /* of a record that waited for its turn */
};

/* Whether samples of sched_stat_* are merged into those of sched_switch. */
static inline bool inject_merges(const struct inject_opts *o)
{
    return o->sched_stat && !o->build_id_all && !o->build_ids;
}

/* Whether the trace is replaced by samples. */
static inline bool inject_decodes(const struct inject_opts *o)
{
    return o->trace && !o->build_id_all && !o->build_ids && !o->sched_stat;
}

/* Whether jitdumps become maps of files. */
static inline bool inject_takes_jit(const struct inject_opts *o)
{
    return o->jit && !o->trace && !o->build_id_all && !o->build_ids && !o->sched_stat;
}

struct sink inject_sink(struct inject *in);
void inject_free(struct inject *in);

/* --- inject_header.c --- */

/* Bytes of header, ids and attributes. */
uint64_t inject_head_bytes(const struct inject *in);
/* What a pipe begins with: events and features. */
pts_status inject_pipe_front(struct inject *in);
/* The events that are made, where perf makes them. */
void inject_pipe_made(struct inject *in);
/* Behind the last record: the features, then the front of the file. */
pts_status inject_header(struct inject *in);

#endif
