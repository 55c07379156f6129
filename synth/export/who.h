/* who.h - ids of machines, threads and their names.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thread gets its id when a sample or a switch first needs it, after the main thread of its
 * process; a name (comm) when the thread is met while it has it.  A name that perf made up
 * (":1234") and the first one that a record gives are one and the same: the row stays as it
 * was when the id was given.
 */
#ifndef PTS_SYNTH_EXPORT_WHO_H
#define PTS_SYNTH_EXPORT_WHO_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/export/rows.h"
#include "synth/sample/sink.h"

/* Zero-initialise but for the first two. */
struct export_who {
    const struct export_to *to;
    const struct scene *scene;
    bool comm_exec;        /* records tell which names came by exec(2) */
    VEC(uint64_t) machine; /* ids, by number; 0: none yet */
    struct idmap thread, comm, unknown;
    uint32_t machines, threads, comms, comm_threads; /* ids given */
};

/* A thread at a point of the recording.  comm: of its process, by the last exec(2); 0: not known. */
struct export_ids {
    uint32_t machine, thread, comm;
    int32_t pid; /* of its process, as known then */
};

/* Of a sample; rows for what is new. */
pts_status export_who_ids(struct export_who *w, const struct who *who,
                          struct export_ids *out);
/* Of a thread that a record of a switch names.  It is left alone, all 0 then, as long as nothing
 * gave it a name; idle is set if it is the idle task. */
pts_status export_who_switched(struct export_who *w, struct pts_thread t,
                               uint32_t epoch, struct export_ids *out, bool *idle);
/* The id of the host. */
pts_status export_who_host(struct export_who *w, uint32_t *id);
void export_who_free(struct export_who *w);

#endif
