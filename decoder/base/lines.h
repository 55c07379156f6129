/* lines.h - text, line by line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_BASE_LINES_H
#define PTS_DECODER_BASE_LINES_H

#include <stddef.h>
#include <string.h>

/* The line at *at, below end, of *n bytes without its end; *at is behind it then.  NULL: there
 * is none. */
static inline const char *line_next(const char **at, const char *end, size_t *n)
{
    const char *line = *at;

    if (line >= end)
        return NULL;
    const char *nl = memchr(line, '\n', (size_t)(end - line));
    *n = (size_t)((nl ? nl : end) - line);
    *at = line + *n + (nl != NULL);
    return line;
}

#endif
