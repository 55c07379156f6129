/* engine.c - the loop: who runs next, one turn of it, until nobody is left.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/engine.h"

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/msg.h"
#include "testdata/ptrecord/opts.h"
#include "testdata/ptrecord/program.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PTRACE_OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                     PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE |
                     PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL
};

struct task *engine_task(const struct engine *e, pid_t tid)
{
    for (struct task *t = e->tasks; t; t = t->next)
        if (t->tid == tid)
            return t;
    return NULL;
}

struct task *engine_adopt(struct engine *e, pid_t tid, pid_t pid)
{
    struct task *t = engine_task(e, tid); /* its first stop may have come before */
    if (!t) {
        struct task **end = &e->tasks;
        while (*end)
            end = &(*end)->next;
        t = mem_get(NULL, sizeof(*t));
        *t = (struct task){
            .tid = tid, .ram = e->ram, .state = TASK_KERNEL, .cpu = -1, .last_cpu = -1};
        *end = t;
    }
    t->pid = pid;
    return t;
}

static void tasks_reap(struct engine *e)
{
    for (struct task **at = &e->tasks; *at;) {
        struct task *t = *at;
        if (t->state != TASK_GONE || t->cpu >= 0) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        mm_drop(t->mm);
        free(t);
    }
}

static void status_store(struct engine *e, pid_t tid, int status)
{
    struct task *t = engine_task(e, tid);
    if (!t)
        t = engine_adopt(e, tid, tid);
    t->status = status;
    t->has_status = true;
    e->calls += status_is_end(status);
    if (status_is_end(status) && (t->state == TASK_EXITING || !t->rec)) {
        if (tid == e->first)
            e->exit_status = status;
        t->state = TASK_GONE;
        return;
    }
    t->state = TASK_STOPPED;
    if (t->rec)
        sched_ready(e, t);
}

/* Takes what threads in the kernel report.  True: there was something. */
static bool statuses_collect(struct engine *e)
{
    bool any = false;
    int status;
    pid_t tid;
    while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
        status_store(e, tid, status);
        any = true;
    }
    return any;
}

/* Is it on its way through the kernel, neither asleep there nor done? */
static bool is_passing(const struct task *t)
{
    if (t->state != TASK_KERNEL && t->state != TASK_EXITING)
        return false;
    char state = task_kernel_state(t);
    return state == 'R' || state == 't' || (t->state == TASK_EXITING && state == 'X');
}

/* Threads woken by what just ran get through the kernel first: so that who is ready
 * does not depend on how fast they are. */
static void kernel_settle(struct engine *e)
{
    enum { YIELDS = 20, NAPS = 1000, NAP_US = 100 };
    for (unsigned i = 0; i < YIELDS + NAPS; i++) {
        bool busy = false;
        statuses_collect(e);
        for (const struct task *t = e->tasks; t && !busy; t = t->next)
            busy = is_passing(t);
        if (!busy)
            return;
        if (i < YIELDS)
            sched_yield();
        else
            usleep(NAP_US);
    }
}

static bool anybody_waits(const struct engine *e)
{
    for (const struct task *t = e->tasks; t; t = t->next)
        if (t->state == TASK_KERNEL || t->state == TASK_EXITING)
            return true;
    return false;
}

/* Starts the program, up to its exec, and takes it as the first thread. */
static void program_start(struct engine *e)
{
    int go[2];
    char byte = 0;
    if (pipe(go) < 0)
        msg_die("pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid < 0)
        msg_die("fork: %s", strerror(errno));
    if (pid == 0) {
        close(go[1]);
        while (read(go[0], &byte, 1) < 0 && errno == EINTR)
            ;
        close(go[0]);
        interrupt_forget(&e->interrupt);
        program_exec(e->opts);
    }
    close(go[0]);
    if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_OPTIONS) < 0)
        msg_die("cannot trace: %s", strerror(errno));
    struct task *t = engine_adopt(e, pid, pid);
    e->first = pid;
    t->rec = rec_fork(e->rec, NULL, pid, pid);
    rec_comm(e->rec, t->rec, "perf-exec", false);
    t->in_syscall = true; /* execve */
    t->call.nr = -1;
    close(go[1]);
    task_wait(t);
    sched_ready(e, t);
}

/* Enough was recorded. */
static void all_kill(struct engine *e)
{
    e->ending = true;
    for (const struct task *t = e->tasks; t; t = t->next)
        if (t->state != TASK_GONE) /* its number may be another's by now */
            kill(t->pid, SIGKILL);
}

static void turn(struct engine *e, struct task *t)
{
    uint64_t max = e->opts->max_insns;
    if (max && (int64_t)(max - e->insns) < e->left) {
        e->left = (int64_t)(max - e->insns);
        e->interrupt_next = false;
    }
    if (e->ending)
        e->left = INT64_MAX;
    int64_t before = e->left;
    ram_begin(e->ram, t->tid);
    run_turn(e, t);
    ram_end(e->ram);
    sched_turn_end(e, t, before - e->left);
    if (max && e->insns >= max && !e->ending)
        all_kill(e);
}

/* All threads sleep in the kernel.  False: none will ever report. */
static bool statuses_wait(struct engine *e)
{
    siginfo_t info;
    while (!statuses_collect(e)) {
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | __WALL | WNOWAIT | WNOHANG) <
            0)
            return false;
        interrupt_sleep(&e->interrupt);
        if (interrupt_wanted(&e->interrupt) && !e->ending)
            all_kill(e);
    }
    return true;
}

void engine_run(struct engine *e)
{
    e->ram = ram_new();
    interrupt_begin(&e->interrupt);
    sched_init(e);
    program_start(e);
    while (e->tasks) {
        struct task *t = sched_next(e);
        if (t)
            turn(e, t);
        else if (!anybody_waits(e) || !statuses_wait(e))
            break;
        if (!e->ending && (interrupt_wanted(&e->interrupt) || rec_failed(e->rec)))
            all_kill(e);
        kernel_settle(e);
        tasks_reap(e);
    }
    ram_free(e->ram);
    interrupt_end(&e->interrupt);
}
