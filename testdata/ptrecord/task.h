/* task.h - a traced thread, and what ptrace lets us do with it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_TASK_H
#define PTRECORD_TASK_H

#include "testdata/ptrecord/mm.h"
#include "testdata/ptrecord/ram.h"
#include "testdata/ptrecord/rec.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

enum task_state {
    TASK_STOPPED, /* ours: has_status says whether it came with something to handle */
    TASK_KERNEL,  /* in the kernel, on its own; reports when it is done there */
    TASK_EXITING, /* its end was told; only its last status is missing */
    TASK_GONE
};

/* A system call as its entry showed it. */
struct sys_call {
    bool is32; /* numbers of i386 */
    long nr;
    uint64_t arg[6];
};

struct task {
    struct task *next;
    pid_t tid, pid;
    struct mm *mm;
    struct ram *ram;        /* of the engine: holds its memory during its turn */
    struct rec_thread *rec; /* NULL: who made it has not told yet */
    enum task_state state;

    int status; /* of waitpid, not yet handled */
    bool has_status;
    int sig; /* to be given to it when it goes on */

    struct user_regs_struct regs; /* while it is stopped in user space */
    bool ip_changed, regs_changed;
    bool is64;
    /* It notices signals only when it runs by itself: */
    unsigned dry;   /* instructions carried out since then */
    uint64_t calls; /* value of engine.calls then */

    bool in_user;      /* so the recorder was told */
    bool in_syscall;   /* between entry and exit of call */
    bool restarting;   /* the kernel decides whether call is made again */
    bool trap_blocked; /* it believes that SIGTRAP is blocked (sig.c) */
    bool trap_held;    /* one came meanwhile */
    bool trap_ignored; /* it believes that SIGTRAP is ignored */
    uint64_t trap_ip;  /* of the INT3 or INT n that raised the signal at hand, or 0 */
    struct sys_call call;

    unsigned tx_depth; /* transactions open, one in the other (extra.c) */
    uint64_t tx_fallback;
    struct user_regs_struct tx_regs;

    int cpu, last_cpu; /* simulated; -1: none */
    uint64_t ready_since;
};

/* Registers as they are now; false when the thread is gone. */
bool task_regs_fetch(struct task *t);
static inline void task_set_ip(struct task *t, uint64_t ip)
{
    t->regs.rip = ip;
    t->ip_changed = true;
}

/* Lets it go on with REQUEST (PTRACE_CONT, ...), registers and signal included.  False:
 * it was killed meanwhile; its last status can be waited for. */
bool task_resume(struct task *t, enum __ptrace_request request);
/* Waits for its next status. */
void task_wait(struct task *t);
/* The same for one that may sleep in the kernel.  False: it does. */
bool task_await(struct task *t);
/* As in /proc: R, S, D, t, Z ...; 0: gone. */
char task_kernel_state(const struct task *t);

/* User memory with the protection it has; false when not all N bytes are there. */
bool task_read(const struct task *t, uint64_t addr, void *bytes, size_t n);
bool task_write(const struct task *t, uint64_t addr, const void *bytes, size_t n);

/* Kinds of status. */
bool status_is_end(int status);
bool status_is_syscall(int status);
/* PTRACE_EVENT_..., or 0. */
int status_event(int status);
/* SIGTRAP, and no event: a trap or step of ours unless somebody sent it. */
bool status_is_trap(int status);
/* The signal T stopped with was raised by what it executed. */
bool task_was_raised(const struct task *t);

#endif
