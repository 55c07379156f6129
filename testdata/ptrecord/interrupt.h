/* interrupt.h - has the user had enough?
 *
 * SPDX-License-Identifier: MIT
 *
 * A Ctrl-C reaches the program as well: the first one is left to it.  The second one,
 * SIGTERM or SIGHUP end the program, and what was recorded is kept.
 */
#ifndef PTRECORD_INTERRUPT_H
#define PTRECORD_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

struct interrupt {
    sigset_t before; /* the signal mask that we were started with */
    bool ctrl_c;     /* the first one was there */
    int signal;      /* what ended the recording, or 0 */
};

/* From here on these signals wait until we ask for them; no program is running yet. */
void interrupt_begin(struct interrupt *i);
/* In the child that becomes the program: nothing of this. */
void interrupt_forget(const struct interrupt *i);
/* True from when the recording is to end. */
bool interrupt_wanted(struct interrupt *i);
/* Sleeps until a child reports or the user interrupts. */
void interrupt_sleep(struct interrupt *i);
/* The recording is being written: now a signal ends it all. */
void interrupt_end(const struct interrupt *i);

#endif
