/* visible.c - text for a terminal, which takes some bytes for commands.
 *
 * SPDX-License-Identifier: MIT
 */
#include "visible.h"

#include "leave.h"
#include "progress.h"
#include "screen.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000 };

/* How many bytes at text make a control character; 0: none. */
static size_t control_at(const char *text, size_t n)
{
    unsigned char c = (unsigned char)text[0];

    if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
        return 1;
    if (c == 0xc2 && n > 1 && ((unsigned char)text[1] & 0xe0) == 0x80)
        return 2; /* U+0080 to U+009F */
    return 0;
}

static bool has_colours;

void visible_colours(bool on)
{
    has_colours = on;
}

/* How many bytes at text are one of the two colours of a report, or the end of one. */
static size_t colour_at(const char *text, size_t n)
{
    static const char *const codes[] = {"\033[31m", "\033[32m", "\033[m"};

    for (size_t i = 0; has_colours && i < sizeof(codes) / sizeof(codes[0]); i++)
        if (n >= strlen(codes[i]) && memcmp(text, codes[i], strlen(codes[i])) == 0)
            return strlen(codes[i]);
    return 0;
}

/* Without UTF-8 a terminal may take these bytes for controls; within a character they are
 * a part of it. */
static bool stray_c1(const char *text, size_t at)
{
    unsigned char c = (unsigned char)text[at];

    return (c & 0xe0) == 0x80 && (at == 0 || (unsigned char)text[at - 1] < 0x80);
}

size_t visible_run(const char *text, size_t n)
{
    size_t i = 0;

    while (i < n && !control_at(text + i, n - i) && !stray_c1(text, i))
        i++;
    return i;
}

/* Nobody reads, and somebody wants the program to end. */
static bool is_stuck(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return leave_asked() && poll(&p, 1, PATIENCE_MS) == 0;
}

static int write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, text, n);
        bool again = done < 0 && errno == EINTR;
        if ((again || (done >= 0 && (size_t)done < n)) && is_stuck(fd))
            return EINTR;
        if (again)
            continue;
        if (done < 0)
            return errno;
        text += done;
        n -= (size_t)done;
    }
    return 0;
}

static int write_shown(int fd, const char *text, size_t n)
{
    char shown[2 * sizeof("\\xNN")];
    size_t len = 0;

    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(shown + len, sizeof(shown) - len, "\\x%02x",
                                (unsigned char)text[i]);
    return write_all(fd, shown, len);
}

int visible_write(int fd, const char *text, size_t n)
{
    int err = 0;

    if (!screen_is(fd))
        return write_all(fd, text, n);
    while (!err && n > 0) {
        size_t run = visible_run(text, n), bad = 0;
        err = write_all(fd, text, run);
        text += run;
        n -= run;
        if (err || !n)
            break;
        size_t colour = colour_at(text, n);
        if (colour) {
            err = write_all(fd, text, colour);
            text += colour;
            n -= colour;
            continue;
        }
        bad = control_at(text, n);
        bad += !bad;
        err = write_shown(fd, text, bad);
        text += bad;
        n -= bad;
    }
    return err;
}

void visible_say(const char *text)
{
    (void)!visible_write(STDERR_FILENO, text, strlen(text));
}

void visible_message(void *ctx, enum pts_message_kind kind, const char *text)
{
    (void)ctx;
    progress_hide();
    if (kind == PTS_MSG_NOTE)
        fputs("ptscript: ", stderr);
    visible_say(text);
    if (kind == PTS_MSG_NOTE)
        fputs("\n", stderr);
}
