/* text.c - commands that print a text about a recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * The text is pulled out of the library, so this loop alone decides when to stop: at
 * the end, when the reader of a pipe has seen enough, or when the recording turns out
 * to be damaged, after all that was good of it is printed.
 */
#include "text.h"

#include "cut.h"
#include "fail.h"
#include "given.h"
#include "heap.h"
#include "leave.h"
#include "mem.h"
#include "progress.h"
#include "recording.h"
#include "screen.h"
#include "store.h"
#include "visible.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int watch(void *ctx, const pts_stream *stream)
{
    (void)ctx;
    progress_show(stream);
    return leave_asked();
}

/* How far it got. */
static void say_ended(const pts_stream *stream)
{
    const unsigned long long second = 1000000000;
    struct pts_progress p = PTS_PROGRESS_INIT;
    char far[100], at[80] = "";

    pts_stream_progress(stream, &p);
    progress_text(stream, far, sizeof(far));
    if (p.time_ns)
        snprintf(at, sizeof(at), "the text ends at %llu.%09llu, ", p.time_ns / second,
                 p.time_ns % second);
    fprintf(stderr, "ptscript: interrupted: %safter %s\n", at, *far ? far : "nothing");
}

/* The text is on the same terminal. */
static int text_write(const char *text, size_t n)
{
    if (screen_is(STDOUT_FILENO))
        progress_hide();
    cut_writing(text, n);
    int err = visible_write(STDOUT_FILENO, text, n);
    cut_written();
    return err;
}

/* Room for some pieces of text: else writer and reader wait for each other in each.  Who asked
 * for another size keeps it, and a system that allows no more leaves it as it is. */
static void pipe_widen(void)
{
    enum { USUAL = 64 << 10, WIDE = 1 << 20 };

    if (fcntl(STDOUT_FILENO, F_GETPIPE_SZ) == USUAL)
        (void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, WIDE);
}

static int stream_print(pts_stream *stream, const char *path)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    const char *text;
    size_t n;
    pts_status st;

    pipe_widen();
    while ((st = pts_stream_next_text(stream, &text, &n, &why)) == PTS_OK) {
        int err = text_write(text, n);
        if (err == EINTR)
            say_ended(stream);
        if (err)
            return fail_write(err);
    }
    progress_end();
    if (st == PTS_E_CANCELLED && leave_asked()) /* else it ended itself */
        say_ended(stream);
    if (st == PTS_END || st == PTS_E_CANCELLED)
        return 0;
    if (st == PTS_E_FILTER) {
        fprintf(stderr, "%s\n", why.text);
        return pts_stream_filter_result(stream) & 0xff;
    }
    int rc = fail_options(st, path, &why);
    bool damaged = st == PTS_E_TRUNCATED || st == PTS_E_FORMAT;
    return damaged && why.offset != UINT64_MAX ? EXIT_INVALID : rc;
}

static int stream_watched(pts_stream *stream, const char *path,
                          const struct cli_opts *opts)
{
    pts_stream_watch(stream, watch, NULL);
    progress_begin(!opts->no_progress);
    leave_ask(true);
    int rc = stream_print(stream, path);
    leave_ask(false);
    progress_end();
    return rc;
}

/* With -q perf does not tell of a wrong time, and only the status does. */
static int fail_open(const struct cli_opts *opts, pts_status st, const char *path,
                     const struct pts_diag *why)
{
    if (st == PTS_E_CANCELLED)
        return 0;
    if (st == PTS_E_RANGE && is_given(opts, "quiet") && is_given(opts, "time"))
        return EXIT_INVALID;
    return fail_options(st, path, why);
}

static int text_print(const struct cli_opts *opts, text_open_fn *open,
                      unsigned *findings)
{
    struct recording r = {0};
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_stream *stream = NULL;

    cut_watch();
    mem_bound(opts->mem);
    int rc = recording_open(&r, opts);
    if (!rc && opts->store)
        rc = store_recording(&r, opts, NULL);
    /* What could not be stored may not be needed. */
    if (rc && rc != EXIT_NOT_STORED) {
        recording_close(&r);
        return rc;
    }
    pts_status st = open(r.session, opts->list, opts->count, &stream, &why);
    cut_stream(stream);
    heap_keep();
    rc = st < 0 ? fail_open(opts, st, r.path, &why)
                : stream_watched(stream, r.path, opts);
    cut_stream(NULL);
    if (!rc && stream)
        *findings = pts_stream_findings(stream);
    pts_stream_close(stream);
    recording_close(&r);
    return rc;
}

void text_page(const struct cli_opts *opts)
{
    if (opts->no_pager)
        screen_plain();
    screen_page(opts->config, opts->command->name);
}

/* perf takes an interrupted run for one that went well. */
int text_run(const struct cli_opts *opts, text_open_fn *open)
{
    unsigned findings;
    int rc = text_print(opts, open, &findings);

    if (leave_asked() == SIGTERM)
        leave_by(SIGTERM);
    return rc;
}

int text_run_counting(const struct cli_opts *opts, text_open_fn *open,
                      unsigned *findings)
{
    int rc = text_print(opts, open, findings);

    if (leave_asked())
        leave_by(leave_asked());
    return rc;
}
