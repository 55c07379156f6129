/* main.c - ptscript: one session, one stream, its text to standard output.
 *
 * SPDX-License-Identifier: MIT
 *
 * Exit status as perf script's: 0 also when the trace had errors, 129 for a wrong
 * command line, 255 when the input cannot be used, 234 when it ends early or a part of
 * it cannot, 1 when standard output cannot be written. */
#include "opts.h"

#include <ptscript/session.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_USAGE = 129, EXIT_INVALID = 234, EXIT_FATAL = 255 };

static void message_print(void *ctx, enum pts_message_kind kind, const char *text)
{
    (void)ctx;
    if (kind == PTS_MSG_NOTE)
        fprintf(stderr, "ptscript: %s\n", text);
    else
        fputs(text, stderr);
}

static int usage_fail(const char *lead, const char *problem)
{
    fprintf(stderr, "%s%s\n\n", lead, problem);
    fputs(" Usage: ptscript [script] [<options>]\n"
          "    or: ptscript --help\n",
          stderr);
    return EXIT_USAGE;
}

/* why->text already is a sentence; add the place when there is one.  What is out of
 * range, perf calls invalid. */
static int call_fail(const char *path, const struct pts_diag *why)
{
    if (why->offset != UINT64_MAX)
        fprintf(stderr, "ptscript: %s: %s (at offset %#llx)\n", path, why->text,
                (unsigned long long)why->offset);
    else
        fprintf(stderr, "%s\n", why->text);
    return why->status == PTS_E_RANGE ? EXIT_INVALID : EXIT_FATAL;
}

/* Pipes may close early, as with | head: nobody is left to tell. */
static int write_fail(int err)
{
    if (err == EPIPE)
        return 0;
    fprintf(stderr, "write failure on standard output: %s\n", strerror(err));
    return 1;
}

static int write_all(const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(STDOUT_FILENO, text, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return errno;
        text += done;
        n -= (size_t)done;
    }
    return 0;
}

/* The options may be to blame. */
static int stream_fail(pts_status st, const char *path, const struct pts_diag *why)
{
    if (st == PTS_E_USAGE || st == PTS_E_UNSUPPORTED)
        return usage_fail("", why->text);
    return call_fail(path, why);
}

static int stream_print(pts_stream *st, const char *path)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    const char *text;
    size_t n;
    pts_status status;
    while ((status = pts_stream_next_text(st, &text, &n, &why)) == PTS_OK) {
        int err = write_all(text, n);
        if (err)
            return write_fail(err);
    }
    if (status == PTS_END)
        return 0;
    int rc = stream_fail(status, path, &why);
    bool damaged = status == PTS_E_TRUNCATED || status == PTS_E_FORMAT;
    return damaged && why.offset != UINT64_MAX ? EXIT_INVALID : rc;
}

static int session_run(pts_session *s, const struct cli_opts *opts, const char *path)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_stream *stream = NULL;
    pts_status st = opts->command == CLI_EVLIST
                        ? pts_evlist_open(s, opts->list, opts->count, &stream, &why)
                        : pts_stream_open(s, opts->list, opts->count, &stream, &why);
    if (st < 0)
        return stream_fail(st, path, &why);
    int rc = stream_print(stream, path);
    pts_stream_close(stream);
    return rc;
}

/* Recordings can be large: /tmp is often memory. */
static const char *temp_dir(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/var/tmp";
}

/* A recording, or a bare trace.  path: what messages are about. */
static pts_status input_open(const struct cli_opts *opts, const char *path,
                             const struct pts_open_opts *open_opts, pts_session **out,
                             struct pts_diag *why)
{
    return opts->raw.opts.trace
               ? pts_session_open_raw(&opts->raw.opts, open_opts, out, why)
               : pts_session_open(path, open_opts, out, why);
}

static int run(const struct cli_opts *opts, const char *path, const char *buildid_dir)
{
    struct pts_open_opts open_opts = PTS_OPEN_OPTS_INIT;
    open_opts.force = opts->force;
    open_opts.symfs = opts->symfs;
    open_opts.buildid_dir = buildid_dir;
    open_opts.message = message_print;
    open_opts.temp_dir = temp_dir();

    struct pts_diag why = {.offset = UINT64_MAX};
    pts_session *s = NULL;
    pts_status st = input_open(opts, path, &open_opts, &s, &why);
    if (st == PTS_E_USAGE)
        return usage_fail("  Error: ", why.text);
    if (st < 0)
        return call_fail(path, &why);
    int rc = session_run(s, opts, path);
    pts_session_close(s);
    return rc;
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

static const char *default_buildid_dir(char *buf, size_t size)
{
    const char *home = getenv("HOME");
    if (!home)
        return ".debug";
    int n = snprintf(buf, size, "%s/.debug", home);
    return n > 0 && (size_t)n < size ? buf : ".debug";
}

int main(int argc, char **argv)
{
    static struct cli_opts opts;
    char dir[PATH_MAX];

    switch (cli_parse(argc, argv, &opts)) {
    case CLI_USAGE:
        return usage_fail("  Error: ", opts.problem);
    case CLI_HELP:
        cli_help(stdout, opts.command);
        return 0;
    case CLI_VERSION:
        puts("ptscript " PTS_VERSION);
        return 0;
    case CLI_RUN:
        break;
    }
    return run(&opts, input_path(&opts),
               opts.buildid_dir ? opts.buildid_dir
                                : default_buildid_dir(dir, sizeof(dir)));
}
