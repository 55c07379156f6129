/* cmd_export.c - ptscript export: a recording as tables of a database.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "cut.h"
#include "fail.h"
#include "jobs.h"
#include "leave.h"
#include "opts.h"
#include "recording.h"

#include <ptscript/export.h>

#include <stdint.h>
#include <string.h>

static const struct option options[] = {
#include <ptscript/export.def>
    OPTIONS_END,
};

static bool word_refuse(struct cli_opts *opts, const char *word)
{
    return problem_say(&opts->problem,
                       "`%s': export takes no words, -i names the recording, -o the "
                       "database",
                       word);
}

static int asked(void *ctx)
{
    (void)ctx;
    return leave_asked();
}

static int make(const struct recording *r, const struct cli_opts *opts)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    struct pts_export_opts o = PTS_EXPORT_OPTS_INIT;
    struct options_list list;

    jobs_all(&list, opts->list, opts->count);
    o.options = list.at;
    o.option_count = list.count;
    o.replace = opts->overwrite;
    o.cancelled = asked;
    leave_ask(true);
    pts_status st = pts_export(r->session, opts->output, &o, &why);
    leave_ask(false);
    return st < 0 ? fail_options(st, r->path, &why) : 0;
}

static int run(const struct cli_opts *opts)
{
    struct recording r = {0};

    if (!opts->output)
        return fail_usage(" Error: ", "export needs the name of the database: -o NAME");
    cut_watch();
    int rc = recording_open(&r, opts);
    if (!rc)
        rc = make(&r, opts);
    recording_close(&r);
    if (rc && leave_asked())
        leave_by(leave_asked());
    return rc;
}

const struct command cmd_export = {
    .name = "export",
    .usage =
        "Usage: ptscript export --to KIND -o NAME [OPTION]... [-i FILE]\n"
        "Makes the database NAME of the recording FILE: its samples, threads, files,\n"
        "symbols and calls, in the tables of perf's export scripts.\n",
    .options = options,
    .word = word_refuse,
    .run = run,
};
