/* signals.c - signals: handlers, faults that are mended or jumped out of, SIGTRAP
 * blocked.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65];
static sigjmp_buf away;
static char *page;

static void count(int sig)
{
    seen[sig]++;
}

static void nested(int sig)
{
    seen[sig]++;
    raise(SIGUSR2);
}

/* Makes the page that faulted writable: the instruction is executed again. */
static void mend(int sig, siginfo_t *info, void *ctx)
{
    (void)ctx;
    seen[sig]++;
    if ((char *)info->si_addr >= page && (char *)info->si_addr < page + 4096)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
    else
        siglongjmp(away, 1);
}

/* Skips the two bytes of ud2, or leaves behind int3 as it is. */
static void skip(int sig, siginfo_t *info, void *ctx)
{
    (void)info;
    seen[sig]++;
#ifdef __x86_64__
    if (sig == SIGILL)
        ((ucontext_t *)ctx)->uc_mcontext.gregs[REG_RIP] += 2;
#else
    if (sig == SIGILL)
        ((ucontext_t *)ctx)->uc_mcontext.gregs[REG_EIP] += 2;
#endif
}

static void divide(int sig)
{
    seen[sig]++;
    siglongjmp(away, 2);
}

static void handler_set(int sig, void (*simple)(int),
                        void (*full)(int, siginfo_t *, void *), int flags)
{
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sigfillset(&sa.sa_mask);
    sa.sa_flags = flags | (full ? SA_SIGINFO : 0);
    if (full)
        sa.sa_sigaction = full;
    else
        sa.sa_handler = simple;
    sigaction(sig, &sa, NULL);
}

static void faults(void)
{
    volatile int zero = 0;
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handler_set(SIGSEGV, NULL, mend, 0);
    for (int i = 0; i < 3; i++) {
        page[i] = (char)i;
        mprotect(page, 4096, PROT_READ);
    }
    if (sigsetjmp(away, 1) == 0)
        *(volatile int *)8 = 1;
    if (sigsetjmp(away, 1) == 0)
        ((void (*)(void))16)(); /* nothing to execute there */
    handler_set(SIGFPE, divide, NULL, 0);
    if (sigsetjmp(away, 1) == 0)
        zero = 1 / zero;
    handler_set(SIGILL, NULL, skip, 0);
    handler_set(SIGTRAP, NULL, skip, 0);
    for (int i = 0; i < 3; i++) {
        __asm__ volatile("ud2");
        __asm__ volatile("int3");
    }
}

static int blocked(void)
{
    sigset_t all, old, now;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    raise(SIGUSR1);
    sigprocmask(SIG_BLOCK, NULL, &now);
    int is = sigismember(&now, SIGTRAP);
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigprocmask(SIG_BLOCK, NULL, &now);
    return is * 2 + sigismember(&now, SIGTRAP);
}

/* Long enough for the other to sleep; counted, not timed, so that it is always the
 * same. */
static void dawdle(void)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
}

static int interrupted(void)
{
    int fds[2], status;
    char byte = 0;
    handler_set(SIGUSR1, count, NULL, SA_RESTART);
    if (pipe(fds) < 0)
        return -1;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 3; i++) {
            dawdle();
            kill(parent, SIGUSR1);
        }
        dawdle();
        _exit(write(fds[1], "x", 1) == 1 ? 5 : 6);
    }
    if (read(fds[0], &byte, 1) != 1) /* made again after each signal */
        return -1;
    waitpid(pid, &status, 0);
    return byte == 'x' && WEXITSTATUS(status) == 5;
}

int main(void)
{
    static char stack[65536];
    stack_t alt = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alt, NULL);
    handler_set(SIGUSR1, nested, NULL, SA_ONSTACK);
    handler_set(SIGUSR2, count, NULL, SA_NODEFER);
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
    faults();
    int mask = blocked(), again = interrupted();
    signal(SIGCHLD, SIG_IGN);
    raise(SIGCHLD);
    for (int i = 1; i < 32; i++)
        if (seen[i] && i != SIGUSR1)
            printf("%d:%d ", i, seen[i]);
    printf("mask %d restarted %d\n", mask, again);
    return 0;
}
