/* program.c - the child becomes the program that is to be recorded.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/program.h"

#include "testdata/ptrecord/msg.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CANNOT_EXECUTE = 126, NOT_FOUND = 127 };

static bool is_in_path(const char *name)
{
    char file[PATH_MAX];
    const char *dir = getenv("PATH"), *end;
    bool found = false;
    for (; dir && !found; dir = *end ? end + 1 : NULL) {
        end = strchrnul(dir, ':');
        int n = snprintf(file, sizeof file, "%.*s/%s", (int)(end - dir), dir, name);
        found = n < (int)sizeof file && access(end == dir ? name : file, X_OK) == 0;
    }
    return found;
}

/* As execvp looks for it. */
static bool is_there(const char *name)
{
    return strchr(name, '/') ? access(name, F_OK) == 0 : *name && is_in_path(name);
}

void program_exec(const struct opts *o)
{
    const char *name = o->argv[0];
    prctl(PR_SET_NAME, "perf-exec");
    if (!o->randomize)
        personality(ADDR_NO_RANDOMIZE);
    execvp(name, o->argv);
    int error = errno;
    bool absent = error == ENOENT || error == ENOTDIR;
    bool there = !absent || is_there(name);
    msg_warn("%s: %s%s; nothing was recorded", name,
             absent && there ? "what is to interpret it: " : "", strerror(error));
    _exit(there ? CANNOT_EXECUTE : NOT_FOUND);
}
