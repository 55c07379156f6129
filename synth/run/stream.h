/* stream.h - one pass over a recording, pulled by the caller.
 *
 * SPDX-License-Identifier: MIT
 *
 *     output (text)  <-+
 *                      +- tee <- run         stream.c pulls text, stream_rows.c batches
 *     rows           <-+
 *
 * A stream has one of the two sinks, or both; those without a run, such as the header or
 * a list of events, have all their text when they are opened.
 */
#ifndef PTS_SYNTH_RUN_STREAM_H
#define PTS_SYNTH_RUN_STREAM_H

#include "synth/print/output/output.h"
#include "synth/rows/rows.h"
#include "synth/run/doctor.h"
#include "synth/run/run.h"
#include "synth/run/times.h"
#include "synth/scripting/scripted.h"
#include "synth/sample/tee.h"

enum {
    TEXT_CHUNK = 64 * 1024 /* text handed out at once, about */
};

struct pts_stream {
    struct pts_session *session;
    struct output output;   /* without options and text: there is none */
    struct options options; /* of a stream without text */
    struct rows rows;       /* if has_rows */
    bool has_rows;
    struct tee tee;    /* if both */
    struct run *run;   /* NULL: all text is there */
    bool ahead;        /* text holds something since the stream was opened */
    pts_status broken; /* a failure to be told when what is before it has been read */
    struct doctor *doctor;     /* whose text it is; NULL */
    struct times *times;       /* the same */
    struct scripted *scripted; /* gets the samples instead of a text; NULL */
    bool refused;              /* broken, since the system refused something (I13) */
    struct pts_diag why;
    pts_watch_fn *watch; /* or NULL */
    void *watch_ctx;
};

/* An empty one; NULL: no memory. */
struct pts_stream *stream_new(pts_session *s, struct pts_diag *why);
/* Opens the output with this name, and then the run that it needs, if any.  On failure,
 * too, text may be there, to be read first: PTS_OK then. */
pts_status stream_open_text(struct pts_stream *st, const char *output,
                            const struct pts_option *options, size_t count,
                            struct pts_diag *why);
/* What an output is opened with. */
struct output_from stream_from(struct pts_stream *st, const struct pts_option *options,
                               size_t count);
/* Begins the run under these options, for the sinks that there are. */
pts_status stream_run(struct pts_stream *st, const struct options *o,
                      struct pts_diag *why);
/* A step of the run; a failure is kept in st->broken. */
pts_status stream_step(struct pts_stream *st);

#endif
