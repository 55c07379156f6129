/* sched_stat.h - how long threads slept, told where they went to sleep (inject -s).
 *
 * SPDX-License-Identifier: MIT
 *
 *     sched_switch        of thread 7     kept: its place, its callers     not written
 *     sched_stat_*        about thread 7  its time and period              not written
 *         -> the sched_switch again, with this time and period
 *     sched_process_exit  of thread 7     what was kept is forgotten       not written
 */
#ifndef PTS_SYNTH_INJECT_SCHED_STAT_H
#define PTS_SYNTH_INJECT_SCHED_STAT_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "decoder/record/record.h"
#include "synth/plan/evlist.h"
#include "synth/print/text.h"

/* What an event is here; of a sched_stat_* where in its samples the thread is. */
struct sched_event {
    enum { SLEEP_OTHER, SLEEP_SWITCH, SLEEP_EXIT, SLEEP_STAT } kind;
    uint32_t pid_at, pid_size; /* 0: nowhere */
};

/* Zero-initialise; give back with sched_free. */
struct sched_stat {
    const struct perf_file *file;
    VEC(struct sched_event) event; /* of the recording */
    struct idmap thread;           /* by tid: index of what is kept */
    VEC(uint64_t) off;             /* of a sched_switch; UINT64_MAX: none any more */
};

/* The events of a recording by their names.  A pipe's are not known when perf looks. */
pts_status sched_init(struct sched_stat *s, const struct perf_file *file,
                      const struct evlist *evl, struct pts_diag *why);
void sched_free(struct sched_stat *s);
/* Whether a SAMPLE is of one of these events. */
bool sched_is_of(const struct sched_stat *s, const struct record *r);
/* Takes such a one.  *made: the sample that t got in its place; of size 0: none. */
pts_status sched_take(struct sched_stat *s, const struct record *r, struct text *t,
                      struct record *made);

#endif
