/* dlfilters.h - where compiled filters are, and which there are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_DLFILTERS_H
#define PTS_CLI_DLFILTERS_H

#include "fail.h"
#include "opts.h"

#include <stddef.h>

/* The path of a filter by the name that was given, in buf or name itself. */
const char *dlfilters_find(const char *name, char *buf, size_t size);

/* --list-dlfilters: prints all there are; the exit status. */
int dlfilters_list(const struct cli_opts *opts);

#endif
