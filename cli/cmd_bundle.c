/* cmd_bundle.c - ptscript bundle: a recording with all that it takes to decode it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "fail.h"
#include "opts.h"
#include "recording.h"

#include <errno.h>
#include <ptscript/bundle.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {
#include <ptscript/bundle.def>
    OPTIONS_END,
};

enum { EXIT_MISSING = 1 };

static int run(const struct cli_opts *opts)
{
    struct recording r = {0};
    struct pts_diag why = {.offset = UINT64_MAX};
    struct pts_bundle_done done = PTS_BUNDLE_DONE_INIT;

    if (!opts->output)
        return fail_usage("  Error: ", "bundle: -o FILE says where to");
    if (strcmp(opts->output, "-") == 0)
        return fail_usage("  Error: ", "bundle: -o wants a file, not standard output");
    int rc = recording_open(&r, opts);
    if (rc)
        return rc;
    if (pts_bundle_write(r.session, opts->output, opts->overwrite, &done, &why) < 0)
        rc = fail_call(r.path, &why);
    recording_close(&r);
    if (rc)
        return rc;
    if (printf("%llu file%s, %llu bytes unpacked; needed and missing: %llu\n",
               (unsigned long long)done.files, done.files == 1 ? "" : "s",
               (unsigned long long)done.bytes, (unsigned long long)done.missing) < 0 ||
        fflush(stdout) != 0)
        return fail_write(errno);
    return done.missing ? EXIT_MISSING : 0;
}

const struct command cmd_bundle = {
    .name = "bundle",
    .usage =
        "Usage: ptscript bundle [OPTION]... [FILE] -o BUNDLE\n"
        "Puts a recording and the files that decoding it needs into one file,\n"
        "a .tar.zst, which -i BUNDLE decodes anywhere.\n"
        "Exit status: 0 all is there, 1 something is missing, else as of script.\n",
    .options = options,
    .word = word_input,
    .run = run,
};
