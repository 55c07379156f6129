/* dlfilters.h - where compiled filters are, and which there are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_DLFILTERS_H
#define PTS_CLI_DLFILTERS_H

#include "fail.h"
#include "jobs.h"
#include "opts.h"

#include <limits.h>

/* Puts the path of the filter, in buf or the name itself, in the place of its name. */
void dlfilters_place(struct options_list *list, char buf[PATH_MAX]);

/* Loads the filter that was given, if any. */
pts_status dlfilters_load(const struct cli_opts *opts, struct pts_diag *why);

/* --list-dlfilters: prints all there are; the exit status. */
int dlfilters_list(const struct cli_opts *opts);

#endif
