/* tasks.h - perf report --tasks and --mmaps: the threads that records tell of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_TASKS_H
#define PTS_SYNTH_REPORT_TASKS_H

#include "decoder/record/record.h"
#include "synth/print/text.h"
#include "walker/sideband/sideband.h"

struct tasks;

/* maps: of each thread, too. */
pts_status tasks_new(bool maps, struct tasks **out);
void tasks_free(struct tasks *t); /* NULL is fine */
/* Types of records that matter. */
bool tasks_want(const struct tasks *t, uint32_t type);
pts_status tasks_take(struct tasks *t, const struct record *rec);
/* all: what the whole recording says of maps.  PTS_END: a parent is not known, and perf
 * prints nothing. */
pts_status tasks_text(struct tasks *t, const struct sideband *all, struct text *text);

#endif
