/* index_file.h - FILE.ptidx: what was found out about the trace of FILE.
 *
 * SPDX-License-Identifier: MIT
 *
 * It is made when somebody asks for it, and used where it is of use; it can be removed at any
 * time.  One that is not of the recording as it is now is told, and not used.
 */
#ifndef PTS_SYNTH_RUN_INDEX_FILE_H
#define PTS_SYNTH_RUN_INDEX_FILE_H

#include "decoder/aux/index.h"
#include "synth/run/session.h"

/* That of the recording.  It is sound, and has all pieces of the queues.  PTS_END: there is
 * none, or none of use, which is told.  Give back with index_free. */
PTS_MUST_USE pts_status index_load(const struct pts_session *s,
                                   const struct aux_queues *queues,
                                   struct trace_index *out);

/* The same, but what is of no use is not told. */
PTS_MUST_USE pts_status index_load_silent(const struct pts_session *s,
                                          const struct aux_queues *queues,
                                          struct trace_index *out);

/* Lets the buffers of a queue that it was loaded for know their PSBs, as far as they are listed; buf lends x, and lists
 * in the arena.  False: no memory. */
PTS_MUST_USE bool index_lists(const struct trace_index *x, const struct aux_queue *from,
                              struct pt_buf *buf, struct arena *arena);

/* Writes it: whole or not at all, and over nothing but an older index. */
PTS_MUST_USE pts_status index_store(const struct pts_session *s,
                                    const struct trace_index *x, struct pts_diag *why);

#endif
