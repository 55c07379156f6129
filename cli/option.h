/* option.h - a row of a command's option table, as the parser and the help see it.
 *
 * SPDX-License-Identifier: MIT
 *
 * The tables are in include/ptscript, since the library reads the same rows:
 *
 *     static const struct option options[] = {
 *     #include <ptscript/script.def>
 *         OPTIONS_END,
 *     };
 *
 * Two columns matter here: how an argument is given, and who takes the option.  What
 * the library does with its own is not looked at.
 */
#ifndef PTS_CLI_OPTION_H
#define PTS_CLI_OPTION_H

#include <stddef.h>

enum argument {
    ARGUMENT_NONE,
    ARGUMENT_NUMBER,
    ARGUMENT_COUNT, /* a number without a minus */
    ARGUMENT_TEXT,
    ARGUMENT_MAYBE,
    ARGUMENT_NEXT /* as MAYBE, also as the next word, unless that begins with - */
};

enum taker {
    TAKE_LIBRARY, /* handed on in the order given */
    TAKE_OURS,    /* likewise, and never shortened: perf does not have it */
    TAKE_NOT_YET, /* likewise, and refused there when its turn comes */
    TAKE_RAW,
    TAKE_INPUT, /* these and the rest set members of struct cli_opts, or end it all */
    TAKE_SYMFS,
    TAKE_BUILDID_DIR,
    TAKE_VMLINUX,
    TAKE_IGNORE_VMLINUX,
    TAKE_KALLSYMS,
    TAKE_REQUIRE_BUILDID, /* perf does not have it, either */
    TAKE_GUESTMOUNT,
    TAKE_GUESTVMLINUX,
    TAKE_GUESTKALLSYMS,
    TAKE_GUESTMODULES,
    TAKE_GUEST_CODE,
    TAKE_FORCE,
    TAKE_STORE, /* this and the next three are ours, too */
    TAKE_DEBUGINFOD,
    TAKE_PROGRESS,
    TAKE_PAGER,
    TAKE_MEM,
    TAKE_OUTPUT,
    TAKE_OVERWRITE,
    TAKE_SCRIPT,
    TAKE_SCRIPT_LIST,
    TAKE_SCRIPT_GENERATE,
    TAKE_REFUSE,
    TAKE_LIST_DLFILTERS,
    TAKE_HELP,
    TAKE_VERSION
};

struct option {
    char letter; /* 0: none */
    enum argument argument;
    enum taker taker;
    const char *name; /* points behind the "no-" of no_name */
    const char *no_name;
    const char *arg_name, *help;
};

#define TAKER_LIBRARY(does)   TAKE_LIBRARY
#define TAKER_OURS(does)      TAKE_OURS
#define TAKER_OURS_TEXT(does) TAKE_OURS
#define TAKER_PRINTER(does)   TAKE_LIBRARY
#define TAKER_NOT_YET(does)   TAKE_NOT_YET
#define TAKER_RAW(does)       TAKE_RAW
#define TAKER_SESSION(does)   TAKE_##does
#define TAKER_PROGRAM(does)   TAKE_##does

#define PTS_OPTION(letter, name, argument, taker, does, arg_name, help)                \
    {letter,                                                                           \
     ARGUMENT_##argument,                                                              \
     TAKER_##taker(does),                                                              \
     &("no-" name)[3],                                                                 \
     "no-" name,                                                                       \
     arg_name,                                                                         \
     help},
#define OPTIONS_END                                                                    \
    {                                                                                  \
        0, ARGUMENT_NONE, TAKE_REFUSE, NULL, NULL, NULL, NULL                          \
    }

#endif
