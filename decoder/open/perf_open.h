/* perf_open.h - opening a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 *     header     events, features, where the records are      perf_header.c
 *     DIR/data.* further files with records                   perf_dir.c
 *     walk       all records onto the tape; what they say     perf_scan.c, perf_learn.c
 *                of the recording
 *     names      of events, once all that name them is known  perf_open.c
 */
#ifndef PTS_DECODER_OPEN_PERF_OPEN_H
#define PTS_DECODER_OPEN_PERF_OPEN_H

#include "decoder/file/perf_file.h"

struct perf_file_how {
    bool force;           /* also a file of somebody else */
    const char *temp_dir; /* for what does not fit into memory; NULL: keep it there */
    pts_message_fn *message; /* gets what perf says when it refuses a header; or NULL */
    void *message_ctx;
};

/* Opens path (a directory's name; "-": standard input), which is kept (lent). */
PTS_MUST_USE pts_status perf_file_open(const char *path,
                                       const struct perf_file_how *how,
                                       struct perf_file **out, struct pts_diag *why);

/* The end of opening, once f->source and the header's events are there: all records
 * are walked over. */
PTS_MUST_USE pts_status perf_file_walk(struct perf_file *f, struct pts_diag *why);

#endif
