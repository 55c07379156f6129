/* cmd_evlist.c - ptscript evlist: which events a recording is of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "text.h"

static const struct option options[] = {
#include <ptscript/evlist.def>
    OPTIONS_END,
};

static int run(const struct cli_opts *opts)
{
    return text_run(opts, pts_evlist_open);
}

const struct command cmd_evlist = {
    .name = "evlist",
    .usage = "Usage: ptscript evlist [OPTION]...\n"
             "Lists the events that a perf.data file was recorded with.\n",
    .options = options,
    .run = run,
};
