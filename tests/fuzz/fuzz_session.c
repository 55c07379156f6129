/* fuzz_session.c - any bytes as a recording, through the public interface.
 *
 * SPDX-License-Identifier: MIT
 *
 * The code that runs in the seeds is below PTS_FUZZ_SYMFS (run.sh sets it). */
#include <ptscript/session.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 1 << 22 }; /* a loop in the trace may print for long */

static void stream_drain(pts_session *s, const struct pts_option *options, size_t count)
{
    struct pts_diag why;
    pts_stream *stream = NULL;
    const char *text;
    size_t n, total = 0;
    if (pts_stream_open(s, options, count, &stream, &why) < 0)
        return;
    while (total < TEXT_MAX &&
           pts_stream_next_text(stream, &text, &n, &why) == PTS_OK) {
        total += n;
        if (n && memchr(text, 0, n) == text)
            abort(); /* text is text */
    }
    pts_stream_close(stream);
}

static void session_run(const char *path)
{
    static const struct pts_option sets[][2] = {
        {{"itrace", "bexwpoI"},    {"fields", "+flags,+addr,+insn"}},
        {{"dump-raw-trace", NULL}, {"show-mmap-events", NULL}      },
        {{"itrace", "i7ie"},       {"show-switch-events", NULL}    },
    };
    struct pts_open_opts opts = PTS_OPEN_OPTS_INIT;
    opts.symfs = getenv("PTS_FUZZ_SYMFS");
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        struct pts_diag why;
        pts_session *s = NULL;
        if (pts_session_open(path, &opts, &s, &why) < 0)
            return;
        stream_drain(s, sets[i], 2);
        pts_session_close(s);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("recording", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    session_run(path);
    close(fd);
    return 0;
}
