/* sig.c - signals.
 *
 * SPDX-License-Identifier: MIT
 *
 * A trap in a thread that blocks SIGTRAP makes the kernel unblock it and forget the
 * handler.  Libraries block all signals quite often, so while user code runs SIGTRAP is
 * never blocked really: the thread's own view is put back whenever the kernel looks at
 * the mask (a system call, a signal frame) and taken away afterwards.  A SIGTRAP that
 * comes meanwhile is held back.  Likewise a trap makes the kernel forget that SIGTRAP
 * is ignored: we remember.
 */
#include "testdata/ptrecord/sig.h"

#include "testdata/ptrecord/proc.h"
#include "testdata/ptrecord/tell.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t trap_bit = UINT64_C(1) << (SIGTRAP - 1);

static bool mask_get(const struct task *t, uint64_t *mask)
{
    return ptrace(PTRACE_GETSIGMASK, t->tid, sizeof *mask, mask) == 0;
}

static void mask_set(const struct task *t, uint64_t mask)
{
    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask);
}

void sig_mask_show(struct task *t)
{
    uint64_t mask;
    if (t->trap_blocked && mask_get(t, &mask))
        mask_set(t, mask | trap_bit);
}

void sig_mask_hide(struct task *t)
{
    uint64_t mask;
    if (!mask_get(t, &mask))
        return;
    t->trap_blocked = mask & trap_bit;
    if (t->trap_blocked) {
        mask_set(t, mask & ~trap_bit);
    } else if (t->trap_held) {
        t->trap_held = false;
        syscall(SYS_tgkill, t->pid, t->tid, SIGTRAP);
    }
}

/* Is SIG in the set that /proc names FIELD? */
static bool in_set(const struct task *t, const char *field, int sig)
{
    return proc_status(t->tid, field, 16, 0) >> (sig - 1) & 1;
}

void sig_trap_action(struct engine *e, const struct task *t)
{
    bool ignored = in_set(t, "SigIgn", SIGTRAP);
    for (struct task *other = e->tasks; other; other = other->next)
        if (other->pid == t->pid)
            other->trap_ignored = ignored;
}

/* Raised by the instruction at hand, not by somebody else. */
static bool is_fault(const struct task *t, int sig)
{
    if (sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE && sig != SIGILL &&
        sig != SIGTRAP && sig != SIGSYS)
        return false;
    return task_was_raised(t);
}

static void leave_tell(struct engine *e, struct task *t, int sig)
{
    if (t->trap_ip)
        tell_leave(e, t, REC_TRAP, t->trap_ip);
    else if (!t->restarting && is_fault(t, sig))
        tell_leave(e, t, REC_FAULT, t->regs.rip);
    else
        tell_leave(e, t, REC_INTERRUPT, t->regs.rip);
    t->trap_ip = 0;
}

/* The kernel builds the frame and stops again before the handler's first instruction.
 * Out of a system call it has the thread's own mask still, or in sigsuspend and the
 * like another one for the time being, which setting the mask would end. */
static void handler_enter(struct task *t, int sig)
{
    if (!t->restarting)
        sig_mask_show(t);
    t->sig = sig;
    task_resume(t, PTRACE_SINGLESTEP);
    task_wait(t);
    task_regs_fetch(t);
    if (!status_is_trap(t->status))
        return; /* no room for the frame, or killed: another status to handle */
    t->has_status = false;
    t->restarting = false;
    sig_mask_hide(t);
}

void sig_stop(struct engine *e, struct task *t)
{
    int sig = WSTOPSIG(t->status);
    bool sent = sig == SIGTRAP && !t->trap_ip && !is_fault(t, sig);
    task_regs_fetch(t);
    leave_tell(e, t, sig);
    t->has_status = false;
    if (sent && t->trap_blocked)
        t->trap_held = true;
    else if (sent && t->trap_ignored)
        return;
    else if (in_set(t, "SigCgt", sig))
        handler_enter(t, sig);
    else
        t->sig = sig; /* ignored, or its end: as soon as it goes on */
}
