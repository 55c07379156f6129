/* fuzz_raw.c - any bytes as a bare trace, its side-band and its image.
 *
 * SPDX-License-Identifier: MIT
 *
 *     byte 0     IN_..., below
 *     1          what is printed; an address range: what for, how long
 *     2 - 3      sample_type: its low byte, and whether there is an identifier; the CYC
 *                threshold
 *     4 - 5      MTC period, ratio of the crystal clock
 *     6 - 11     lengths of the trace and of two side-band files, 16 bits each
 *     12 -       these three, then the image
 */
#include <ptscript/raw.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HEAD = 12,
    FILES = 4,
    PATH_SIZE = 40,
    TEXT_MAX = 1 << 20, /* a loop in the trace may print for long */
    BASE = 0x401000
};

enum {
    IN_SIDEBAND = 1 << 0,
    IN_CLOCK = 1 << 1,
    IN_PLACED = 1 << 2,
    IN_TWICE = 1 << 3, /* the image a second time, elsewhere */
    IN_NORETCOMP = 1 << 4,
    IN_EVENTS = 1 << 5,
    IN_NO_MTC = 1 << 6,
    IN_OFFSET = 1 << 7
};

static const struct pts_option prints[4] = {
    {"itrace",         "bexwpoI"},
    {"itrace",         "i0nseg" },
    {"dump-raw-trace", NULL     },
    {"call-trace",     NULL     },
};

struct files {
    int fd[FILES];
    char path[FILES][PATH_SIZE];
};

static void require(bool cond)
{
    if (!cond)
        abort();
}

/* Takes n bytes, or what there is. */
static void file_make(struct files *f, int i, const uint8_t **at, size_t *left,
                      size_t n)
{
    n = n < *left ? n : *left;
    f->fd[i] = memfd_create("raw", 0);
    require(f->fd[i] >= 0 && write(f->fd[i], *at, n) == (ssize_t)n);
    snprintf(f->path[i], PATH_SIZE, "/proc/self/fd/%d", f->fd[i]);
    *at += n;
    *left -= n;
}

static void stream_drain(pts_session *s, const struct pts_option *option)
{
    const struct pts_option options[] = {
        {"show-mmap-events",   NULL},
        {"show-switch-events", NULL},
        *option
    };
    struct pts_diag why;
    pts_stream *stream = NULL;
    const char *text;
    size_t n, total = 0;
    if (pts_stream_open(s, options, 3, &stream, &why) < 0)
        return;
    while (total < TEXT_MAX && pts_stream_next_text(stream, &text, &n, &why) == PTS_OK)
        total += n;
    pts_stream_close(stream);
}

static void run(const uint8_t *head, const struct files *f)
{
    uint8_t cond = head[0];
    struct pts_raw_opts raw = PTS_RAW_OPTS_INIT;
    const struct pts_raw_image images[] = {
        {f->path[3], BASE,              (cond & IN_PLACED) != 0},
        {f->path[3], BASE + (1u << 20), 1                      }
    };
    const char *sideband[] = {f->path[1], f->path[2]};
    struct pts_diag why;
    pts_session *s = NULL;

    raw.trace = f->path[0];
    raw.images = images;
    raw.image_count = cond & IN_TWICE ? 2 : 1;
    raw.no_ret_compression = cond & IN_NORETCOMP;
    raw.event_trace = cond & IN_EVENTS;
    raw.mtc_freq = head[4] & 15;
    raw.cpuid_15_ebx = cond & IN_NO_MTC ? 0 : head[5] + 1u;
    raw.cpuid_15_eax = 2;
    raw.nom_freq = head[4] >> 4;
    if (cond & IN_SIDEBAND) {
        raw.sideband = sideband;
        raw.sideband_count = 2;
        raw.sample_type = head[2] | (head[3] & 1 ? PTS_SAMPLE_IDENTIFIER : 0);
    }
    if (cond & IN_CLOCK)
        raw.clock = (struct pts_raw_clock){0, 1000, 10};
    raw.tsc_offset = cond & IN_OFFSET ? 1000 : 0;
    raw.cyc_thresh = head[3] >> 4;
    raw.filter[1] = (struct pts_raw_filter){head[1] >> 2 & 3, BASE,
                                            BASE + (uint64_t)16 * (head[1] >> 4)};
    if (pts_session_open_raw(&raw, NULL, &s, &why) == PTS_OK) {
        stream_drain(s, &prints[head[1] & 3]);
        pts_session_close(s);
    } else {
        require(why.text[0] != '\0' && memchr(why.text, 0, sizeof(why.text)) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct files f;
    if (size < HEAD)
        return 0;
    const uint8_t *at = data + HEAD;
    size_t left = size - HEAD;
    for (int i = 0; i < FILES - 1; i++)
        file_make(&f, i, &at, &left, (size_t)(data[6 + 2 * i] | data[7 + 2 * i] << 8));
    file_make(&f, FILES - 1, &at, &left, left);
    run(data, &f);
    for (int i = 0; i < FILES; i++)
        close(f.fd[i]);
    return 0;
}
