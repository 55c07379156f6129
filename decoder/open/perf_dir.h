/* perf_dir.h - recordings that are directories.
 *
 * SPDX-License-Identifier: MIT
 *
 *     DIR/data         an ordinary perf.data file; with DIR_FORMAT 1 more records are
 * in DIR/data.0 ...   nothing but records, one file for each thread of the recorder
 *     DIR/kcore_dir    the kernel's code and symbols when it was made
 */
#ifndef PTS_DECODER_OPEN_PERF_DIR_H
#define PTS_DECODER_OPEN_PERF_DIR_H

#include "decoder/file/perf_file.h"

/* DIR/NAME, or NULL when there is no memory or it is too long for a path. */
const char *perf_dir_file(struct arena *arena, const char *dir, const char *name);

/* Adds the other data files to f->source, if f's header says that there are any. */
PTS_MUST_USE pts_status perf_dir_open(struct perf_file *f, const char *dir,
                                      struct pts_diag *why);

#endif
