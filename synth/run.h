/* run.h - one run over a recording.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_H
#define PTS_SYNTH_RUN_H

#include "synth/flow_conf.h"
#include "synth/merge.h"
#include "synth/resolve.h"
#include "synth/session_priv.h"
#include "synth/synth.h"

struct run_queue {
    struct flow *flow;
    int32_t cpu, tid;
    struct who who; /* for whom it runs, at who.epoch */
    uint32_t until; /* epoch from which that may change */
    bool known;     /* who has been asked for */
    bool done;      /* timeless: ran to its end */
};

struct pts_stream {
    struct pts_session *session;
    struct synth *synth;
    struct resolve *resolve;
    struct arena arena;
    struct text text;
    pts_status broken; /* a failure to be told when the text before it is read */

    struct aux_queues aux;
    struct flow_regions regions;
    struct flow_config conf;
    struct run_queue *queue;
    uint32_t queue_count;
    struct merge *merge; /* NULL: the trace is left alone */
    bool started;        /* queues have been brought to their first time */
    uint32_t next_queue; /* timeless: the one to run next, */
    bool running;        /* ... and whether the one before it still runs */

    size_t record;  /* index of the next record in delivery order */
    uint32_t epoch; /* records that have taken effect */
    struct run_counts counts;
    bool finished;
};

/* Opens the queues of the trace and how they are merged. */
pts_status run_queues(struct pts_stream *r, struct pts_diag *why);
/* Help of ours at the end: files that were missed, and what to do. */
void run_notes(struct pts_stream *r);

#endif
