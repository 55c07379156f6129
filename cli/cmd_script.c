/* cmd_script.c - ptscript script: the events of a recording, one a line.
 *
 * SPDX-License-Identifier: MIT
 *
 * What this program is for, so the command that is meant when none is named.  All that
 * makes its text is in the library.
 */
#include "commands.h"
#include "dlfilters.h"
#include "jobs.h"
#include "script_run.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
#include <ptscript/script.def>
    OPTIONS_END,
};

/* The names of all commands: "a, b and c". */
static void names_join(char *to, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; command_at(i) && n < size; i++) {
        const char *between = !i ? "" : command_at(i + 1) ? ", " : " and ";
        n += (size_t)snprintf(to + n, size - n, "%s%s", between, command_at(i)->name);
    }
}

/* A script's own arguments, or its name.  It may be meant as one of perf's commands, of
 * which there are more than here. */
static bool word_take(struct cli_opts *opts, const char *word)
{
    struct problem *p = &opts->problem;
    char names[200];
    if (opts->script || script_run_takes(word, opts->named))
        return true;
    if (access(word, F_OK) == 0)
        problem_hint(p, "did you mean -i %s?", word);
    if (!command_is_missing(word))
        return problem_say(p, "Couldn't find script `%s'", word);
    if (strcmp(word, "record") == 0)
        problem_hint(p, "ptrecord records a program, perf record what the processor "
                        "traces");
    names_join(names, sizeof(names));
    return problem_say(p, "`%s' is not supported, only %s are", word, names);
}

struct letter {
    char letter;
    const char *help;
};

#define ITRACE(letter, name, argument, help) {letter, help},
static const struct letter letters[] = {
#include <ptscript/itrace.def>
};
#undef ITRACE

/* --itrace is a language of its own; its words are these. */
static void letters_print(FILE *to)
{
    fputs("\nLetters of --itrace:\n", to);
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        fprintf(to, "  %c  %s\n", letters[i].letter, letters[i].help);
}

static pts_status open_script(pts_session *s, const struct pts_option *given,
                              size_t count, pts_stream **out, struct pts_diag *why)
{
    struct options_list list;
    static char path[PATH_MAX]; /* lent to the stream */

    jobs_all(&list, given, count);
    dlfilters_place(&list, path);
    return pts_stream_open(s, list.at, list.count, out, why);
}

static int run(const struct cli_opts *opts)
{
    if (script_run_wanted(opts))
        return script_run(opts);
    if (opts->list_dlfilters)
        return dlfilters_list(opts);
    text_page(opts);
    return text_run(opts, open_script);
}

const struct command cmd_script = {
    .name = "script",
    .usage = "Usage: ptscript [script] [OPTION]...\n"
             "Prints the events of a perf.data file, decoding its Intel PT trace,\n"
             "with perf script's options and in perf script's format.\n",
    .options = options,
    .explain = letters_print,
    .word = word_take,
    .words_end = true,
    .checked = "script",
    .run = run,
};
