/* script_run.c - ptscript script -s FILE: a recording is shown to a script.
 *
 * SPDX-License-Identifier: MIT
 *
 * The run is that of the text, but for who opens the stream; text there is, too, when
 * records or the header are to be shown.
 */
#include "script_run.h"

#include "dlfilters.h"
#include "fail.h"
#include "jobs.h"
#include "script_find.h"
#include "script_language.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The script of this process: there is one. */
static struct {
    const struct pts_language *language;
    struct pts_script_call call;
    int status; /* -1: it has not ended the process */
} running;

static pts_status open_script(pts_session *s, const struct pts_option *given,
                              size_t count, pts_stream **out, struct pts_diag *why)
{
    struct options_list list;
    static char path[PATH_MAX]; /* lent to the stream */

    jobs_all(&list, given, count);
    dlfilters_place(&list, path);
    if (access(running.call.path, R_OK) != 0) {
        why->status = PTS_E_IO;
        snprintf(why->text, sizeof(why->text), "Can't open python script \"%s\": %s",
                 running.call.path, strerror(errno));
        return PTS_E_IO;
    }
    return pts_script_open(s, running.language, &running.call, list.at, list.count,
                           &running.status, out, why);
}

static int run_file(const struct cli_opts *opts, const char *name, char **argv,
                    int argc)
{
    struct script_spec spec = {NULL, false};
    struct problem problem;
    char buf[PATH_MAX];

    if (!script_spec_read(name, &spec, &problem))
        return fail_value(problem.text);
    if (spec.is_perl)
        return fail_usage(
            "", "scripts in perl are not supported, only those in Python: -g python "
                "writes one for this recording, to begin with");
    running.language = script_language("python");
    if (!running.language)
        return EXIT_FATAL;
    running.status = -1;
    running.call = (struct pts_script_call){.path = script_find(&spec, buf),
                                            .given = spec.file,
                                            .argc = argc,
                                            .argv = argv};
    script_exec_path();
    int rc = text_run(opts, open_script);
    return running.status >= 0 ? running.status : rc;
}

bool script_run_takes(const char *word, bool verbs)
{
    return script_is(word) || script_report_takes(word, verbs);
}

bool script_run_wanted(const struct cli_opts *opts)
{
    return opts->script || opts->list_scripts || opts->generate || opts->rest;
}

int script_run(const struct cli_opts *opts)
{
    if (opts->list_scripts)
        return script_list();
    if (opts->script && strcmp(opts->script, "lang") == 0) {
        script_languages();
        return 0;
    }
    if (opts->generate)
        return script_starter(opts);
    if (opts->script)
        return run_file(opts, opts->script, opts->rest, opts->rest_count);
    if (opts->rest && script_is(opts->rest[0]))
        return run_file(opts, opts->rest[0], opts->rest + 1, opts->rest_count - 1);
    return script_report(opts);
}
