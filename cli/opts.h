/* opts.h - the command line: perf's spellings, as options for the library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_OPTS_H
#define PTS_CLI_OPTS_H

#include "raw.h"

#include <ptscript/session.h>
#include <stdio.h>

enum cli_want {
    CLI_RUN,
    CLI_HELP,
    CLI_VERSION,
    CLI_USAGE /* the command line is wrong: problem says how */
};

enum cli_command { CLI_SCRIPT, CLI_EVLIST };

enum { CLI_OPTIONS_MAX = 256 };

struct cli_opts {
    enum cli_want want;
    enum cli_command command;
    const char *input; /* NULL: not given */
    const char *symfs;
    const char *buildid_dir;
    int force;
    struct cli_raw raw;
    size_t count;
    struct pts_option list[CLI_OPTIONS_MAX]; /* for the library, in the order given */
    char problem[200];
};

/* Reads argv[1..]; the first word may be a command.  Strings are lent by argv. */
enum cli_want cli_parse(int argc, char **argv, struct cli_opts *out);

/* The text of --help. */
void cli_help(FILE *to, enum cli_command command);

#endif
