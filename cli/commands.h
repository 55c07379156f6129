/* commands.h - what a command is, and which there are.
 *
 * SPDX-License-Identifier: MIT
 *
 * A command is one file, cmd_NAME.c, that defines a struct command; a row in
 * commands.def puts it in the list.  Parser, help, completion and main.c work on the
 * list and know none of the commands:
 *
 *     argv -> cli_parse: command and options -> command->run -> exit status
 *
 * What run does is the command's own affair.  One that prints a text hands the function
 * which opens it to text_run (text.h); one that works on a recording otherwise opens it
 * by recording_open (recording.h); others need neither.
 */
#ifndef PTS_CLI_COMMANDS_H
#define PTS_CLI_COMMANDS_H

#include "option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cli_opts;

struct command {
    const char *name;
    const char *usage;            /* what --help begins with */
    const struct option *options; /* up to OPTIONS_END */
    void (*explain)(FILE *to); /* what --help says behind the options; NULL: nothing */
    /* A word that is no option: false when opts->problem says why it may not be there.
     * NULL: the command takes none. */
    bool (*word)(struct cli_opts *opts, const char *word);
    const char
        *checked; /* by this name the library checks its options; NULL: it does not */
    bool
        words_end; /* the first word ends the options, and those behind it are its own */
    int unreadable; /* exit status where --vmlinux or --kallsyms cannot be read; 0: EXIT_FATAL */
    const char *input; /* what is read where no -i says it; NULL: as of perf script */
    int (*run)(const struct cli_opts *opts); /* the exit status */
};

#define COMMAND(id) extern const struct command cmd_##id;
#define MISSING(name)
#include "commands.def"
#undef COMMAND
#undef MISSING

/* The i-th, NULL behind the last.  The first is meant when none is named. */
const struct command *command_at(size_t i);
/* By its name; NULL: there is none. */
const struct command *command_find(const char *name);
/* For commands whose word is the recording: a struct command's word. */
bool word_input(struct cli_opts *opts, const char *word);
/* Whether perf has a command of this name that is none here. */
bool command_is_missing(const char *name);

#endif
