/* cmd_doctor.c - ptscript doctor: what is wrong with a recording, and what to do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "fail.h"
#include "jobs.h"
#include "text.h"

static const struct option options[] = {
#include <ptscript/doctor.def>
    OPTIONS_END,
};

enum { EXIT_FINDINGS = 1 };

static pts_status open_doctor(pts_session *s, const struct pts_option *given,
                              size_t count, pts_stream **out, struct pts_diag *why)
{
    struct options_list list;

    jobs_all(&list, given, count);
    return pts_doctor_open(s, list.at, list.count, out, why);
}

static int run(const struct cli_opts *opts)
{
    unsigned findings = 0;
    int rc = text_run_counting(opts, open_doctor, &findings);

    if (rc == EXIT_FINDINGS) /* of text_run: the text could not be written */
        return EXIT_FATAL;
    return !rc && findings ? EXIT_FINDINGS : rc;
}

const struct command cmd_doctor = {
    .name = "doctor",
    .usage =
        "Usage: ptscript doctor [OPTION]... [FILE]\n"
        "Says what is wrong with a recording of Intel PT and what to do about it.\n"
        "Exit status: 0 nothing is wrong, 1 something is, else as of script.\n",
    .options = options,
    .word = word_input,
    .run = run,
};
