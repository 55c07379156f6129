/* lines.c - lines of a command for standard output, some at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"

#include "fail.h"
#include "visible.h"

#include <string.h>
#include <unistd.h>

static void flush(struct out_lines *l)
{
    if (!l->err)
        l->err = visible_write(STDOUT_FILENO, l->buf, l->len);
    l->len = 0;
}

void lines_put(struct out_lines *l, const char *text)
{
    for (size_t n = strlen(text); n > 0;) {
        if (l->len == sizeof(l->buf))
            flush(l);
        size_t part = sizeof(l->buf) - l->len;
        if (part > n)
            part = n;
        memcpy(l->buf + l->len, text, part);
        l->len += part;
        text += part;
        n -= part;
    }
}

/* Whoever watches sees a line when it is there. */
void lines_end(struct out_lines *l)
{
    lines_put(l, "\n");
    if (isatty(STDOUT_FILENO))
        flush(l);
}

int lines_close(struct out_lines *l, int rc)
{
    flush(l);
    return l->err ? fail_write(l->err) : rc;
}
