/* nameless.c - a file that has no name until it is whole.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void nameless_folder(const char *path, char to[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;

    snprintf(to, PATH_MAX, "%.*s", n && n < PATH_MAX ? (int)n : 1, n ? path : ".");
}

bool nameless_open(struct nameless *f, const char *path)
{
    char folder[PATH_MAX];

    nameless_folder(path, folder);
    f->temp[0] = '\0';
    do /* a call that a signal interrupted is made again */
        f->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
    while (f->fd < 0 && errno == EINTR);
    if (f->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return f->fd >= 0;
    int n = snprintf(f->temp, sizeof(f->temp), "%s.XXXXXX", path);
    if (n <= 0 || n >= PATH_MAX)
        errno = ENAMETOOLONG;
    f->fd = n > 0 && n < PATH_MAX ? mkostemp(f->temp, O_CLOEXEC) : -1;
    if (f->fd < 0)
        f->temp[0] = '\0';
    return f->fd >= 0;
}

static bool link_to(const struct nameless *f, const char *path)
{
    char self[40];

    snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* A name that nobody has, as rename() alone replaces a file. */
static bool link_beside(struct nameless *f, const char *path)
{
    enum { TRIES = 1000 };
    static const char digits[] = "0123456789abcdef";

    for (unsigned i = 0; i < TRIES; i++) {
        int n = snprintf(f->temp, sizeof(f->temp), "%s.%ld%c%c%c", path, (long)getpid(),
                         digits[i % 16], digits[i / 16 % 16], digits[i / 256]);
        if (n > 0 && n < PATH_MAX && link_to(f, f->temp))
            return true;
        if (n <= 0 || n >= PATH_MAX)
            errno = ENAMETOOLONG;
        if (errno != EEXIST)
            break;
    }
    f->temp[0] = '\0';
    return false;
}

bool nameless_give(struct nameless *f, const char *path, bool replace)
{
    if (!f->temp[0] && link_to(f, path))
        return true;
    if (!f->temp[0] && (errno != EEXIST || !replace || !link_beside(f, path)))
        return false;
    if ((replace ? rename(f->temp, path) : link(f->temp, path)) != 0)
        return false;
    if (!replace)
        unlink(f->temp);
    f->temp[0] = '\0';
    return true;
}

void nameless_close(struct nameless *f)
{
    if (f->temp[0])
        unlink(f->temp);
    if (f->fd >= 0)
        close(f->fd);
    f->temp[0] = '\0';
    f->fd = -1;
}
