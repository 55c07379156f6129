/* procs.c - fork, vfork, posix_spawn, exec (of itself), exit codes, a killed child.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *self;

static int wait_for(pid_t pid)
{
    int status;
    if (waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int forked(int depth)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(depth ? forked(depth - 1) + 1 : 10);
    return wait_for(pid);
}

static int vforked(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execl(self, "child-of-vfork", "20", (char *)NULL);
        _exit(99);
    }
    return wait_for(pid);
}

static int spawned(void)
{
    char *argv[] = {"spawned", "30", NULL};
    pid_t pid;
    if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
        return -1;
    return wait_for(pid);
}

static int killed(void)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    kill(pid, SIGKILL);
    return wait_for(pid);
}

static void *exec_from_thread(void *arg)
{
    (void)arg;
    execl(self, "child-of-thread", "40", (char *)NULL);
    return NULL;
}

/* exec by a thread that is not the first: it becomes the process. */
static int threaded(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, exec_from_thread, NULL);
        for (;;)
            pause();
    }
    return wait_for(pid);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return atoi(argv[1]) + 1;
    self = "/proc/self/exe";
    prctl(PR_SET_NAME, "procs-named");
    printf("%d", forked(3));
    fflush(stdout);
    printf(" %d", vforked());
    printf(" %d", spawned());
    printf(" %d", killed());
    printf(" %d\n", threaded());
    return strcmp(argv[0], "") == 0;
}
