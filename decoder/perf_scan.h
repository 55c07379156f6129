/* perf_scan.h - the walk over all records that opening a file ends with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_PERF_SCAN_H
#define PTS_DECODER_PERF_SCAN_H

#include "decoder/perf_rec.h"

/* Puts all records of f->source onto f->tape and takes in what they say of the
 * recording.  A bad record ends its source and is noted in f->odd. */
PTS_MUST_USE pts_status perf_scan(struct perf_file *f, struct pts_diag *why);
/* Turns the bodies of the kernel's records, in a file of the other byte order: only now
 * are all events known that say what is in them. */
void perf_scan_kernel(struct perf_file *f);
/* Takes idx, cpu and tid of the counters from the ID_INDEX records. */
void perf_scan_id_index(struct perf_file *f);

/* What a record, not on the tape, says of events: HEADER_ATTR, ID_INDEX, EVENT_UPDATE.
 */
PTS_MUST_USE pts_status perf_scan_learn(struct perf_file *f, const struct perf_rec *r,
                                        struct pts_diag *why);

#endif
