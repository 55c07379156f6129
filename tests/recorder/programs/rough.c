/* rough.c - what makes life hard for whoever traces a program.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each part in a process of its own; prints how it ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int caught;

static void on_signal(int sig)
{
    (void)sig;
    caught++;
}

static int some_work(void *unused)
{
    volatile int n = 0;
    (void)unused;
    for (int i = 0; i < 200; i++)
        n += i & 1;
    return n - 100;
}

/* A SIGTRAP that was sent comes when it is let through. */
static int blocks_trap(void)
{
    sigset_t all;
    sigfillset(&all);
    signal(SIGTRAP, on_signal);
    sigprocmask(SIG_BLOCK, &all, NULL);
    some_work(NULL);
    raise(SIGTRAP);
    int before = caught;
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    return before * 10 + caught;
}

static int ignores_trap(void)
{
    signal(SIGTRAP, SIG_IGN);
    some_work(NULL);
    raise(SIGTRAP);
    return some_work(NULL) + 2;
}

static int makes_untraced(void)
{
    static char stack[1 << 16];
    int flags[] = {0, CLONE_VM}, status, sum = 3;
    for (int i = 0; i < 2; i++) {
        int pid = clone(some_work, stack + sizeof stack,
                        CLONE_UNTRACED | SIGCHLD | flags[i], NULL);
        waitpid(pid, &status, 0);
        sum += status;
    }
    return sum;
}

static int stops_and_goes_on(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        raise(SIGSTOP);
        _exit(4);
    }
    waitpid(pid, &status, WUNTRACED);
    int stopped = WIFSTOPPED(status);
    kill(pid, SIGCONT);
    waitpid(pid, &status, 0);
    return stopped * WEXITSTATUS(status);
}

/* All signals are blocked but while it waits, as shells do. */
static int waits_in_sigsuspend(void)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    signal(SIGCHLD, on_signal);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int i = 0; i < 3; i++) {
        if (!fork())
            _exit(0);
        while (caught == i)
            sigsuspend(&none);
        wait(NULL);
    }
    return caught;
}

static int forks_much(void)
{
    for (int i = 0; i < 4; i++)
        fork();
    while (wait(NULL) > 0)
        ;
    return 5;
}

static int vforks(void)
{
    int status = -1;
    pid_t pid = vfork();
    if (!pid) {
        execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void *waits(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *executes(void *unused)
{
    execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
    return unused;
}

static int executes_in_a_thread(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waits, NULL);
    pthread_create(&t, NULL, executes, NULL);
    pthread_join(t, NULL);
    return 1;
}

static int is_confined(void)
{
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    syscall(SYS_getpid); /* killed */
    return 1;
}

static int asks_for_much(void)
{
    static char word[100000];
    char *argv[] = {"sh", "-c", "exit 8", word, word, word, NULL};
    memset(word, 'x', sizeof word - 1);
    execv("/bin/sh", argv);
    return errno;
}

int main(void)
{
    int (*const part[])(void) = {blocks_trap,          ignores_trap, makes_untraced,
                                 stops_and_goes_on,    forks_much,   vforks,
                                 executes_in_a_thread, is_confined,  asks_for_much,
                                 waits_in_sigsuspend};
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
        int status;
        pid_t pid = fork();
        if (!pid)
            _exit(part[i]());
        waitpid(pid, &status, 0);
        printf("%u: %d %d\n", i, WEXITSTATUS(status), WTERMSIG(status));
        fflush(stdout);
    }
    return 0;
}
