/* leave.c - what is left behind when a signal ends the program.
 *
 * SPDX-License-Identifier: MIT
 *
 * A bundle is unpacked to temporary files, which the session removes when it is closed.
 * Somebody who interrupts the program, or closes the pipe that it writes to, should not
 * leave them behind.
 *
 * A long run is interrupted by people who want to see what there is so far: the first
 * signal is a question then.  Calls that it interrupts return, so that a reader of the
 * text who does not read cannot keep the program; so do those that began right after it,
 * since a clock asks again.
 */
#include "leave.h"

#include "progress.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

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

static volatile sig_atomic_t asking, asked;

/* Longer than the patience with a reader (visible.c), which it would cut short. */
enum { ASK_AGAIN_S = 2 };

static void on_alarm(int sig)
{
    (void)sig;
    alarm(ASK_AGAIN_S);
}

void leave_ask(bool first)
{
    struct sigaction act = {.sa_handler = first ? on_alarm : SIG_DFL};

    asking = first;
    if (!first)
        alarm(0);
    sigemptyset(&act.sa_mask);
    sigaction(SIGALRM, &act, NULL);
}

int leave_asked(void)
{
    return asked;
}

void leave_by(int sig)
{
    struct sigaction act = {.sa_handler = SIG_DFL};

    leave_nothing();
    progress_hide();
    sigemptyset(&act.sa_mask);
    sigaction(sig, &act, NULL);
    (void)raise(sig); /* in its handler: when that returns */
}

static void on_signal(int sig)
{
    bool question = asking && !asked && (sig == SIGINT || sig == SIGTERM);

    if (question) {
        asked = sig;
        alarm(ASK_AGAIN_S);
    } else
        leave_by(sig);
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
    struct sigaction act = {.sa_handler = on_signal};
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
