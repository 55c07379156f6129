/* fuzz_session.c - any bytes as a recording, through the public interface.
 *
 * SPDX-License-Identifier: MIT
 *
 * The last byte chooses the options, what is before it is the recording.  The code that
 * runs in the seeds is below PTS_FUZZ_SYMFS (run.sh sets it). */
#include <ptscript/session.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    TEXT_MAX = 1 << 20, /* a loop in the trace may print for long */
    MORE_MAX = 6
};

/* Bits 3-0 of the choice. */
static const char *const itrace[16] = {
    "bexwpoI", "i0nse", "i7ie", "crewp", "i100nse", "i1tbe",  "bepZs2", "Ie",
    "xwpo",    "e",     "ce",   "i1us",  "i3ioegl", "i5ieGL", "beoq",   "i1ieA",
};

/* Bits 5-4. */
static const struct pts_option fields[4] = {
    {"fields",     NULL                                                              },
    {"fields",
     "+flags,+addr,+insn,+insnlen,+ipc,+symoff,+brstack,+iregs,+weight,+data_src"    },
    {"call-trace", NULL                                                              },
    {"fields",     "+srcline,+srccode,+symoff,+insn,-period,+brstackinsn,+brstacksym"},
};

/* Bits 7-6. */
static const struct pts_option more[4][MORE_MAX] = {
    {{"show-task-events", NULL},
     {"show-mmap-events", NULL},
     {"show-switch-events", NULL},
     {"show-lost-events", NULL},
     {"ns", NULL}},
    {{"dump-raw-trace", NULL},               {"show-mmap-events", NULL}                     },
    {{"time", "641.257929,641.257950"},                          {"cpu", "1"},{"tid", "4242"}                                                        },
    {{"reltime", NULL},                          {"xed", NULL},                 {"dsos", "/build/t1,/build/t2"}},
};

static size_t options_choose(uint8_t choice, struct pts_option *out)
{
    size_t n = 0;
    const struct pts_option *f = &fields[choice >> 4 & 3];

    if (f->value || strcmp(f->name, "fields") != 0)
        out[n++] = *f;
    out[n++] = (struct pts_option){"itrace", itrace[choice & 15]};
    for (const struct pts_option *o = more[choice >> 6]; o->name; o++)
        out[n++] = *o;
    return n;
}

static void stream_drain(pts_session *s, uint8_t choice)
{
    struct pts_option options[2 + MORE_MAX];
    struct pts_diag why;
    pts_stream *stream = NULL;
    const char *text;
    size_t n, total = 0;
    size_t count = options_choose(choice, options);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pts_open_opts opts = PTS_OPEN_OPTS_INIT;
    struct pts_diag why;
    pts_session *s = NULL;
    char path[64];

    if (size == 0)
        return 0;
    int fd = memfd_create("recording", 0);
    if (fd < 0 || write(fd, data, size - 1) != (ssize_t)(size - 1))
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    opts.symfs = getenv("PTS_FUZZ_SYMFS");
    if (pts_session_open(path, &opts, &s, &why) == PTS_OK) {
        stream_drain(s, data[size - 1]);
        pts_session_close(s);
    }
    close(fd);
    return 0;
}
