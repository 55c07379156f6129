/* cmd_report.c - ptscript report: where the time of a recording went, by rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "fail.h"
#include "jobs.h"
#include "opts.h"
#include "recording.h"
#include "screen.h"
#include "text.h"
#include "visible.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct option options[] = {
#include <ptscript/report.def>
    OPTIONS_END,
};

/* For perf a word is that of --symbol-filter.  Most often the recording is meant. */
static bool word_take(struct cli_opts *opts, const char *word)
{
    if (opts->word)
        return problem_say(
            &opts->problem,
            "`%s': report takes one word at most, -i names the recording", word);
    opts->word = word;
    if (access(word, F_OK) == 0)
        problem_hint(&opts->problem, "did you mean -i %s?", word);
    return true;
}

/* The library does not know where its text goes. */
static bool is_auto(const struct pts_option *o)
{
    return strcmp(o->name, "stdio-color") == 0 && o->value &&
           strcasecmp(o->value, "auto") == 0;
}

static pts_status open_report(pts_session *s, const struct pts_option *options_given,
                              size_t count, pts_stream **out, struct pts_diag *why)
{
    const char *const colours = screen_has_colours() ? "always" : "never";
    struct options_list list;
    bool verbose = false, quiet = false;

    jobs_all(&list, options_given, count);
    for (size_t i = 0; i < list.count; i++) {
        verbose |= strcmp(list.at[i].name, "verbose") == 0;
        quiet |= strcmp(list.at[i].name, "quiet") == 0;
        if (is_auto(&list.at[i]))
            list.at[i].value = colours;
    }
    options_default(&list, (struct pts_option){"stdio-color", colours});
    visible_colours(true);
    pts_status st = verbose && !quiet ? recording_tell(s, why) : PTS_OK;
    if (st < 0)
        return st;
    return pts_text_open(s, "report", list.at, list.count, out, why);
}

static int run(const struct cli_opts *opts)
{
    if (opts->word && *opts->problem.hint)
        fprintf(stderr, "ptscript: `%s' is taken for that of --symbol-filter, %s\n",
                opts->word, opts->problem.hint);
    text_page(opts);
    return text_run(opts, open_report);
}

const struct command cmd_report = {
    .name = "report",
    .usage =
        "Usage: ptscript report [OPTION]...\n"
        "Counts the samples of a perf.data file by what they have in common, and\n"
        "prints rows with perf report's options and in the format of its --stdio.\n",
    .options = options,
    .word = word_take,
    .unreadable = EXIT_INVALID,
    .run = run,
};
