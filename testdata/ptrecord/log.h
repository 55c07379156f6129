/* log.h - the calls that made a run, to make it again.
 *
 * SPDX-License-Identifier: MIT
 *
 * For --repeat: the run is recorded again as processes of other ids, later, without
 * being run.  The recorder's state goes on from where it was, so that nothing but the
 * executed instructions is the same.
 */
#ifndef PTRECORD_LOG_H
#define PTRECORD_LOG_H

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/rec.h"

enum log_op {
    LOG_END,
    LOG_FORK,
    LOG_COMM,
    LOG_EXEC,
    LOG_MMAP,
    LOG_EXIT,
    LOG_SCHED_IN,
    LOG_SCHED_OUT,
    LOG_SYNC,
    LOG_ENTER,
    LOG_LEAVE,
    LOG_INSNS,
    LOG_BRANCH,
    LOG_PTWRITE,
    LOG_TSX,
    LOG_OPS
};

enum { LOG_VALUES = 10 };

struct log {
    struct buf calls;
    uint64_t last[LOG_OPS][LOG_VALUES]; /* values are written as differences to these */
    uint32_t low_pid, high_pid;
    bool on; /* calls are being noted */
};

/* A call for the thread of number THREAD with N values; TEXT goes with it unless NULL.
 */
void log_call(struct log *l, enum log_op op, uint32_t thread, const uint64_t *values,
              unsigned n, const char *text);
void log_fork(struct log *l, uint32_t parent, uint32_t pid, uint32_t tid);
void log_map(struct log *l, uint32_t thread, const struct rec_map *m);
void log_branch(struct log *l, uint32_t thread, const struct rec_insn_branch *b);
/* Makes all calls again, with process and thread ids higher by PIDS. */
void log_play(struct recorder *r, const struct log *l, uint32_t pids);
void log_free(struct log *l);

#endif
