/* script_run.h - ptscript script -s, -l, -g, and scripts by name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_SCRIPT_RUN_H
#define PTS_CLI_SCRIPT_RUN_H

#include "opts.h"

/* Whether a word that is no option names a script or (verbs) what is to be done with one. */
bool script_run_takes(const char *word, bool verbs);
/* Whether the command line is about scripts. */
bool script_run_wanted(const struct cli_opts *opts);
/* Does it; the exit status. */
int script_run(const struct cli_opts *opts);

/* script_report.c: "report NAME", "record NAME", "NAME"; the exit status. */
bool script_report_takes(const char *word, bool verbs);
int script_report(const struct cli_opts *opts);

/* script_starter.c: -g; the exit status. */
int script_starter(const struct cli_opts *opts);

#endif
