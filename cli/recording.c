/* recording.c - the recording that a command works on.
 *
 * SPDX-License-Identifier: MIT
 *
 * All that depends on the surroundings of the process is looked up here, since the
 * library does not: whether standard input is a pipe, the home directory, where
 * temporary files may be large.
 */
#include "recording.h"

#include "dlfilters.h"
#include "fail.h"
#include "heap.h"
#include "leave.h"
#include "visible.h"

#include <ptscript/buildid.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Recordings can be large: /tmp is often memory. */
static const char *temp_dir(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/var/tmp";
}

const char *recording_buildid_dir(const struct cli_opts *opts, char *buf, size_t size)
{
    const char *home = getenv("HOME");
    const char *dir =
        opts->buildid_dir ? opts->buildid_dir : config_get(opts->config, "buildid.dir");
    if (dir)
        return dir;
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
    if (opts->command->input)
        return opts->command->input;
    return fstat(STDIN_FILENO, &sb) == 0 && S_ISFIFO(sb.st_mode) ? "-" : "perf.data";
}

/* NULL: they can be read. */
static const char *not_readable(const struct cli_opts *opts)
{
    if (opts->vmlinux && access(opts->vmlinux, R_OK) != 0)
        return opts->vmlinux;
    if (opts->kallsyms && access(opts->kallsyms, R_OK) != 0)
        return opts->kallsyms;
    return NULL;
}

static bool is_file(const char *path)
{
    struct stat sb;
    return stat(path, &sb) == 0 && S_ISREG(sb.st_mode);
}

static pts_status options_check(const struct cli_opts *opts, pts_message_fn *message,
                                struct pts_diag *why)
{
    const char *command = opts->command->checked;

    *why = (struct pts_diag){.offset = UINT64_MAX};
    return command
               ? pts_options_check(command, opts->list, opts->count, message, NULL, why)
               : PTS_OK;
}

/* What is wrong with them does not depend on the recording, which may not be there.  perf reads
 * them, with a word here and there, then looks whether the kernel's files could be read, and only
 * then whether they go together.  Good ones are talked about where the recording is. */
static int options_refuse(const struct cli_opts *opts)
{
    struct pts_diag why;
    pts_status st = options_check(opts, NULL, &why);
    const bool wrong = st == PTS_E_USAGE || st == PTS_E_UNSUPPORTED;
    const char *file = wrong ? NULL : not_readable(opts);

    if (st == PTS_OK && !file)
        return 0;
    st = options_check(opts, visible_message, &why);
    if (!file)
        return fail_options(st, "", &why);
    fprintf(stderr, "Invalid file: %s\n", file);
    return opts->command->unreadable ? opts->command->unreadable : EXIT_FATAL;
}

/* perf loads a filter before it opens the recording. */
static int filter_load(const struct cli_opts *opts)
{
    struct pts_diag why = {.offset = UINT64_MAX}, said;

    if (dlfilters_load(opts, &why) == PTS_OK)
        return 0;
    (void)!options_check(opts, visible_message, &said);
    return fail_call("", &why);
}

int recording_open(struct recording *r, const struct cli_opts *opts)
{
    struct pts_open_opts open_opts = PTS_OPEN_OPTS_INIT;
    struct pts_diag why = {.offset = UINT64_MAX};

    int rc = options_refuse(opts);
    if (!rc)
        rc = filter_load(opts);
    if (rc)
        return rc;
    open_opts.force = opts->force;
    open_opts.vmlinux = opts->vmlinux;
    open_opts.ignore_vmlinux = opts->ignore_vmlinux;
    open_opts.kallsyms = opts->kallsyms;
    open_opts.guests = opts->guestmodules != NULL;
    open_opts.guest_kallsyms = opts->guestkallsyms;
    open_opts.guest_vmlinux = opts->guestvmlinux;
    open_opts.guestmount = opts->guestmount;
    open_opts.guest_code = opts->guest_code;
    open_opts.symfs = opts->symfs;
    open_opts.buildid_dir =
        recording_buildid_dir(opts, r->buildid_dir, sizeof(r->buildid_dir));
    open_opts.config = opts->config->list;
    open_opts.require_buildid = opts->require_buildid;
    open_opts.config_count = opts->config->count;
    open_opts.message = visible_message;
    open_opts.temp_dir = temp_dir();
    r->path = input_path(opts);
    /* It may be a bundle, and to be unpacked; who writes to a pipe may never end. */
    if (is_file(r->path))
        leave_wait();
    heap_widen();
    pts_status st =
        opts->raw.opts.trace
            ? pts_session_open_raw(&opts->raw.opts, &open_opts, &r->session, &why)
            : pts_session_open(r->path, &open_opts, &r->session, &why);
    leave_watch(r->session);
    r->status = st;
    if (st == PTS_E_USAGE)
        return fail_usage("  Error: ", why.text);
    return st < 0 ? fail_call(r->path, &why) : 0;
}

pts_status recording_tell(pts_session *s, struct pts_diag *why)
{
    pts_dsos *list = NULL;
    pts_status st = pts_dsos_open(s, PTS_DSOS_LISTED | PTS_DSOS_TELL, &list, why);

    pts_dsos_close(list);
    return st;
}

void recording_close(struct recording *r)
{
    leave_wait();
    pts_session_close(r->session);
    leave_watch(NULL);
}
