/* store.h - the build-id cache of a command, and --store.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_STORE_H
#define PTS_CLI_STORE_H

#include "lines.h"
#include "recording.h"

#include <ptscript/buildid.h>

enum { EXIT_NOT_STORED = 1 };

/* Opens the cache in dir (lent).  urls: servers to ask, "": those that DEBUGINFOD_URLS
 * names, NULL: none.  process: whose files are put in and taken out, 0: one's own.  Returns the
 * exit status, 0 when there is a cache. */
int cache_open(const char *dir, const char *symfs, const char *urls, int process,
               pts_cache **out);

/* Sees to it that all files of a recording are in the cache: a line for each, "OK" or
 * "FAIL", its build id and path, to l; NULL: to standard error.  Why one failed is told
 * there, too.  0, EXIT_NOT_STORED when one failed, or why nothing could be done. */
int store_recording(struct recording *r, const struct cli_opts *opts,
                    struct out_lines *l);

#endif
