/* perf_sample.h - the body of a SAMPLE record.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which fields there are is written in the event's sample_type; the others are as perf
 * leaves them: zero, the attribute's period, no memory access.
 */
#ifndef PTS_DECODER_PERF_SAMPLE_H
#define PTS_DECODER_PERF_SAMPLE_H

#include "decoder/perf_rec.h"

enum { PERF_BRANCH_BYTES = 24 };

/* r: a READ whose evsel is known. */
pts_status perf_rec_read_values(const struct perf_file *f, const struct perf_rec *r,
                                struct pts_read *out);

/* r: a SAMPLE whose evsel is known.  PTS_E_RANGE: shorter than it claims. */
pts_status perf_rec_sample(const struct perf_file *f, const struct perf_rec *r,
                           struct pts_sample *out);

#endif
