/* held_file.c - a file with a name for the time being, that the next one clears away.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/export/held_file.h"

#include "decoder/base/nameless.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = ".ptscript-";
enum { RANDOM = 6, TRIES = 100 };

/* Whether nobody else holds it, and it still has a name.  new: where there are no locks
 * nobody clears, and it may go on without. */
static bool hold(int fd, bool new)
{
    bool free = flock(fd, LOCK_EX | LOCK_NB) == 0 || (new &&errno != EWOULDBLOCK);
    struct stat st;

    return free && fstat(fd, &st) == 0 && st.st_nlink > 0;
}

/* name: NAME without its folder. */
static bool is_left(const char *file, const char *name)
{
    size_t n = strlen(name);

    return strncmp(file, name, n) == 0 &&
           strncmp(file + n, mark, sizeof(mark) - 1) == 0 &&
           strlen(file + n) == sizeof(mark) - 1 + RANDOM;
}

static void clear_one(int folder, const char *file)
{
    struct stat st;
    int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        hold(fd, false))
        unlinkat(folder, file, 0);
    close(fd);
}

static void clear_left(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    const struct dirent *e;

    nameless_folder(path, folder);
    DIR *d = opendir(folder);
    if (!d)
        return;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody else has this stream */
    while ((e = readdir(d)) != NULL)
        if (is_left(e->d_name, slash ? slash + 1 : path))
            clear_one(dirfd(d), e->d_name);
    closedir(d);
}

/* Somebody who clears may come in between its beginning and the lock. */
bool held_open(struct held_file *f, const char *name)
{
    clear_left(name);
    for (unsigned i = 0; i < TRIES; i++) {
        int n = snprintf(f->temp, sizeof(f->temp), "%s%sXXXXXX", name, mark);
        if (n <= 0 || n >= PATH_MAX)
            errno = ENAMETOOLONG;
        f->fd = n > 0 && n < PATH_MAX ? mkostemp(f->temp, O_CLOEXEC) : -1;
        if (f->fd < 0)
            break;
        if (hold(f->fd, true))
            return true;
        unlink(f->temp);
        close(f->fd);
    }
    f->temp[0] = '\0';
    return false;
}

bool held_give(struct held_file *f, const char *name, bool replace)
{
    if ((replace ? rename(f->temp, name) : link(f->temp, name)) != 0)
        return false;
    if (!replace)
        unlink(f->temp);
    close(f->fd);
    f->temp[0] = '\0';
    return true;
}

void held_close(struct held_file *f)
{
    if (!f->temp[0])
        return;
    unlink(f->temp);
    close(f->fd);
    f->temp[0] = '\0';
}
