/* perf_name.h - called by the name of perf: its manners before the command.
 *
 * SPDX-License-Identifier: MIT
 *
 * A symlink to ptscript that is called perf serves programs which run perf script, perf
 * inject, perf buildid-list or perf evlist.  There the command has to be named, and only
 * perf's own options may stand before it.
 */
#ifndef PTS_CLI_PERF_NAME_H
#define PTS_CLI_PERF_NAME_H

#include <stdbool.h>

/* Whether argv[0] is perf. */
bool perf_named(const char *argv0);

enum { PERF_GO_ON = -1 };

/* Reads what stands before the command, and takes out of argv what only perf knows.
 * PERF_GO_ON: there is a command to be run; else all is said, and this is the exit
 * status. */
int perf_front(int *argc, char **argv);

#endif
