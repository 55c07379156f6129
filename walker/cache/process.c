/* process.c - files as another process finds them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program in a container has mounts of its own.  /proc/PID/root leads into them; links that
 * are met on the way must not lead out again, which openat2 sees to.
 */
#include "walker/cache/cache.h"

#include "decoder/base/refused.h"
#include "decoder/base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_in(int root, const char *path)
{
    const struct open_how how = {.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                                 .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    long fd;
    do
        fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    return (int)fd;
}

/* The path that an open file has among the mounts that it is in. */
static bool path_of(int fd, char real[PATH_MAX])
{
    char link[40];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, real, PATH_MAX - 1);
    if (n <= 0)
        return false;
    real[n] = '\0';
    return real[0] == '/';
}

static int open_as(int pid, const char *path, char real[PATH_MAX])
{
    char name[40];
    struct stat st;
    snprintf(name, sizeof(name), "/proc/%d/root", pid);
    int root = sys_open(name, O_PATH | O_DIRECTORY);
    if (root < 0)
        return -1;
    int fd = open_in(root, path), err = errno;
    close(root);
    if (fd >= 0 &&
        (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !path_of(fd, real))) {
        close(fd);
        fd = -1;
        err = EINVAL;
    }
    if (fd < 0)
        refused_file(path, err);
    errno = err;
    return fd;
}

int cache_open_file(const struct pts_cache *c, const char *path, char real[PATH_MAX])
{
    struct stat st;
    if (c->opts.process)
        return open_as(c->opts.process, path, real);
    return realpath(path, real) ? sys_open_regular(real, &st) : -1;
}
