/* perf_raw.h - a trace with or without side-band records, as if it were a recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * What perf record would have said of the trace is written in front of it, so that all
 * that is behind perf_file reads it like any other recording:
 *
 *     | AUXTRACE_INFO | COMM | MMAP2 ... | AUXTRACE | packets     source 0
 *     | records                                                   source 1, 2 ...
 */
#ifndef PTS_DECODER_OPEN_PERF_RAW_H
#define PTS_DECODER_OPEN_PERF_RAW_H

#include "decoder/open/perf_open.h"
#include "decoder/open/raw_front.h"

/* opts->trace and the names of the side-band files are kept (lent). */
PTS_MUST_USE pts_status perf_raw_open(const struct perf_raw *raw,
                                      const struct perf_file_how *how,
                                      struct perf_file **out, struct pts_diag *why);

#endif
