/* stat_table.h - the counters of a perf stat recording, as perf script lists them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A THREAD_MAP and a CPU_MAP say which counters there are of each event, STAT records
 * give their values, and at each STAT_ROUND all are listed.
 */
#ifndef PTS_SYNTH_STAT_TABLE_H
#define PTS_SYNTH_STAT_TABLE_H

#include "decoder/perf_file.h"
#include "decoder/perf_tool.h"
#include "synth/evlist.h"
#include "synth/fmt.h"

struct stat_table;
PTS_MUST_USE pts_status stat_table_new(const struct perf_file *f,
                                       const struct evlist *l, struct stat_table **out);
void stat_table_free(struct stat_table *s); /* NULL is fine */

/* Takes a record in, and appends the lines of a STAT_ROUND.  *extra: set to what perf
 * says of a map that comes again. */
pts_status stat_table_record(struct stat_table *s, const struct perf_rec *r,
                             struct text *t, const char **extra);

#endif
