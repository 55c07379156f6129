/* screen.c - standard output that somebody looks at: by the page, and in colours.
 *
 * SPDX-License-Identifier: MIT
 *
 * As with perf the pager is a child that reads what we write, messages among it, as they
 * would stand in the midst of its page else:
 *
 *     ptscript --stdout, stderr--> pipe --> sh -c PAGER --> terminal
 *
 * Who leaves it early ends us by SIGPIPE.
 */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager; /* 0: there is none */
static bool paged[STDERR_FILENO + 1], is_plain;

bool screen_is(int fd)
{
    return (fd >= 0 && fd <= STDERR_FILENO && paged[fd]) || isatty(fd);
}

bool screen_has_colours(void)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

    return screen_is(STDOUT_FILENO) && !(none && *none) && term &&
           strcmp(term, "dumb") != 0;
}

void screen_plain(void)
{
    is_plain = true;
}

/* As perf's configuration has it; 1, 0, or -1 for what is no such word. */
static int is_on(const char *value)
{
    static const char *const words[] = {"false", "true", "no", "yes",
                                        "off",   "on",   "0",  "1"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(value, words[i]) == 0)
            return (int)(i & 1);
    return -1;
}

/* The command, for a shell; "": the text goes as it is. */
static const char *command_find(const struct config *c, const char *command)
{
    static const char *const usual[] = {"/usr/bin/pager", "/usr/bin/less"};
    const char *ours = getenv("PERF_PAGER"), *all = getenv("PAGER");
    char key[CONFIG_KEY_MAX];

    snprintf(key, sizeof(key), "pager.%s", command);
    const char *set = config_get(c, key);
    int on = set ? is_on(set) : 1;
    if (!on)
        return "";
    const char *found = ours ? ours : on < 0 ? set : all;
    for (size_t i = 0; !found && i < sizeof(usual) / sizeof(usual[0]); i++)
        if (access(usual[i], X_OK) == 0)
            found = usual[i];
    return found && strcmp(found, "cat") != 0 ? found : "";
}

static void send_through(int fd, int pipe)
{
    paged[fd] = isatty(fd) && dup2(pipe, fd) >= 0;
}

void screen_page(const struct config *c, const char *command)
{
    int ends[2];
    const char *run =
        is_plain || !isatty(STDOUT_FILENO) ? "" : command_find(c, command);

    if (!*run || pipe2(ends, O_CLOEXEC) < 0)
        return;
    pager = fork();
    if (pager == 0) {
        /* Short texts just stand there, and colours are colours. */
        (void)setenv("LESS", "FRSX", 0);
        (void)dup2(ends[0], STDIN_FILENO);
        execl("/bin/sh", "sh", "-c", run, (char *)NULL);
        _exit(127);
    }
    if (pager > 0) {
        send_through(STDOUT_FILENO, ends[1]);
        send_through(STDERR_FILENO, ends[1]);
    }
    close(ends[0]);
    close(ends[1]);
}

void screen_close(void)
{
    if (pager <= 0)
        return;
    fflush(stdout);
    fflush(stderr);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (paged[fd])
            close(fd);
    while (waitpid(pager, NULL, 0) < 0)
        if (errno != EINTR)
            break;
    pager = 0;
}
