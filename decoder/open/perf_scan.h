/* perf_scan.h - the walk over all records that opening a file ends with.
 *
 * SPDX-License-Identifier: MIT
 *
 * After this walk every record is known to lie inside its bytes, header and payload:
 * who comes later steps from one to the next without a check.
 */
#ifndef PTS_DECODER_OPEN_PERF_SCAN_H
#define PTS_DECODER_OPEN_PERF_SCAN_H

#include "decoder/file/perf_file.h"

/* Puts all records of f->source onto f->tape and takes in what they say of the
 * recording.  A bad record is noted in f->damage, and ends its source or is skipped. */
PTS_MUST_USE pts_status perf_scan(struct perf_file *f, struct pts_diag *why);
/* Turns the bodies of the kernel's records, in a file of the other byte order: only now
 * are all events known that say what is in them. */
void perf_scan_kernel(struct perf_file *f);

#endif
