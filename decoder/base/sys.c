/* sys.c - calls of the system that are repeated, and noted when they fail.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/sys.h"

#include "decoder/base/refused.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int sys_open(const char *path, int flags)
{
    int fd;

    do
        fd = open(path, flags | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        refused_file(path, errno);
    return fd;
}

int sys_open_regular(const char *path, struct stat *out)
{
    /* Not blocking: it may be a FIFO. */
    int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return -1;
    int err = fstat(fd, out) == 0 ? 0 : errno;
    refused_file(path, err);
    if (!err && S_ISREG(out->st_mode))
        return fd;
    close(fd);
    errno = err ? err : EINVAL;
    return -1;
}

bool sys_stat(const char *path, struct stat *out)
{
    if (stat(path, out) == 0)
        return true;
    refused_file(path, errno);
    return false;
}

bool sys_is_regular(const char *path)
{
    struct stat st;

    return sys_stat(path, &st) && S_ISREG(st.st_mode);
}

void *sys_map(int fd, size_t n, const char *path)
{
    void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);

    if (p != MAP_FAILED)
        return p;
    refused_file(path, errno);
    return NULL;
}

unsigned sys_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* What dlsym gives is no pointer to a function as far as C knows. */
bool sys_function(void *object, const char *name, void *to)
{
    void *at = dlsym(object, name);

    memcpy(to, &at, sizeof(at));
    return at != NULL;
}

bool sys_library(const char *soname, const struct sys_wanted *wanted, size_t count)
{
    refused_watch();
    void *object = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    bool all = object != NULL;

    for (size_t i = 0; all && i < count; i++)
        all = sys_function(object, wanted[i].name, wanted[i].to);
    if (!all)
        refused_watched(NULL);
    return all;
}
