/* recording.c - the recording that a command works on.
 *
 * SPDX-License-Identifier: MIT
 *
 * All that depends on the surroundings of the process is looked up here, since the
 * library does not: whether standard input is a pipe, the home directory, where
 * temporary files may be large.
 */
#include "recording.h"

#include "fail.h"
#include "leave.h"
#include "visible.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void message_print(void *ctx, enum pts_message_kind kind, const char *text)
{
    (void)ctx;
    if (kind == PTS_MSG_NOTE)
        visible_say("ptscript: ");
    visible_say(text);
    if (kind == PTS_MSG_NOTE)
        visible_say("\n");
}

/* Recordings can be large: /tmp is often memory. */
static const char *temp_dir(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/var/tmp";
}

static const char *default_buildid_dir(char *buf, size_t size)
{
    const char *home = getenv("HOME");
    if (!home)
        return ".debug";
    int n = snprintf(buf, size, "%s/.debug", home);
    return n > 0 && (size_t)n < size ? buf : ".debug";
}

/* Without -i a pipe on standard input is the recording. */
static const char *input_path(const struct cli_opts *opts)
{
    struct stat sb;
    if (opts->raw.opts.trace)
        return opts->raw.opts.trace;
    if (opts->input)
        return opts->input;
    return fstat(STDIN_FILENO, &sb) == 0 && S_ISFIFO(sb.st_mode) ? "-" : "perf.data";
}

/* perf looks whether it could read them before it does anything else. */
static bool is_readable(const char *path)
{
    if (!path || access(path, R_OK) == 0)
        return true;
    fprintf(stderr, "Invalid file: %s\n", path);
    return false;
}

int recording_open(struct recording *r, const struct cli_opts *opts)
{
    struct pts_open_opts open_opts = PTS_OPEN_OPTS_INIT;
    struct pts_diag why = {.offset = UINT64_MAX};

    if (!is_readable(opts->vmlinux) || !is_readable(opts->kallsyms))
        return EXIT_FATAL;
    open_opts.force = opts->force;
    open_opts.vmlinux = opts->vmlinux;
    open_opts.kallsyms = opts->kallsyms;
    open_opts.symfs = opts->symfs;
    open_opts.buildid_dir =
        opts->buildid_dir ? opts->buildid_dir
                          : default_buildid_dir(r->buildid_dir, sizeof(r->buildid_dir));
    open_opts.message = message_print;
    open_opts.temp_dir = temp_dir();
    r->path = input_path(opts);
    leave_wait();
    pts_status st =
        opts->raw.opts.trace
            ? pts_session_open_raw(&opts->raw.opts, &open_opts, &r->session, &why)
            : pts_session_open(r->path, &open_opts, &r->session, &why);
    leave_watch(r->session);
    if (st == PTS_E_USAGE)
        return fail_usage("  Error: ", why.text);
    return st < 0 ? fail_call(r->path, &why) : 0;
}

void recording_close(struct recording *r)
{
    leave_wait();
    pts_session_close(r->session);
    leave_watch(NULL);
}
