/* times.h - when a recording has trace, and what was lost: ptscript time.
 *
 * SPDX-License-Identifier: MIT
 *
 * A sink that looks at records of losses only; nothing is decoded.
 */
#ifndef PTS_SYNTH_RUN_TIMES_H
#define PTS_SYNTH_RUN_TIMES_H

#include "synth/print/text.h"
#include "synth/run/run.h"
#include "synth/run/windows.h"

/* A record that tells of something lost. */
struct times_loss {
    uint64_t off;  /* of the record */
    uint64_t time; /* ns; 0: it has none */
    int32_t cpu, tid;
    const char *what;
    uint64_t count; /* of what; 0: it does not say */
};

struct times_options {
    bool index;  /* make one */
    int64_t gap; /* ms; below 1: by the recording */
};

struct times {
    struct times_options opts;
    const struct pts_session *session;
    struct text *text;
    struct trace_index trace;
    VEC(struct times_loss) loss;
    uint32_t findings; /* losses, and places that are no packets */
};

/* The sink; its ctx is t, which has its session and its text. */
struct sink times_sink(struct times *t);
void times_free(struct times *t); /* NULL is fine */

/* times_text.c: all that is to be said, into t->text. */
void times_text(struct times *t);

#endif
