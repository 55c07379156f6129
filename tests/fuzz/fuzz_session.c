/* fuzz_session.c - any bytes as a recording, through the public interface.
 *
 * SPDX-License-Identifier: MIT
 *
 * The last byte chooses the options, what is before it is the recording.  The code that
 * runs in the seeds is below PTS_FUZZ_SYMFS (run.sh sets it). */
#include <ptscript/sample.h>

#include <stdbool.h>
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

/* A stream read to its end, or so far that it is enough. */
struct drained {
    size_t bytes;
    uint64_t hash;
    bool whole;
};

static void drained_add(struct drained *d, const char *text, size_t n)
{
    if (n && memchr(text, 0, n) == text)
        abort(); /* text is text */
    for (size_t i = 0; i < n; i++)
        d->hash = (d->hash ^ (unsigned char)text[i]) * 1099511628211u;
    d->bytes += n;
}

static struct drained drain_text(pts_session *s, const struct pts_option *options,
                                 size_t count)
{
    struct drained d = {0};
    struct pts_diag why;
    pts_stream *stream = NULL;
    const char *text;
    size_t n;
    if (pts_stream_open(s, options, count, &stream, &why) < 0)
        return d;
    while (d.bytes < TEXT_MAX &&
           pts_stream_next_text(stream, &text, &n, &why) == PTS_OK)
        drained_add(&d, text, n);
    d.whole = d.bytes < TEXT_MAX;
    pts_stream_close(stream);
    return d;
}

static void check_row(pts_stream *st, const struct pts_batch *b,
                      const struct pts_row *r)
{
    struct pts_place at = PTS_PLACE_INIT;
    struct pts_diag why;
    bool good = r->chain + (uint64_t)r->chain_n <= b->chain_n &&
                r->branches + (uint64_t)r->branches_n <= b->branches_n &&
                r->raw + (uint64_t)r->raw_n <= b->raw_n && r->record <= b->records_n &&
                r->insn_len <= 15;
    if (!good || (r->sym && !pts_stream_string(st, r->sym, NULL)))
        abort();
    at.want_source = at.want_inlined = 1;
    (void)!pts_stream_resolve(st, r, r->addr, &at, &why);
}

/* The same run once more, with rows beside the text. */
static struct drained drain_rows(pts_session *s, const struct pts_option *options,
                                 size_t count)
{
    const struct pts_samples_opts opts = {.size = sizeof(opts),
                                          .options = options,
                                          .option_count = count,
                                          .want = UINT32_MAX,
                                          .records = 1,
                                          .text = 1};
    struct pts_batch b = PTS_BATCH_INIT;
    struct drained d = {0};
    struct pts_diag why;
    pts_stream *stream = NULL;
    if (pts_samples_open(s, &opts, &stream, &why) < 0)
        return d;
    while (d.bytes < TEXT_MAX && pts_stream_next_batch(stream, &b, &why) == PTS_OK) {
        drained_add(&d, b.text, b.text_n);
        for (size_t i = 0; i < b.n; i += 1 + b.n / 64)
            check_row(stream, &b, &b.rows[i]);
    }
    d.whole = d.bytes < TEXT_MAX;
    pts_stream_close(stream);
    return d;
}

static void drain(pts_session *s, uint8_t choice)
{
    struct pts_option options[2 + MORE_MAX];
    size_t count = options_choose(choice, options);
    struct drained text = drain_text(s, options, count);
    struct drained rows = drain_rows(s, options, count);
    if (text.whole && rows.whole && text.hash != rows.hash)
        abort(); /* who else looks on must not change what is printed */
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
        drain(s, data[size - 1]);
        pts_session_close(s);
    }
    close(fd);
    return 0;
}
