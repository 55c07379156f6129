/* perf_turn.h - records of a recording of the other byte order, turned as they enter.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf_swap.h knows how; here is when.  The header says how long a record is and the
 * body of perf's own ones needs nothing else, so these are turned at once.  The body of
 * a kernel's record depends on its event, which may be told of later.
 */
#ifndef PTS_DECODER_RECORD_PERF_TURN_H
#define PTS_DECODER_RECORD_PERF_TURN_H

#include "decoder/record/perf_rec.h"

/* Turns the header of the record that begins here, and the body of one of perf's own if
 * all of it is there.  The n bytes must be ours to write. */
void perf_turn_early(uint8_t *p, size_t n);
/* Turns the body of a kernel's record, once its event is known; leaves others alone. */
void perf_turn_late(const struct perf_file *f, const struct perf_rec *r);

#endif
