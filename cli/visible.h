/* visible.h - text for a terminal, which takes some bytes for commands.
 *
 * SPDX-License-Identifier: MIT
 *
 * Names in a recording are whatever a program called itself or its files: an escape
 * sequence in one could move the cursor, change the title or worse.  On a terminal they
 * are shown as \x1b and so on; a file or a pipe gets the bytes as they are, as from perf.
 */
#ifndef PTS_CLI_VISIBLE_H
#define PTS_CLI_VISIBLE_H

#include <ptscript/session.h>
#include <stdbool.h>
#include <stddef.h>

/* The bytes at the start of n that may go to a terminal as they are: up to a control
 * character other than a tab or line feed, or one of the C1 set. */
size_t visible_run(const char *text, size_t n);

/* The text's own colours are none that a name could do harm by. */
void visible_colours(bool on);

/* Writes n bytes to fd, made visible if it is a terminal.  0, or an errno; EINTR: a signal
 * asked for the end, and nobody reads. */
int visible_write(int fd, const char *text, size_t n);
/* To standard error, as far as it can be; text is NUL-terminated. */
void visible_say(const char *text);
/* What the library has to say, as a pts_message_fn. */
void visible_message(void *ctx, enum pts_message_kind kind, const char *text);

#endif
