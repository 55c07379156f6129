/* tracer.c - a program that traces, as debuggers do: under ptrecord it is refused.
 *
 * SPDX-License-Identifier: MIT
 *
 * tracer me: a child asks to be traced; tracer seize, tracer attach: it is attached to;
 * tracer peek: a call that fails for another reason.  Ends with the errno.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int call(const char *how, pid_t child)
{
    long rc = strcmp(how, "seize") == 0    ? ptrace(PTRACE_SEIZE, child, NULL, NULL)
              : strcmp(how, "attach") == 0 ? ptrace(PTRACE_ATTACH, child, NULL, NULL)
                                           : ptrace(PTRACE_CONT, child, NULL, NULL);
    return rc < 0 ? errno : 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "me";
    int status = 0;
    pid_t child = fork();
    if (child == 0 && strcmp(how, "me") == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0);
    if (child == 0) {
        pause();
        _exit(0);
    }
    if (strcmp(how, "me") != 0) {
        int error = call(how, child);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        return error;
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
