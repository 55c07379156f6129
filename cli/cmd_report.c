/* cmd_report.c - ptscript report: where the time of a recording went, by rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "fail.h"
#include "opts.h"
#include "text.h"

static const struct option options[] = {
#include <ptscript/report.def>
    OPTIONS_END,
};

/* perf takes one word as a part of a symbol's name, and then does nothing with it. */
static bool word_refuse(struct cli_opts *opts, const char *word)
{
    return problem_say(&opts->problem,
                       "`%s': report takes no words, -i names the recording", word);
}

static pts_status open_report(pts_session *s, const struct pts_option *options_given,
                              size_t count, pts_stream **out, struct pts_diag *why)
{
    return pts_text_open(s, "report", options_given, count, out, why);
}

static int run(const struct cli_opts *opts)
{
    return text_run(opts, open_report);
}

const struct command cmd_report = {
    .name = "report",
    .usage =
        "Usage: ptscript report [OPTION]...\n"
        "Counts the samples of a perf.data file by what they have in common, and\n"
        "prints rows with perf report's options and in the format of its --stdio.\n",
    .options = options,
    .word = word_refuse,
    .unreadable = EXIT_INVALID,
    .run = run,
};
