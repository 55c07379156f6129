/* proc.c - what the kernel says of a thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/proc.h"

#include "testdata/ptrecord/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_gone(int error)
{
    return error == ENOENT || error == ESRCH;
}

int proc_open(pid_t tid, const char *name, int flags)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", tid, name);
    do
        fd = open(path, flags | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && !is_gone(errno))
        msg_die("%s: %s", path, strerror(errno));
    return fd;
}

FILE *proc_file(pid_t tid, const char *name)
{
    int fd = proc_open(tid, name, O_RDONLY);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

    if (fd >= 0 && !f)
        msg_die("/proc/%d/%s: %s", tid, name, strerror(errno));
    return f;
}

void proc_close(FILE *f, pid_t tid, const char *name)
{
    if (ferror(f) && !is_gone(errno))
        msg_die("/proc/%d/%s: %s", tid, name, strerror(errno));
    fclose(f);
}

uint64_t proc_status(pid_t tid, const char *name, int base, uint64_t otherwise)
{
    char line[256];
    uint64_t found = otherwise;
    size_t len = strlen(name);

    FILE *f = proc_file(tid, "status");
    if (!f)
        return otherwise;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, name, len) != 0 || line[len] != ':')
            continue;
        found = strtoull(line + len + 1, NULL, base);
        break;
    }
    proc_close(f, tid, "status");
    return found;
}

bool proc_comm(pid_t tid, char *name, size_t size)
{
    name[0] = 0;
    FILE *f = proc_file(tid, "comm");
    if (!f)
        return false;
    size_t n = fread(name, 1, size - 1, f);
    name[n ? n - 1 : 0] = 0; /* a line */
    proc_close(f, tid, "comm");
    return true;
}
