/* run.h - one pass over a recording: records, queues and samples in perf's order.
 *
 * SPDX-License-Identifier: MIT
 *
 *     records ------------------+
 *     queues -> merge -> maker -+-> delivery -> batch -> sink
 *
 * A run fills batches and hands them to its sink; it does not know what becomes of them.
 */
#ifndef PTS_SYNTH_RUN_RUN_H
#define PTS_SYNTH_RUN_RUN_H

#include "decoder/base/idmap.h"
#include "synth/dlfilter/dlfilter.h"
#include "synth/run/counts.h"
#include "synth/run/queues.h"
#include "synth/sample/maker.h"
#include "synth/sample/sink.h"

/* Samples that wait for the rest of their call chains (deferred.c). */
struct deferred {
    VEC(struct deferred_sample) sample; /* in order of delivery */
    struct idmap first, last;           /* by thread: indices of it */
    size_t next;                        /* at the end: the next to look at */
    const struct pts_words *user;       /* the rest of the sample on its way; or NULL */
};

/* What recorded samples need besides their records. */
struct recorded {
    VEC(uint64_t) chain; /* these two: of the sample on its way */
    VEC(struct pts_branch) branches;
    struct unwinding *unwinding; /* NULL: no stack dump was met so far */
    uint64_t *last_value; /* of each counter, as the file lists them; NULL: none read */
};

struct run {
    struct pts_session *session;
    struct view view;
    struct code_store *codes;
    struct resolve_base *places;
    struct plan *plan;
    struct sink sink;
    struct queues queues;
    struct maker *maker;
    struct delivery delivery;
    struct dlfilter *dlfilter; /* NULL: none */
    struct decode_log log;     /* letter d */
    struct resolve *ahead;     /* the filter's; NULL: nothing is filtered */
    bool dumping;  /* records and packets are shown, and nothing is decoded */
    bool finished; /* warnings have been given */
    bool silent;   /* there are none to give: the sink says it all */
    bool paused;   /* the trace was followed for a while without an event */
    bool helped;   /* the sink has others who look at what it keeps */
    size_t kept;   /* items of the batch that it keeps as a whole; 0: it takes them */
    size_t taken;  /* items of the batch that the sink has taken */
    enum { GATE_NEW, GATE_OPEN, GATE_SHUT } gate; /* the filter was started, stopped */
    pts_status
        filled;     /* what came of filling it: PTS_END, or why there will be no more */
    size_t record;  /* index of the next record in delivery order */
    uint32_t epoch; /* records that have taken effect */
    uint64_t given; /* items of which something was printed */
    uint64_t last_ns; /* time of the last of them that has one */
    struct run_counts counts;
    struct recorded recorded;
    struct deferred deferred;
    uint8_t *missing_told;   /* per dso: how often it was told that it has no file */
    struct as_view *looking; /* what is mapped where samples are */
    bool kernel_told;        /* that nothing is known of the kernel */
    struct arena arena;
};

/* A run without a plan: of the recording everything is known. */
pts_status run_new(struct pts_session *s, const struct options *o, struct run **out,
                   struct pts_diag *why);
void run_free(struct run *r); /* NULL is fine */
/* Ends it before its end: what is in the batch is handed on, and no more is decoded. */
void run_stop(struct run *r);
/* Up to when the trace runs before a record, TSC ticks; 0: the record does not make it run. */
static inline uint64_t run_tsc(const struct run *r, const struct perf_order_entry *e)
{
    const struct decode_plan *d = &r->plan->decode;

    return e->time && d->on ? tsc_of_ns(e->time, &d->clock) : 0;
}

/* How far it has come (session.h). */
void run_progress(const struct run *r, struct pts_progress *out);
/* What it is to do, and who gets what comes of it; options as in run_new.  PTS_END: perf
 * would end here with success. */
pts_status run_plan(struct run *r, const struct options *o, const struct sink *sink,
                    struct plan_failed *failed, struct pts_diag *why);
/* Whether lists and CPUs are as they should be (plan_lists_fit); before there is a run. */
bool run_lists_fit(const struct pts_session *s, const struct options *o);
/* It has come to its end before it began. */
void run_nothing(struct run *r);
/* Fills a batch, or has the sink take what is left of one.  PTS_END: the sink has taken
 * all; with a failure, too, it has got all that came before. */
pts_status run_step(struct run *r);
/* damage.c, after PTS_END: a damaged file is a fault, as it is for perf, though all was
 * told. */
pts_status run_damage(const struct run *r, struct pts_diag *why);
/* The same as a note, for who goes on with what there is. */
void run_tell_damage(const struct run *r);
/* What the filter gave that ended the run (PTS_E_FILTER); 0. */
int run_filter_result(const struct run *r);
bool run_filter_failed_made(const struct run *r); /* for a sample made from the trace */
/* The same: a file with another build id was met, and that ends the run. */
bool run_other_id(const struct run *r);

/* --- Between its files ------------------------------------------------------------ */

/* run_hand.c: the sink takes what is in the batch, or some of it. */
pts_status run_hand_on(struct run *r);

/* run_again.c: events of several queues are at the same time, so that which comes first hangs on all
 * times before.  The queues are followed again, with these, to where they are. */
pts_status run_again(struct run *r);
/* What an event that was told before does to call stacks, which begin anew then. */
pts_status run_calls_again(struct run *r, const struct merge_event *m);

/* recorded.c: the samples that a record stands for. */
pts_status run_sample(struct run *r, const struct record *rec);

/* recorded_stacks.c: what was recorded with a sample, valid until the next call. */
pts_status recorded_stacks(struct run *r, const struct pts_attr *a,
                           const struct pts_sample *p, struct sample_stacks *out);

/* recorded_unwind.c: what called a sample, from its stack dump. */
pts_status recorded_unwind(struct run *r, const struct pts_attr *a,
                           const struct pts_sample *p, const struct who *who,
                           struct sample_stacks *out);
void unwinding_free(struct unwinding *u); /* NULL is fine */

/* deferred.c.  PTS_OK: the sample waits for the rest of its chain; PTS_END: there is
 * nothing to wait for. */
pts_status run_defer(struct run *r, const struct record *rec);
/* A CALLCHAIN_DEFERRED record: the samples that waited for it. */
pts_status run_undefer(struct run *r, const struct record *rec);
/* The next sample that waited in vain; PTS_END: there is none. */
pts_status run_defer_end(struct run *r);
void deferred_free(struct deferred *d);

/* missing.c: whether the fault ev is that a dso has no file, and was told often
 * enough. */
bool run_missing_told(struct run *r, const struct pt_event *ev);
/* ... a sample without an instruction is told: perf then looks for its code.  ctx: the run. */
void run_looks_at(void *ctx, const struct sample *s);
/* ... somebody is about to ask for the kernel's symbols or code: says once if there are none. */
void run_needs_kernel(struct run *r);

/* notes.c: help of ours at the end: what was missed, and what to do. */
void run_notes(const struct run *r);
/* notes_code.c: the same of code and of names that were not found. */
void notes_code(const struct run *r);
/* notes_kernel.c: ... and of files of the kernel. */
void notes_kernel(const struct run *r);

#endif
