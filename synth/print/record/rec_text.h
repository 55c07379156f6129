/* rec_text.h - records in perf's words: "PERF_RECORD_COMM exec: ls:12/12".
 *
 * SPDX-License-Identifier: MIT
 *
 * The same text stands in the dump and in the lines of --show-*-events.
 */
#ifndef PTS_SYNTH_PRINT_RECORD_REC_TEXT_H
#define PTS_SYNTH_PRINT_RECORD_REC_TEXT_H

#include "decoder/record/record.h"
#include "synth/print/record/rec_names.h"

/* perf's name of a record type, without PERF_RECORD_. */
const char *rec_type_name(uint32_t type);

/* What follows the name in a line of --show-*-events, with its newline. */
void rec_text(struct text *t, const struct record *r, const struct rec_names *names);

/* What follows the name in the dump.  It may end without a newline: perf leaves that to
 * the empty line in front of the next record. */
void rec_text_dump(struct text *t, const struct perf_file *f, const struct record *r,
                   const struct rec_names *names);

/* The same of perf stat's records, of which only perf report says more than the name. */
void rec_text_stat(struct text *t, const struct record *r);

/* " instruction trace error type 1 time ..." with its newline. */
void rec_text_error(struct text *t, const struct pts_auxtrace_error *e);
/* "0-3,5": a CPU_MAP's data, with its newline. */
void rec_text_cpus(struct text *t, struct pts_bytes map);

#endif
