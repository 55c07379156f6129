/* lines.h - lines of a command for standard output, some at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_LINES_H
#define PTS_CLI_LINES_H

#include <stddef.h>

/* Zero-initialise. */
struct out_lines {
    size_t len;
    int err; /* of the first write that failed: what comes later goes nowhere */
    char buf[1 << 16];
};

/* A part of a line; names are made visible on a terminal. */
void lines_put(struct out_lines *l, const char *text);
/* The end of a line. */
void lines_end(struct out_lines *l);
/* Writes what is left.  Returns the exit status: rc, or that of a failed write. */
int lines_close(struct out_lines *l, int rc);

#endif
