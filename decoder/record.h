/* record.h - a record as the public interface gives it (ptscript/record.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_RECORD_H
#define PTS_DECODER_RECORD_H

#include "decoder/perf_rec.h"

/* r as perf_rec_at gave it, with the status that it returned; place: where the caller
 * is told that it is. */
void record_fill(const struct perf_file *f, const struct perf_rec *r, pts_status st,
                 const struct perf_place *place, struct pts_record *out);

#endif
