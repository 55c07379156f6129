/* modules.c - which modules a kernel had, and where.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/modules.h"

#include "decoder/base/lines.h"

#include <stdlib.h>
#include <string.h>

/* A number that ends with the line or at what is no digit of it. */
static bool number_read(const char *at, const char *end, int base, uint64_t *out)
{
    char text[24], *stop;
    size_t n = (size_t)(end - at);

    if (n > sizeof(text) - 1)
        n = sizeof(text) - 1;
    memcpy(text, at, n);
    text[n] = '\0';
    *out = strtoull(text, &stop, base);
    return stop != text;
}

static bool line_read(const char *line, size_t n, struct module_line *out)
{
    const char *blank = memchr(line, ' ', n);
    const char *at = memmem(line, n, " 0x", 3);

    if (!blank || blank == line || !at ||
        !number_read(at + 3, line + n, 16, &out->start))
        return false;
    out->name = line;
    out->len = (size_t)(blank - line);
    if (!number_read(blank + 1, line + n, 10, &out->size))
        out->size = 0;
    return true;
}

bool modules_next(struct modules_iter *it, struct module_line *out)
{
    const char *line;
    size_t n;

    while ((line = line_next(&it->at, it->end, &n)))
        if (line_read(line, n, out))
            return true;
    return false;
}
