/* stop.c - what a thread stopped with.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/auxv.h"
#include "testdata/ptrecord/engine.h"
#include "testdata/ptrecord/proc.h"
#include "testdata/ptrecord/sig.h"
#include "testdata/ptrecord/sys.h"
#include "testdata/ptrecord/tell.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static unsigned long event_message(const struct task *t)
{
    unsigned long msg = 0;
    ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &msg);
    return msg;
}

/* T has made a thread or process. */
static void child_begin(struct engine *e, struct task *t)
{
    pid_t tid = (pid_t)event_message(t);
    if (tid <= 0)
        return; /* killed meanwhile, and nobody can tell whom it made */
    struct task *child =
        engine_adopt(e, tid, (pid_t)proc_status(tid, "Tgid", 10, (uint64_t)tid));
    if (!child->has_status)
        task_wait(child);
    if (status_is_end(child->status))
        return;
    child->has_status = false;
    child->mm = sys_shares_memory(t) ? mm_ref(t->mm) : mm_fork(t->mm, tid);
    child->rec = rec_fork(e->rec, t->rec, child->pid, tid);
    child->last_cpu = t->last_cpu;
    child->trap_ignored = t->trap_ignored;
    rec_sync_clocks(e->rec, t->rec);
    task_regs_fetch(child);
    sig_mask_hide(child);
    sched_ready(e, child);
}

static void exec_done(struct engine *e, struct task *t)
{
    char name[32];
    e->started = true;
    mm_drop(t->mm);
    t->mm = mm_open(t->tid);
    task_regs_fetch(t);
    proc_comm(t->tid, name, sizeof name);
    rec_comm(e->rec, t->rec, name, true);
    rec_exec(e->rec, t->rec, t->is64);
    sys_maps_tell(e, t);
    auxv_change(t, e->opts, &e->rng);
}

/* About to end; still on its CPU. */
static void exit_begin(struct engine *e, struct task *t)
{
    tell_leave(e, t, REC_INTERRUPT, t->regs.rip);
    rec_exit(e->rec, t->rec);
    rec_sync_clocks(e->rec, t->rec);
    task_resume(t, PTRACE_CONT);
    t->state = TASK_EXITING;
}

static void end(struct engine *e, struct task *t)
{
    if (t->tid == e->first)
        e->exit_status = t->status;
    t->state = TASK_GONE;
    t->has_status = false;
}

static void group_stop(struct task *t)
{
    t->has_status = false;
    if (WSTOPSIG(t->status) == SIGTRAP)
        return; /* continued, or new */
    ptrace(PTRACE_LISTEN, t->tid, NULL, NULL);
    t->state = TASK_KERNEL;
}

void stop_handle(struct engine *e, struct task *t)
{
    if (status_is_end(t->status)) {
        end(e, t);
        return;
    }
    switch (status_event(t->status)) {
    case 0:
        break;
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        child_begin(e, t);
        t->has_status = false;
        return;
    case PTRACE_EVENT_EXEC:
        exec_done(e, t);
        t->has_status = false;
        return;
    case PTRACE_EVENT_EXIT:
        exit_begin(e, t);
        return;
    case PTRACE_EVENT_STOP:
        group_stop(t);
        return;
    default: /* PTRACE_EVENT_VFORK_DONE */
        t->has_status = false;
        return;
    }
    if (!status_is_syscall(t->status))
        sig_stop(e, t);
    else if (t->in_syscall)
        sys_exit(e, t);
    else
        sys_enter(e, t, NULL);
}
