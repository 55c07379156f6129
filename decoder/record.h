/* record.h - a record as the public interface gives it (ptscript/record.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_RECORD_H
#define PTS_DECODER_RECORD_H

#include "decoder/perf_rec.h"

/* r as perf_rec_at gave it, with the status that it returned; shown: its offset as the
 * caller counts. */
void record_fill(const struct perf_file *f, const struct perf_rec *r, pts_status st,
                 uint64_t shown, struct pts_record *out);

#endif
