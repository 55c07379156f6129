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
#ifndef PTS_DECODER_PERF_RAW_H
#define PTS_DECODER_PERF_RAW_H

#include "decoder/perf_file.h"

#include <ptscript/raw.h>

/* A piece of a file in the memory of the traced process. */
struct perf_raw_map {
    const char *name;
    uint64_t addr, len, off;
};

struct perf_raw {
    const struct pts_raw_opts *opts;
    const struct perf_raw_map *map;
    size_t map_count;
};

/* opts->trace and the names of the side-band files are kept (lent). */
PTS_MUST_USE pts_status perf_raw_open(const struct perf_raw *raw,
                                      const struct perf_file_how *how,
                                      struct perf_file **out, struct pts_diag *why);

#endif
