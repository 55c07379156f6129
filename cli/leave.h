/* leave.h - what is left behind when a signal ends the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_LEAVE_H
#define PTS_CLI_LEAVE_H

#include <ptscript/session.h>

#include <stdbool.h>

/* Around the opening of a session: signals that end the program wait meanwhile. From the second on
 * they remove the session's temporary files first; NULL: there is none (any more). */
void leave_wait(void);
void leave_watch(const pts_session *session);
/* While a text is printed: the first SIGINT or SIGTERM only asks for its end, which
 * leave_asked says (else 0); the next one ends the program. */
void leave_ask(bool first);
int leave_asked(void);
/* Ends the program by that signal, so that whoever started it knows. */
void leave_by(int sig);
/* The files, now: for a handler that ends the program itself. */
void leave_nothing(void);

#endif
