/* perf_header.h - the header of a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 * A file that perf record could finish has all facts here.  One of a pipe has none: the
 * same facts come as records (perf_learn.h).
 */
#ifndef PTS_DECODER_OPEN_PERF_HEADER_H
#define PTS_DECODER_OPEN_PERF_HEADER_H

#include "decoder/file/perf_file.h"

struct perf_magic {
    uint8_t version; /* of the format: 1 or 2 */
    bool foreign;    /* of the other byte order */
};

/* What the first n bytes say, of which 24 are enough; false when they are those of no
 * recording. */
bool perf_magic_read(const uint8_t *bytes, size_t n, struct perf_magic *out);

/* Fills in what the header of f->in says: where the records are, its events and
 * features. */
PTS_MUST_USE pts_status perf_header_read(struct perf_file *f, struct pts_diag *why);

#endif
