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
#include "recording.h"
#include "store.h"
#include "visible.h"

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

static int stream_print(pts_stream *stream, const char *path)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    const char *text;
    size_t n;
    pts_status st;
    while ((st = pts_stream_next_text(stream, &text, &n, &why)) == PTS_OK) {
        int err = visible_write(STDOUT_FILENO, text, n);
        if (err)
            return fail_write(err);
    }
    if (st == PTS_END)
        return 0;
    int rc = fail_options(st, path, &why);
    bool damaged = st == PTS_E_TRUNCATED || st == PTS_E_FORMAT;
    return damaged && why.offset != UINT64_MAX ? EXIT_INVALID : rc;
}

int text_run(const struct cli_opts *opts, text_open_fn *open)
{
    unsigned findings;

    return text_run_counting(opts, open, &findings);
}

int text_run_counting(const struct cli_opts *opts, text_open_fn *open,
                      unsigned *findings)
{
    struct recording r = {0};
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_stream *stream = NULL;

    cut_watch();
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
    rc = st < 0 ? fail_options(st, r.path, &why) : stream_print(stream, r.path);
    cut_stream(NULL);
    if (!rc)
        *findings = pts_stream_findings(stream);
    pts_stream_close(stream);
    recording_close(&r);
    return rc;
}
