/* stat_table.h - the counters of a perf stat recording, as perf script lists them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A THREAD_MAP and a CPU_MAP say which counters there are of each event, STAT records
 * give their values, and at each STAT_ROUND all are listed, those made from a trace too.
 */
#ifndef PTS_SYNTH_PRINT_RECORD_STAT_TABLE_H
#define PTS_SYNTH_PRINT_RECORD_STAT_TABLE_H

#include "decoder/record/record.h"
#include "synth/plan/evlist.h"
#include "synth/print/text.h"

struct stat_table;
PTS_MUST_USE pts_status stat_table_new(const struct perf_file *f,
                                       const struct evlist *l, struct stat_table **out);
void stat_table_free(struct stat_table *s); /* NULL is fine */

/* Whether records of this type say anything of counters. */
bool stat_table_wants(uint32_t type);
/* Takes a record in, and appends the lines of a STAT_ROUND.  *extra: set to what perf
 * says of a map that comes again. */
pts_status stat_table_record(struct stat_table *s, const struct record *r,
                             struct text *t, const char **extra);

#endif
