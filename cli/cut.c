/* cut.c - a file that is cut, or cannot be read, while it is mapped.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nobody goes on from here: what was read of the file before may be checked no more, so
 * bytes that change behind one's back must not be believed.  The list of mappings is the
 * kernel's, which knows also those that other libraries made:
 *
 *     7f1d6c000000-7f1d6c200000 r--p 00001000 fe:00 1234     /build/perf.data
 */
#include "cut.h"

#include "fail.h"
#include "leave.h"
#include "progress.h"
#include "visible.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = PATH_MAX + 128 };

/* Where a fault was. */
struct place {
    const char *path; /* NULL: the list of mappings could not be read */
    uint64_t off;     /* in the file */
};

/* What a signal handler can reach. */
static const pts_stream *volatile printing;
static volatile uintptr_t elsewhere; /* an address that another thread could not read */
static struct {
    const char *volatile text; /* what was written last, or is being written */
    volatile size_t n;
    volatile bool now;
} written;

/* Text that is read piece by piece. */
struct lines {
    int fd;
    bool failed;
    size_t at, len;
    char bytes[4096];
    char line[LINE_MAX_BYTES];
};

static bool lines_read(struct lines *in)
{
    ssize_t got;

    do
        got = read(in->fd, in->bytes, sizeof(in->bytes));
    while (got < 0 && errno == EINTR);
    in->failed = got < 0;
    in->at = 0;
    in->len = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static bool line_next(struct lines *in)
{
    for (size_t n = 0;;) {
        if (in->at == in->len && !lines_read(in))
            return false;
        char c = in->bytes[in->at++];
        if (c == '\n') {
            in->line[n] = '\0';
            return true;
        }
        if (n + 1 < sizeof(in->line))
            in->line[n++] = c;
    }
}

/* A number in hexadecimal at *s, and what ends it. */
static uint64_t hex_take(const char **s)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t v = 0;
    for (const char *digit; **s && (digit = strchr(digits, **s)) != NULL; ++*s)
        v = v << 4 | (uint64_t)(digit - digits);
    if (**s)
        ++*s;
    return v;
}

/* The line of a mapped file that has this address. */
static bool line_has(const char *line, uint64_t addr, struct place *out)
{
    const char *s = line;
    uint64_t from = hex_take(&s), to = hex_take(&s);
    s += strcspn(s, " ");
    s += strspn(s, " ");
    uint64_t off = hex_take(&s);
    const char *path = strchr(line, '/');
    if (addr < from || addr >= to || !path)
        return false;
    *out = (struct place){path, off + (addr - from)};
    return true;
}

/* False: it is in no file. */
static bool place_find(struct lines *in, uint64_t addr, struct place *out)
{
    bool found = false;

    do
        in->fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (in->fd < 0 && errno == EINTR);
    in->failed = in->fd < 0;
    while (!in->failed && !found && line_next(in))
        found = line_has(in->line, addr, out);
    if (in->fd >= 0)
        close(in->fd);
    if (in->failed)
        *out = (struct place){NULL, 0};
    return found || in->failed;
}

static void place_say(const struct place *p)
{
    char text[LINE_MAX_BYTES + 200];
    if (!p->path) {
        visible_say(
            "ptscript: a file that is in use was cut, or cannot be read any more "
            "(nor can /proc/self/maps, which says which one): the text ends here\n");
        return;
    }
    struct stat sb;
    bool known = stat(p->path, &sb) == 0;
    bool there = known && (uint64_t)sb.st_size > p->off;
    char what[80] = "was cut";
    if (there)
        snprintf(what, sizeof(what), "cannot be read any more");
    else if (known)
        snprintf(what, sizeof(what), "was cut to %llu bytes while it was read",
                 (unsigned long long)sb.st_size);
    snprintf(text, sizeof(text),
             "ptscript: %s: it %s: the text ends here (at offset %#llx)\n", p->path,
             what, (unsigned long long)p->off);
    visible_say(text);
}

static void text_write(void)
{
    const char *text;
    size_t n;
    if (!printing)
        return;
    pts_stream_made(printing, &text, &n);
    if (text == written.text && n == written.n)
        return; /* nothing new yet */
    int err = visible_write(STDOUT_FILENO, text, n);
    if (err && err != EPIPE && err != EINTR)
        visible_say("ptscript: write failure on standard output\n");
}

/* A thread of the library's (--jobs) met it, and stays there: the text is the first thread's,
 * which may come upon another such place at the same time. */
static void hand_over(uintptr_t at)
{
    elsewhere = at;
    tgkill(getpid(), getpid(), SIGBUS);
    for (;;)
        pause();
}

/* As without a handler: the same access fails again, or the signal is sent again. */
static void let_die(bool sent)
{
    signal(SIGBUS, SIG_DFL);
    if (sent)
        (void)raise(SIGBUS);
}

/* The thread was reading mapped bytes: it holds no lock of the allocator or of stdio,
 * whose streams are not used here either.  When another one was, it may be anywhere, also
 * where a line is being made: whole ones are all that is taken; or where text is being written,
 * which is ended first (cut_written). */
static void bus_error(int sig, siginfo_t *info, void *context)
{
    static struct lines maps;
    struct place p;
    bool sent = info->si_code <= 0;
    bool handed = info->si_code == SI_TKILL && elsewhere;
    uintptr_t at = handed ? elsewhere : (uintptr_t)info->si_addr;
    (void)sig;
    (void)context;
    if (!sent && gettid() != getpid())
        hand_over(at);
    if (handed && written.now)
        return;
    /* By somebody; or it is in no file. */
    if ((sent && !handed) || !place_find(&maps, at, &p)) {
        let_die(sent);
        return;
    }
    progress_hide();
    text_write();
    place_say(&p);
    leave_nothing();
    _exit(EXIT_INVALID);
}

void cut_watch(void)
{
    struct sigaction act = {.sa_sigaction = bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&act.sa_mask);
    sigaction(SIGBUS, &act, NULL);
}

void cut_stream(const pts_stream *stream)
{
    printing = stream;
}

void cut_writing(const char *text, size_t n)
{
    written.now = true;
    written.text = text;
    written.n = n;
}

void cut_written(void)
{
    written.now = false;
    if (elsewhere)
        tgkill(getpid(), getpid(), SIGBUS);
}
