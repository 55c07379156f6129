/* queues.h - the queues of a trace, decoded and merged.
 *
 * SPDX-License-Identifier: MIT
 *
 *     aux      pieces of trace of each queue         decoder/aux
 *     relay    each queue's events, one by one       walker/relay
 *     merge    all of them in perf's order           synth/sample/merge.h
 *     by_time  the same where little is printed, as long as no two are at the same time
 */
#ifndef PTS_SYNTH_RUN_QUEUES_H
#define PTS_SYNTH_RUN_QUEUES_H

#include "decoder/aux/index.h"
#include "decoder/pt/plain.h"
#include "synth/run/flow_conf.h"
#include "synth/run/team.h"
#include "synth/run/decode_log.h"
#include "synth/run/view.h"
#include "synth/sample/by_time.h"
#include "synth/sample/chain.h"
#include "synth/sample/scout.h"
#include "synth/symbol/place.h"
#include "walker/relay/relay.h"

/* Bits of pt_event.what that change call stacks. */
enum { EVS_CALL = EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END };

struct run_queue {
    struct relay *relay;
    uint64_t bytes; /* of its pieces */
    /* The piece that is read next, where in the queue it begins, and where to look again. */
    struct {
        uint32_t piece;
        uint64_t begin, next;
    } read;
    bool ended; /* it has no more events */
    int32_t cpu, tid;
    struct whose who;     /* for whom it runs, at who.host.epoch */
    uint32_t until;       /* epoch from which that may change */
    bool known;           /* who has been asked for */
    bool use_current;     /* tid is not whom it runs for */
    bool told;            /* the trace tells who is on its CPU: tid */
    bool done;            /* timeless: ran to its end */
    uint32_t met;         /* turn with a sample of an unknown thread; or 0 */
    struct log_queue log; /* letter d */
};

/* Zero-initialise; give back with queues_close. */
struct queues {
    struct aux_queues aux;
    bool aux_is_shared; /* it is the session's */
    struct flow_regions regions;
    struct flow_config conf;
    struct flow_config
        timed; /* the same of queues that were begun again (queues_again) */
    struct team team;
    struct run_queue *at;
    uint32_t count;
    bool may_overlap;    /* pieces have parts in common */
    bool by_piece;       /* each is decoded with the sample that brought it */
    struct merge *merge; /* NULL: the trace is left alone */
    struct by_time
        *by_time;       /* in place of it, as long as that goes; NULL: it does not */
    struct scout scout; /* of its ties */
    uint64_t told,
        again;      /* events that by_time told, and those that merge tells again */
    uint32_t epoch; /* that of the next event */
    struct trace_index index; /* if indexed: it was there, and is of use */
    bool indexed;
    const struct plain_sizes *plain_sizes; /* NULL: nobody has asked for them */
    bool started;   /* queues have been brought to their first time */
    uint32_t next;  /* timeless: the one to run next, */
    bool running;   /* ... and whether the one before it still runs */
    uint64_t bytes; /* of all pieces, without what they have in common */
    const struct perf_file *file;
    struct decode_log *log; /* NULL: nobody wants one */
    uint64_t gone;          /* bytes that were gone through in this step of the run */
    struct perf_passed touched; /* of the file, so that pages are let go, */
    struct image_store *images; /* ... those of code, too; NULL: they stay */
    struct arena arena;
};

pts_status queues_open(struct queues *q, const struct queues_from *from,
                       struct pts_diag *why);
void queues_close(struct queues *q);

/* The pieces of a queue as a reader takes them, into buf: snapshots and samples (may_overlap)
 * are cut to what the piece before them did not have. */
void queue_pieces(const struct aux_queue *from, bool may_overlap, bool have_tsc,
                  struct pt_buf *buf);

/* Makes the queues known, and their first times: once, before any of them runs. */
pts_status queues_start(struct queues *q);
/* Whether any queue has run. */
bool queues_began(const struct queues *q);
/* As merge_next.  PTS_E_UNSUPPORTED: by_time does not go on. */
pts_status queues_next(struct queues *q, uint64_t until, struct merge_event *out);
/* These as in merge.h. */
struct merge_line queues_line(const struct queues *q);
void queues_took(struct queues *q, const struct merge_line *line, uint32_t count);
/* The queues are where they were before any of them ran, and go by merge from now on.  Who calls runs
 * them to each record's time once more, and leaves out what was told before. */
pts_status queues_again(struct queues *q);
/* Whether by_time has told it, or it changes a call stack for what by_time has told: to be asked of each
 * event that merge tells. */
bool queues_told_before(struct queues *q, const struct pt_event *ev);
/* The event that came last has not been told. */
void queues_untell(struct queues *q, const struct pt_event *ev);
/* As in by_time_source.  A call that changes a stack prints nothing. */
bool queues_prints(void *ctx, const struct pt_event *ev);
bool queues_order_matters(void *ctx, const struct merge_event *silent,
                          const struct merge_event *other);
pts_status queues_order(void *ctx, const struct by_time_tie *tie);
/* How many of queues.bytes have been gone through. */
uint64_t queues_passed(const struct queues *q);
/* It is not known yet who runs there. */
void queues_nobody(const struct queues *q, struct run_queue *one);
/* The trace says that a thread is on the queue's CPU from here on. */
void queues_runs(struct queues *q, uint32_t queue, int32_t tid);
/* For whom a queue runs at an epoch; lent until the next call. */
const struct whose *queues_who(struct queues *q, uint32_t queue,
                               const struct sideband *sb, uint32_t epoch);
/* A thread that no record has told of, for which the queue runs: perf makes it of its first
 * sample, and finds it, so that it has a call stack, when the queue has its next turn. */
void queues_meet(struct queues *q, uint32_t queue, const struct sideband *sb);
/* There was a sample of it. */
void queues_sampled(struct queues *q, uint32_t queue);
/* The queue of a counter's trace; false: there is none. */
bool queues_find(const struct queues *q, const struct pts_counter *from,
                 uint32_t *queue);

#endif
