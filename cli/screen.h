/* screen.h - standard output that somebody looks at: by the page, and in colours.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_SCREEN_H
#define PTS_CLI_SCREEN_H

#include "config.h"

#include <stdbool.h>

/* What is written to fd goes to a terminal, as it is or through a pager. */
bool screen_is(int fd);
/* ... and standard output may have colours there: not if NO_COLOR or TERM says no. */
bool screen_has_colours(void);

/* --no-pager. */
void screen_plain(void);
/* From here on text for a terminal goes through the user's pager: what PERF_PAGER, the key
 * pager.COMMAND of perf's configuration or PAGER names, else pager or less where they are. */
void screen_page(const struct config *c, const char *command);
/* Waits until the reader has seen enough; nothing is written from here on. */
void screen_close(void);

#endif
