/* task.c - a traced thread, and what ptrace lets us do with it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/task.h"

#include "testdata/ptrecord/msg.h"
#include "testdata/ptrecord/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

bool task_regs_fetch(struct task *t)
{
    t->ip_changed = t->regs_changed = false;
    if (ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs) < 0)
        return false;
    t->is64 = t->regs.cs != 0x23;
    return true;
}

static void regs_flush(struct task *t)
{
    if (t->regs_changed)
        ptrace(PTRACE_SETREGS, t->tid, NULL, &t->regs);
    else if (t->ip_changed)
        ptrace(PTRACE_POKEUSER, t->tid, offsetof(struct user, regs.rip), t->regs.rip);
    t->ip_changed = t->regs_changed = false;
}

bool task_resume(struct task *t, enum __ptrace_request request)
{
    ram_end(t->ram);
    regs_flush(t);
    t->has_status = false;
    t->state = TASK_KERNEL;
    t->dry = 0;
    long sig = t->sig;
    t->sig = 0;
    return ptrace(request, t->tid, NULL, sig) == 0;
}

static void status_take(struct task *t, int status)
{
    t->status = status;
    t->has_status = true;
    t->state = TASK_STOPPED;
}

void task_wait(struct task *t)
{
    int status;
    while (waitpid(t->tid, &status, __WALL) < 0)
        if (errno != EINTR) /* an execve elsewhere took its place */
            return;
    status_take(t, status);
}

char task_kernel_state(const struct task *t)
{
    char line[256];
    FILE *f = proc_file(t->tid, "stat");
    if (!f)
        return 0;
    line[fread(line, 1, sizeof line - 1, f)] = 0;
    proc_close(f, t->tid, "stat");
    const char *paren = strrchr(line, ')'); /* the name may hold anything */
    return paren && paren[1] ? paren[2] : 0;
}

bool task_await(struct task *t)
{
    enum { YIELDS = 20, DEEP = 40, NAP_US = 100 };
    for (unsigned i = 0;; i++) {
        int status;
        pid_t got = waitpid(t->tid, &status, __WALL | WNOHANG);
        if (got == t->tid) {
            status_take(t, status);
            return true;
        }
        if (got < 0 && errno != EINTR)
            return false;
        char state = i > 2 ? task_kernel_state(t) : 'R';
        if (state == 'S' || state == 0 || (state == 'D' && i > DEEP))
            return false;
        if (i < YIELDS)
            sched_yield();
        else
            usleep(NAP_US);
    }
}

bool task_read(const struct task *t, uint64_t addr, void *bytes, size_t n)
{
    struct iovec here = {bytes, n}, there = {(void *)(uintptr_t)addr, n};
    return process_vm_readv(t->tid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

bool task_write(const struct task *t, uint64_t addr, const void *bytes, size_t n)
{
    struct iovec here = {(void *)(uintptr_t)bytes, n};
    struct iovec there = {(void *)(uintptr_t)addr, n};
    return process_vm_writev(t->tid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

bool status_is_end(int status)
{
    return WIFEXITED(status) || WIFSIGNALED(status);
}

bool status_is_syscall(int status)
{
    return WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80);
}

int status_event(int status)
{
    return WIFSTOPPED(status) ? status >> 16 : 0;
}

bool task_was_raised(const struct task *t)
{
    siginfo_t info;
    return ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) == 0 && info.si_code > 0;
}

bool status_is_trap(int status)
{
    return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP && !(status >> 16);
}
