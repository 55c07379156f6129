/* run.h - one run over a recording.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_H
#define PTS_SYNTH_RUN_H

#include "synth/flow_conf.h"
#include "decoder/perf_sample.h"
#include "synth/merge.h"
#include "synth/out_dump.h"
#include "synth/resolve.h"
#include "synth/session_priv.h"
#include "synth/stat_table.h"
#include "synth/synth.h"
#include "walker/idmap.h"

struct run_queue {
    struct flow *flow;
    int32_t cpu, tid;
    struct who who;   /* for whom it runs, at who.epoch */
    uint32_t until;   /* epoch from which that may change */
    bool known;       /* who has been asked for */
    bool use_current; /* tid is not whom it runs for */
    bool done;        /* timeless: ran to its end */
};

/* Samples that wait for the rest of their call chains (run_deferred.c). */
struct run_deferred {
    VEC(struct waiting) waiting;  /* in order of delivery */
    struct idmap first, last;     /* by thread: indices of it */
    size_t next;                  /* at the end: the next to look at */
    const struct pts_words *user; /* the rest of the sample on its way; or NULL */
};

struct pts_stream {
    struct pts_session *session;
    const struct perf_order *order; /* these three: the session's, or own_... below */
    struct sideband *sb;
    struct code_store *codes;
    struct synth *synth;
    struct resolve *resolve;
    struct tracepoints *tracepoints;
    struct arena arena;
    struct text text;
    VEC(uint64_t) chain; /* these two: of the recorded sample on its way */
    VEC(struct last_branch) branches;
    struct unwinding *unwinding; /* NULL: no stack dump was met so far */
    bool ahead;                  /* text holds something since the stream was opened */
    bool whole;                  /* and there is no more */
    pts_status broken; /* a failure to be told when the text before it is read */
    struct pts_diag why;

    struct aux_queues aux;
    struct flow_regions regions;
    struct flow_config conf;
    struct run_queue *queue;
    uint32_t queue_count;
    bool may_overlap;    /* pieces have parts in common */
    bool by_piece;       /* each is decoded with the sample that brought it */
    struct merge *merge; /* NULL: the trace is left alone */
    bool started;        /* queues have been brought to their first time */
    uint32_t next_queue; /* timeless: the one to run next, */
    bool running;        /* ... and whether the one before it still runs */

    size_t record;  /* index of the next record in delivery order */
    uint32_t epoch; /* records that have taken effect */
    struct run_counts counts;
    struct stat_table *stat; /* NULL: no record of perf stat yet */
    uint64_t *last_value; /* of each counter, as the file lists them; NULL: none read */
    struct run_deferred deferred;
    bool finished;
    bool features, features_full; /* print those that are records, in short or full */
    bool feature_seen[PERF_FEAT_LIMIT]; /* those that were records so far */
    uint8_t *missing_told; /* per dso: how often it was told that it has no file */

    bool dumping; /* -D: no decoding, every record as text */
    struct dump dump;
    struct perf_order own_order;
    struct sideband *own_sb;
    struct code_store *own_codes;
};

/* The sample id of a record as the printer wants it; who is to be looked up yet. */
struct sample run_sample_of(const struct pts_stream *r, const struct perf_rec *rec);
/* The lines of a recorded sample. */
pts_status run_sample(struct pts_stream *r, const struct perf_rec *rec,
                      const struct pts_sample *p, struct text *t);
/* PTS_OK: the sample waits for the rest of its chain; PTS_END: there is nothing to wait
 * for. */
pts_status run_defer(struct pts_stream *r, const struct perf_rec *rec,
                     const struct pts_sample *p);
/* A CALLCHAIN_DEFERRED record: the lines of the samples that waited for it. */
pts_status run_undefer(struct pts_stream *r, const struct perf_rec *rec);
/* The next sample that waited in vain; PTS_END: there is none. */
pts_status run_defer_end(struct pts_stream *r);
void run_defer_free(struct pts_stream *r);
/* The lines of a record that perf stat wrote; nothing for others. */
pts_status run_stat(struct pts_stream *r, const struct perf_rec *rec, struct text *t);
/* What was recorded with a sample, valid until the next call. */
/* What called a recorded sample, from its stack dump (run_unwind.c). */
pts_status run_unwind(struct pts_stream *r, const struct pts_attr *a,
                      const struct pts_sample *p, const struct who *who,
                      struct sample_stacks *out);
void run_unwind_free(struct unwinding *u); /* NULL is fine */
pts_status run_stacks(struct pts_stream *r, const struct pts_attr *a,
                      const struct pts_sample *p, struct sample_stacks *out);
/* Counts a record for the warnings at the end. */
void run_count(struct pts_stream *r, const struct perf_rec *rec);
/* The line of a record that --show-*-events asks for; r->record is its index. */
void run_show(struct pts_stream *r, const struct perf_rec *rec, struct text *t);
/* What the texts of records only mention. */
struct rec_names run_rec_names(struct pts_stream *r);

/* The block of --header, and the text of a feature that is a record. */
void run_header(struct pts_stream *r, bool full);
void run_feature(struct pts_stream *r, const struct perf_rec *rec, struct text *t);
/* perf evlist: all of its text at once. */
pts_status run_evlist(struct pts_stream *r, const struct pts_option *options,
                      size_t count, struct pts_diag *why);

/* Puts the records into file order where perf takes them so: for
 * --dump-unsorted-raw-trace and --show-round-events.  Before the rest is opened. */
pts_status run_file_order(struct pts_stream *r, const struct options *o,
                          struct pts_diag *why);
/* -D. */
void run_dump_open(struct pts_stream *r);
/* A pipe's records up to the one at SHOWN, which perf cannot use. */
void run_dump_before(struct pts_stream *r, const struct options *o, uint64_t shown);

/* Whether the fault ev, at an epoch, is that a dso has no file, and was told often
 * enough. */
bool run_missing_told(struct pts_stream *r, const struct pt_event *ev, uint32_t epoch);

/* Opens the queues of the trace and how they are merged. */
pts_status run_queues(struct pts_stream *r, struct pts_diag *why);
/* Help of ours at the end: files that were missed, and what to do. */
void run_notes(struct pts_stream *r);

#endif
