/* sink.h - who gets what a run delivers.
 *
 * SPDX-License-Identifier: MIT
 *
 *     recording -> run -> batches -> sink: the text of perf script
 *                                    sink: rows for programs
 *                                    tee: several of them
 *
 * A sink says what it needs before the run is planned, is told what the run goes by,
 * and then gets batch after batch.  It keeps what state it likes; the run knows nothing
 * of text, files or databases.  docs/add-an-output.md shows how to write one.
 */
#ifndef PTS_SYNTH_SAMPLE_SINK_H
#define PTS_SYNTH_SAMPLE_SINK_H

#include "decoder/base/crew.h"
#include "decoder/record/perf_order.h"
#include "synth/plan/plan.h"
#include "synth/sample/batch.h"
#include "synth/symbol/resolve.h"
#include "walker/sideband/sideband.h"

/* What the items of a run are about; lent for the life of the run. */
struct scene {
    const struct perf_file *file;
    const struct perf_order *order;
    const struct sideband *sb;
    const struct plan *plan;
    struct resolve_base *places; /* for a resolve of one's own */
    /* To be told that a sample's code is looked at: what perf says of missing files goes by
     * it.  Its ctx is the run's; it must be the last sample that was delivered. */
    void (*looked)(void *run, const struct sample *s);
    void *run;
};

/* Functions may be NULL where a sink has nothing to say. */
struct sink {
    struct wants wants; /* its ctx is that of all the others, too */
    /* Whether records of a type are wanted. */
    bool (*wants_record)(void *ctx, uint32_t type);
    /* The run is planned. */
    pts_status (*begin)(void *ctx, const struct scene *scene);
    /* Whether it takes series, once it has begun; then it must not want cycles. */
    bool (*series)(void *ctx);
    /* Whether several could work on what it is given, once it has begun; then also who: lent
     * for as long as the run gives batches. */
    bool (*parts)(void *ctx);
    pts_status (*employ)(void *ctx, struct crew *crew);
    /* How many items a batch should have that it takes as a whole, by `keep`; 0: it takes the
     * next one by `take`.  All five are there, or none. */
    size_t (*room)(void *ctx);
    /* Takes what the batch has away, and leaves it empty: perhaps it is looked at later. */
    pts_status (*keep)(void *ctx, struct batch *b);
    /* There will be no more: looks at some of what was kept; PTS_END: there is none. */
    pts_status (*rest)(void *ctx);
    /* Takes items from number `from` on; *next: the first one that was not taken, which
     * comes again, with those behind it. */
    pts_status (*take)(void *ctx, const struct batch *b, size_t from, size_t *next);
    /* How many more it wants: at 0 the run ends.  NULL: all. */
    uint64_t (*left)(void *ctx);
    /* All has been taken. */
    pts_status (*end)(void *ctx);
};

#endif
