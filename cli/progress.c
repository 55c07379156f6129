/* progress.c - how far a long run is, in a line of the terminal that comes and goes.
 *
 * SPDX-License-Identifier: MIT
 *
 *     12.3 of 59.0 MB of trace (20%), 14.2 MB/s, 3 s left
 *
 * There is none before a run has lasted for a while, nor while text comes on a terminal:
 * that shows by itself that it goes on.
 */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_MS = 250, FIRST_MS = 1000, LINE_MAX_BYTES = 160 };

/* One for the program, as there is one terminal: messages come from everywhere. */
static struct {
    bool on;
    volatile bool drawn;
    int64_t began, next; /* ms */
} line;

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void progress_begin(bool wanted)
{
    const char *term = getenv("TERM");

    line.on = wanted && isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb") != 0);
    line.began = now_ms();
    line.next = line.began + FIRST_MS;
}

void progress_text(const pts_stream *stream, char *to, size_t size)
{
    struct pts_progress p = PTS_PROGRESS_INIT;

    pts_stream_progress(stream, &p);
    *to = '\0';
    if (!p.all)
        return;
    unsigned percent = (unsigned)((double)p.done * 100 / (double)p.all);
    if (p.in_trace)
        snprintf(to, size, "%.1f of %.1f MB of trace (%u%%)", (double)p.done / 1e6,
                 (double)p.all / 1e6, percent);
    else
        snprintf(to, size, "%llu of %llu records (%u%%)", (unsigned long long)p.done,
                 (unsigned long long)p.all, percent);
}

static size_t rate_text(const pts_stream *stream, int64_t ms, char *to, size_t size)
{
    struct pts_progress p = PTS_PROGRESS_INIT;
    double s = (double)ms / 1000;
    int n = 0;

    pts_stream_progress(stream, &p);
    if (!p.done)
        return 0;
    if (p.in_trace)
        n = snprintf(to, size, ", %.1f MB/s", (double)p.done / s / 1e6);
    double left = (double)(p.all - p.done) * s / (double)p.done;
    unsigned long long secs = (unsigned long long)left + 1;
    n += snprintf(to + n, size - (size_t)n,
                  secs < 100 ? ", %llu s left" : ", %llu min left",
                  secs < 100 ? secs : secs / 60);
    return (size_t)n;
}

/* A line that is longer than the terminal is wide would stay. */
static size_t columns(void)
{
    struct winsize w;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1
               ? (size_t)w.ws_col - 1
               : 79;
}

static void draw(const pts_stream *stream, int64_t now)
{
    char text[LINE_MAX_BYTES + 16], shown[LINE_MAX_BYTES];

    progress_text(stream, shown, sizeof(shown));
    size_t n = strlen(shown), wide = columns();
    if (!n)
        return;
    rate_text(stream, now - line.began, shown + n, sizeof(shown) - n);
    int len = snprintf(text, sizeof(text), "\r%.*s\033[K", (int)wide, shown);
    line.drawn = true;
    (void)!write(STDERR_FILENO, text, (size_t)len);
}

void progress_show(const pts_stream *stream)
{
    if (!line.on)
        return;
    int64_t now = now_ms();
    if (now < line.next)
        return;
    line.next = now + EVERY_MS;
    draw(stream, now);
}

void progress_hide(void)
{
    static const char erase[] = "\r\033[K";

    if (!line.drawn)
        return;
    line.drawn = false;
    (void)!write(STDERR_FILENO, erase, sizeof(erase) - 1);
}

void progress_end(void)
{
    progress_hide();
    line.on = false;
}
