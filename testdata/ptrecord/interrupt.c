/* interrupt.c - has the user had enough?
 *
 * SPDX-License-Identifier: MIT
 *
 * The signals are blocked all the time and taken one by one, so that none is missed
 * between looking and sleeping.
 */
#include "testdata/ptrecord/interrupt.h"

#include <stddef.h>
#include <time.h>

static sigset_t asked_for(bool child)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    if (child)
        sigaddset(&set, SIGCHLD);
    return set;
}

void interrupt_begin(struct interrupt *i)
{
    sigset_t set = asked_for(true);
    *i = (struct interrupt){0};
    signal(SIGCHLD, SIG_DFL); /* ignored, children would vanish unseen */
    sigprocmask(SIG_BLOCK, &set, &i->before);
}

void interrupt_forget(const struct interrupt *i)
{
    sigprocmask(SIG_SETMASK, &i->before, NULL);
}

static void take(struct interrupt *i, int sig)
{
    if (sig == SIGINT && !i->ctrl_c)
        i->ctrl_c = true;
    else if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP)
        i->signal = sig;
}

bool interrupt_wanted(struct interrupt *i)
{
    static const struct timespec now = {0};
    sigset_t set = asked_for(false);
    for (int sig; (sig = sigtimedwait(&set, NULL, &now)) > 0;)
        take(i, sig);
    return i->signal;
}

void interrupt_sleep(struct interrupt *i)
{
    sigset_t set = asked_for(true);
    take(i, sigwaitinfo(&set, NULL));
}

void interrupt_end(const struct interrupt *i)
{
    sigprocmask(SIG_SETMASK, &i->before, NULL);
}
