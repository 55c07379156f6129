/* script_starter.c - ptscript script -g python: writes a script to start from.
 *
 * SPDX-License-Identifier: MIT
 *
 * A script that is there already may have been worked on, so it is kept beside the new one, and
 * what was kept before is never lost.
 */
#include "script_run.h"

#include "fail.h"
#include "recording.h"
#include "script_find.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char script_name[] = "perf-script.py", kept_name[] = "perf-script.py.old",
                  temp_name[] = ".perf-script.py.new";

static int fail_script(const char *reason)
{
    fprintf(stderr, "couldn't open %s\nptscript: %s: %s\n", script_name, script_name,
            reason);
    return EXIT_FATAL;
}

/* One hard link more first: it fails where the name is taken, which a rename would not. */
static int keep_old(void)
{
    struct stat st;

    if (lstat(script_name, &st) != 0)
        return errno == ENOENT ? 0 : fail_script(strerror(errno));
    if (!S_ISREG(st.st_mode))
        return fail_script("there is something of this name that is no file");
    if (!st.st_size)
        return unlink(script_name) ? fail_script(strerror(errno)) : 0;
    if (link(script_name, kept_name) != 0)
        return fail_script(errno == EEXIST
                               ? "it is there, and an older one in "
                                 "perf-script.py.old: neither is written over"
                               : strerror(errno));
    fprintf(stderr, "ptscript: the %s that was here is now %s\n", script_name,
            kept_name);
    return unlink(script_name) ? fail_script(strerror(errno)) : 0;
}

/* The pieces of the stream. */
static int write_all(pts_stream *stream, FILE *to, const char *path)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    const char *text;
    size_t n;
    pts_status st;

    while ((st = pts_stream_next_text(stream, &text, &n, &why)) == PTS_OK)
        if (fwrite(text, 1, n, to) != n)
            return fail_script(strerror(errno));
    return st == PTS_END ? 0 : fail_call(path, &why);
}

static int give_name(void)
{
    int rc = keep_old();

    if (!rc && link(temp_name, script_name) != 0)
        rc = fail_script(strerror(errno));
    if (!rc)
        fprintf(stderr, "generated Python script: %s\n", script_name);
    return rc;
}

/* It has its name when it is whole.  What a killed run left of it is nobody's. */
static int write_script(pts_stream *stream, const char *path)
{
    unlink(temp_name);
    int fd = open(temp_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

    if (!to) {
        int err = errno;
        if (fd >= 0)
            close(fd);
        return fail_script(strerror(err));
    }
    int rc = write_all(stream, to, path);
    if (fclose(to) != 0 && !rc)
        rc = fail_script(strerror(errno));
    if (!rc)
        rc = give_name();
    unlink(temp_name);
    return rc;
}

int script_starter(const struct cli_opts *opts)
{
    struct recording r = {0};
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_stream *stream = NULL;
    bool is_perl = false;

    if (!script_language_is(opts->generate, &is_perl)) {
        fputs("invalid language specifier", stderr);
        return EXIT_NOT_FOUND;
    }
    if (is_perl)
        return fail_usage("",
                          "scripts in perl are not supported, -g writes one in Python");
    int rc = recording_open(&r, opts);
    if (rc)
        return rc;
    pts_status st =
        pts_text_open(r.session, "starter", opts->list, opts->count, &stream, &why);
    rc = st < 0 ? fail_options(st, r.path, &why) : write_script(stream, r.path);
    pts_stream_close(stream);
    recording_close(&r);
    return rc;
}
