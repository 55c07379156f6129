/* leave.h - what is left behind when a signal ends the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_LEAVE_H
#define PTS_CLI_LEAVE_H

#include <ptscript/session.h>

/* Around the opening of a session: signals that end the program wait meanwhile. From the second on
 * they remove the session's temporary files first; NULL: there is none (any more). */
void leave_wait(void);
void leave_watch(const pts_session *session);
/* The files, now: for a handler that ends the program itself. */
void leave_nothing(void);

#endif
