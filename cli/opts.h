/* opts.h - the command line: a command, and perf's spellings of its options.
 *
 * SPDX-License-Identifier: MIT
 *
 * Options that are the program's own (input, paths) end up in members; all others are
 * handed on as they are, in their order, and the library makes sense of them.
 */
#ifndef PTS_CLI_OPTS_H
#define PTS_CLI_OPTS_H

#include "commands.h"
#include "config.h"
#include "problem.h"
#include "raw.h"

#include <ptscript/session.h>
#include <stdint.h>

enum cli_want {
    CLI_RUN,
    CLI_LIST, /* the command lists something, whatever stands behind */
    CLI_HELP,
    CLI_VERSION,
    CLI_LIST_COMMANDS,
    CLI_LIST_OPTIONS,
    CLI_USAGE /* the command line is wrong: problem says how */
};

enum { CLI_OPTIONS_MAX = 4096 }; /* more than anybody writes: cli has no heap */

struct cli_opts {
    const struct command *command;
    bool named;        /* by a word; else it is the first */
    const char *input; /* NULL: not given */
    const char *symfs;
    const char *buildid_dir;
    const char *vmlinux, *kallsyms;
    int ignore_vmlinux;
    enum pts_require_buildid require_buildid;
    const char *guestmount, *guestvmlinux, *guestkallsyms, *guestmodules;
    int guest_code;
    const char *output;
    int force, overwrite;
    bool no_progress;
    bool no_pager;
    bool list_dlfilters;
    uint64_t mem;           /* bytes that the run may take; 0: any */
    bool store;             /* keep files in the build-id cache */
    const char *debuginfod; /* ask these servers, "": those of the environment */
    bool no_debuginfod;     /* not even when the environment names some */
    struct cli_raw raw;
    size_t count;
    struct pts_option list[CLI_OPTIONS_MAX]; /* for the library, in the order given */
    struct problem problem;
    const struct config *config; /* perf's: the caller's affair */
    const char *word;            /* of report; NULL: none */
    const char *script;          /* -s; NULL: not given */
    bool list_scripts;           /* -l */
    const char *generate;        /* -g */
    char **rest; /* the words behind the options, of which rest[0] is one; NULL: none */
    int rest_count;
    int argc; /* as it was given */
    char **argv;
};

/* Reads argv[1..]; the first word may be a command.  Strings are lent by argv.  *out is all zeros:
 * much of it is room that hardly anybody needs. */
enum cli_want cli_parse(int argc, char **argv, struct cli_opts *out);

#endif
