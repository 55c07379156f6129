/* decode_log.h - what the decoder did, as a text: letter d of --itrace.
 *
 * SPDX-License-Identifier: MIT
 *
 * Packets as they are read, records as they take effect, and errors where they happen: why
 * a trace could not be followed can be seen from it.  Lines about the trace are those of
 * perf's log; what perf's decoder has cached, and how its clock goes on, is not there.
 *
 *     d      into intel_pt.log, in the working directory
 *     d-a    without the records
 *     d+o    onto standard output, between the samples
 *     d+e    only what came last before an error
 *
 * A queue is decoded a little ahead of its samples, so its packets are, too.
 */
#ifndef PTS_SYNTH_RUN_DECODE_LOG_H
#define PTS_SYNTH_RUN_DECODE_LOG_H

#include "decoder/record/perf_rec.h"
#include "synth/plan/plan.h"
#include "synth/print/text.h"
#include "synth/sample/batch.h"
#include "walker/flow/event.h"

#include <stdio.h>

struct decode_log;
struct pt_stream;

/* Whose packets are on their way. */
struct log_queue {
    struct decode_log *log;
    uint32_t number;
    int32_t cpu, tid;
};

/* Zero-initialise. */
struct decode_log {
    bool on;
    bool records, to_text, errors_only;
    uint32_t size; /* with the last: how much is kept */
    FILE *file;    /* NULL: none yet, or it cannot be written */
    bool tried;
    int cut;          /* errno of what could not be written any more; 0: nothing */
    uint32_t queue;   /* 1 + that of the last packet; 0: none yet */
    struct text text; /* not yet given out */
};

void decode_log_open(struct decode_log *log, const struct plan *p);
void decode_log_free(struct decode_log *log);

/* A packet of a queue, q (a stream_watch_fn); size 0: a byte that begins none. */
void decode_log_packet(void *q, const struct pt_stream *s, unsigned size);
void decode_log_record(struct decode_log *log, const struct perf_rec *rec,
                       uint64_t tsc);
/* An error of a queue; with e, what came before it goes out. */
pts_status decode_log_error(struct decode_log *log, uint32_t queue,
                            const struct pt_event *ev, struct batch *b);

/* What was logged goes out: to the file, or into the batch. */
pts_status decode_log_put(struct decode_log *log, struct batch *b);
/* No more of it comes. */
void decode_log_close(struct decode_log *log);

#endif
