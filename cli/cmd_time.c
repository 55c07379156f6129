/* cmd_time.c - ptscript time: when a recording has trace, and what was lost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "fail.h"
#include "text.h"

static const struct option options[] = {
#include <ptscript/time.def>
    OPTIONS_END,
};

enum { EXIT_LOST = 1 };

static int run(const struct cli_opts *opts)
{
    unsigned losses = 0;
    int rc = text_run_counting(opts, pts_time_open, &losses);

    if (rc == EXIT_LOST) /* of text_run: the text could not be written */
        return EXIT_FATAL;
    return !rc && losses ? EXIT_LOST : rc;
}

const struct command cmd_time = {
    .name = "time",
    .usage = "Usage: ptscript time [OPTION]... [FILE]\n"
             "Says when a recording has trace of Intel PT, by CPU or thread, and what\n"
             "was lost; nothing is decoded.  Each window can be given to --time.\n"
             "Exit status: 0 nothing was lost, 1 something was, else as of script.\n",
    .options = options,
    .word = word_input,
    .run = run,
};
