/* dlfilter.h - compiled filters: shared objects that are shown each sample.
 *
 * SPDX-License-Identifier: MIT
 *
 * A filter is used by the options "dlfilter" (a path) and "dlarg" of pts_stream_open; its
 * interface is that of perf 6.1 (perf_dlfilter.h, linux-perf), so filters that were
 * compiled for perf can be loaded.  While one runs, stdout is a stream of the library's: no
 * other thread may print then.
 */
#ifndef PTSCRIPT_DLFILTER_H
#define PTSCRIPT_DLFILTER_H

#include <ptscript/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a filter says of itself; each may be NULL.  Lent during the call. */
typedef void pts_dlfilter_fn(void *ctx, const char *description, const char *longer);

/* Loads the filter at path and asks it.  PTS_END: it is none, or cannot be loaded. */
PTS_API PTS_MUST_USE pts_status pts_dlfilter_describe(const char *path,
                                                      pts_dlfilter_fn *told, void *ctx);

/* Loads the filter at path ahead of the stream that uses it, as perf does before it opens a
 * recording.  It stays loaded.  PTS_E_IO: it cannot be. */
PTS_API PTS_MUST_USE pts_status pts_dlfilter_load(const char *path,
                                                  struct pts_diag *why);

#ifdef __cplusplus
}
#endif
#endif
