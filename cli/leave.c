/* leave.c - what is left behind when a signal ends the program.
 *
 * SPDX-License-Identifier: MIT
 *
 * A bundle is unpacked to temporary files, which the session removes when it is closed.
 * Somebody who interrupts the program, or closes the pipe that it writes to, should not
 * leave them behind.
 */
#include "leave.h"

#include <signal.h>
#include <stddef.h>

static const int ends[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};
enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

static const pts_session *volatile opened;

void leave_nothing(void)
{
    const pts_session *s = opened;

    opened = NULL;
    if (s)
        pts_session_abandon(s);
}

static void on_signal(int sig)
{
    leave_nothing();
    (void)raise(sig); /* the handler is gone (SA_RESETHAND) */
}

static void all_of(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < ENDS; i++)
        sigaddset(set, ends[i]);
}

void leave_wait(void)
{
    sigset_t set;

    all_of(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

/* What is ignored, as nohup does it, stays so. */
static void catch (int sig)
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    struct sigaction was;

    if (sigaction(sig, NULL, &was) == 0 && was.sa_handler == SIG_DFL) {
        all_of(&act.sa_mask);
        sigaction(sig, &act, NULL);
    }
}

void leave_watch(const pts_session *session)
{
    sigset_t set;

    opened = session;
    for (size_t i = 0; session && i < ENDS; i++)
        catch (ends[i]);
    all_of(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
