/* cmd_inject.c - ptscript inject: a recording with samples in place of its trace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "cut.h"
#include "fail.h"
#include "given.h"
#include "jobs.h"
#include "opts.h"
#include "recording.h"

#include <ptscript/inject.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
#include <ptscript/inject.def>
    OPTIONS_END,
};

/* Words that are no options perf only answers with its usage. */
static bool word_refuse(struct cli_opts *opts, const char *word)
{
    return problem_say(&opts->problem,
                       "`%s': inject takes no words, -i names the recording", word);
}

/* What the header of the new recording is to say: the program's path, and its words from the
 * command on. */
struct words {
    const char *at[CLI_OPTIONS_MAX];
    char self[PATH_MAX];
    size_t count;
};

static void words_find(struct words *w, const struct cli_opts *opts)
{
    ssize_t n = readlink("/proc/self/exe", w->self, sizeof(w->self) - 1);

    w->self[n > 0 ? n : 0] = '\0';
    w->at[w->count++] = w->self;
    int i = 1;
    while (i < opts->argc && strcmp(opts->argv[i], "inject") != 0)
        i++;
    for (; i < opts->argc && w->count < CLI_OPTIONS_MAX; i++)
        w->at[w->count++] = opts->argv[i];
}

/* --- In place --------------------------------------------------------------------- */

static const char *value_of(const struct cli_opts *opts, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < opts->count; i++)
        if (strcmp(opts->list[i].name, name) == 0)
            value = opts->list[i].value ? opts->list[i].value : "";
    return value;
}

/* The recording itself is changed: perf wants to be sure that this is meant. */
static int in_place_check(const struct cli_opts *opts, bool *in_place)
{
    const char *args = value_of(opts, "vm-time-correlation");
    const char *what = NULL;

    *in_place = args != NULL;
    if (!args)
        return 0;
    bool dry = strncmp(args + strspn(args, " \t\n\v\f\r"), "dry-run", 7) == 0;
    if (!opts->input || strcmp(opts->input, "-") == 0)
        what = "Input file name required for in-place updating\n";
    else if (opts->output && strcmp(opts->output, "-") != 0)
        what = "Output file name must not be specified for in-place updating\n";
    else if (!opts->force && !dry)
        what = "The input file would be updated in place, the --force option is "
               "required.\n";
    if (what)
        fputs(what, stderr);
    return what ? EXIT_FATAL : 0;
}

static int run(const struct cli_opts *opts)
{
    bool in_place;
    static struct words words;
    struct options_list list;
    struct recording r = {0};
    struct pts_diag why = {.offset = UINT64_MAX};
    struct pts_inject_opts o = PTS_INJECT_OPTS_INIT;

    cut_watch();
    int rc = in_place_check(opts, &in_place);
    if (!rc)
        rc = recording_open(&r, opts);
    if (!rc) {
        words_find(&words, opts);
        jobs_all(&list, opts->list, opts->count);
        o.options = list.at;
        o.option_count = list.count;
        o.words = words.at;
        o.word_count = words.count;
        pts_status st =
            is_given(opts, "verbose") ? recording_tell(r.session, &why) : PTS_OK;
        if (st == PTS_OK)
            st = pts_inject(r.session, opts->output && !in_place ? opts->output : "-",
                            &o, &why);
        rc = st < 0 ? fail_options(st, r.path, &why) : 0;
    }
    recording_close(&r);
    return rc;
}

const struct command cmd_inject = {
    .name = "inject",
    .usage = "Usage: ptscript inject [OPTION]... -i FILE -o NEW\n"
             "Writes the recording FILE anew: with --itrace its trace is decoded, and\n"
             "samples stand in its place, for programs that know no trace.\n",
    .options = options,
    .input = "-",
    .word = word_refuse,
    .checked = "inject",
    .run = run,
};
