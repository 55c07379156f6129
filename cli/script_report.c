/* script_report.c - perf's own scripts by name: "report NAME", "record NAME", "NAME".
 *
 * SPDX-License-Identifier: MIT
 *
 * perf has two commands in shell for each, NAME-record and NAME-report, that call perf.
 * The latter is run with a function of that name, which calls this program instead.
 * Nothing is recorded here: the former, and both of them in a pipe, are refused.
 */
#include "script_run.h"

#include "fail.h"
#include "script_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 1000 };

bool script_report_takes(const char *word, bool verbs)
{
    char buf[PATH_MAX];
    bool verb = strcmp(word, "report") == 0 || strcmp(word, "record") == 0;

    return (verbs && verb) || script_wrapper(word, "record", buf) ||
           script_wrapper(word, "report", buf);
}

/* The shell reads the command as if it stood there, so that its "perf" is the function. */
static int wrapper_run(const char *path, char **rest, int count)
{
    static char shell[] = "sh", option[] = "-c";
    static char text[] = "perf() { \"$PTSCRIPT\" \"$@\"; }; . \"$0\"";
    char own[PATH_MAX], file[PATH_MAX];
    static char *argv[ARGUMENTS_MAX + 5];
    ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

    if (n <= 0 || count > ARGUMENTS_MAX)
        return fail_usage("",
                          n <= 0 ? "the shell cannot be called" : "too many arguments");
    own[n] = '\0';
    setenv("PTSCRIPT", own, 1);
    snprintf(file, sizeof(file), "%s", path);
    argv[0] = shell;
    argv[1] = option;
    argv[2] = text;
    argv[3] = file;
    memcpy(&argv[4], rest, (size_t)count * sizeof(*argv));
    execv("/bin/sh", argv);
    perror("/bin/sh");
    return EXIT_FATAL;
}

int script_report(const struct cli_opts *opts)
{
    char **rest = opts->rest, buf[PATH_MAX], text[PTS_DIAG_TEXT];

    if (strcmp(rest[0], "report") != 0 || opts->rest_count < 2) {
        bool alone = opts->rest_count < 2 && !strncmp(rest[0], "re", 2);
        snprintf(text, sizeof(text),
                 alone ? "Couldn't find script `%s'"
                       : "`%s': ptscript records nothing, ptrecord does",
                 rest[0]);
        return fail_usage("  Error: ", text);
    }
    if (!script_wrapper(rest[1], "report", buf)) {
        fputs(
            "Please specify a valid report script(see 'perf script -l' for listing)\n",
            stderr);
        return EXIT_FATAL;
    }
    return wrapper_run(buf, rest + 2, opts->rest_count - 2);
}
