/* folder.c - files and folders below one folder, which nothing leads out of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/cache/folder.h"

#include "decoder/base/refused.h"
#include "decoder/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, DEPTH_MAX = 64 };

/* What is left over from a writer that was killed begins so. */
static const char unfinished[] = ".ptscript-";

/* The next part of a path, or an empty one at its end; *path moves behind it. */
static size_t part_next(const char **path, const char **part)
{
    for (;;) {
        *path += strspn(*path, "/");
        *part = *path;
        size_t n = strcspn(*path, "/");
        *path += n;
        if (!(n == 1 && **part == '.'))
            return n;
    }
}

bool folder_can_walk(const char *path)
{
    const char *part;
    size_t n, count = 0, all = strlen(path);
    while ((n = part_next(&path, &part)) > 0) {
        if (n > NAME_MAX || (n == 2 && memcmp(part, "..", 2) == 0))
            return false;
        count++;
    }
    return count > 0 && all < PATH_MAX;
}

/* --- Opening ---------------------------------------------------------------------- */

/* What says more than that it is not there is noted (I13). */
static int opened(int fd, const char *name)
{
    int err = errno;
    if (fd < 0)
        refused_file(name, err);
    errno = err;
    return fd;
}

static int open_part(int at, const char *name, bool make)
{
    int fd;
    if (make && mkdirat(at, name, 0755) != 0 && errno != EEXIST)
        return -1;
    do
        fd = openat(at, name, DIRS);
    while (fd < 0 && errno == EINTR);
    return opened(fd, name);
}

int folder_open(int at, const char *path, bool make)
{
    const char *part;
    char name[NAME_MAX + 1];
    size_t n;
    int fd = at;

    if (!folder_can_walk(path)) {
        errno = EINVAL;
        return -1;
    }
    while ((n = part_next(&path, &part)) > 0) {
        memcpy(name, part, n);
        name[n] = '\0';
        int next = open_part(fd, name, make);
        int err = errno;
        if (fd != at)
            close(fd);
        if (next < 0) {
            errno = err;
            return -1;
        }
        fd = next;
    }
    return fd;
}

int folder_open_top(const char *path, bool make)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    int fd;
    if (n == 0 || n >= sizeof(part)) {
        errno = n ? ENAMETOOLONG : ENOENT;
        return -1;
    }
    /* Those above it first. */
    for (size_t i = 1; make && i < n; i++) {
        if (path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0755) != 0 && errno != EEXIST && errno != EROFS)
            return -1;
    }
    if (make && mkdir(path, 0755) != 0 && errno != EEXIST)
        return -1;
    do
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return opened(fd, path);
}

int folder_file(int at, const char *name)
{
    struct stat st;
    int fd;
    do
        fd =
            openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return opened(fd, name);
    close(fd);
    errno = EINVAL;
    return -1;
}

int folder_lock(int fd)
{
    int rc;
    do
        rc = flock(fd, LOCK_EX);
    while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : errno;
}

/* --- Writing ---------------------------------------------------------------------- */

/* Who holds the lock of the cache is alone here, so one name for each process is
 * enough; what a killed one left is written over. */
void folder_unfinished(char name[FOLDER_UNFINISHED])
{
    snprintf(name, FOLDER_UNFINISHED, "%s%ld", unfinished, (long)getpid());
}

int folder_above(const char *path, const char **name)
{
    char above[PATH_MAX];
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (!slash)
        return folder_open_top(".", false);
    size_t n = slash == path ? 1 : (size_t)(slash - path);
    if (n >= sizeof(above)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(above, path, n);
    above[n] = '\0';
    return folder_open_top(above, false);
}

int folder_new_begin(struct folder_new *n, int at, mode_t mode)
{
    n->at = at;
    folder_unfinished(n->name);
    (void)unlinkat(at, n->name, 0);
    do
        n->fd = openat(at, n->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       mode | 0600);
    while (n->fd < 0 && errno == EINTR);
    return n->fd < 0 ? errno : 0;
}

void folder_new_drop(struct folder_new *n)
{
    close(n->fd);
    (void)unlinkat(n->at, n->name, 0);
}

int folder_new_commit(struct folder_new *n, const char *name)
{
    int err = fsync(n->fd) == 0 ? 0 : errno;
    if (!err && renameat(n->at, n->name, n->at, name) != 0)
        err = errno;
    if (err) {
        folder_new_drop(n);
        return err;
    }
    close(n->fd);
    return fsync(n->at) == 0 || errno == EINVAL ? 0 : errno;
}

int folder_new_rename(struct folder_new *n, const char *name)
{
    if (renameat(n->at, n->name, n->at, name) != 0) {
        int err = errno;
        folder_new_drop(n);
        return err;
    }
    close(n->fd);
    return 0;
}

int folder_link(int at, const char *name, const char *target)
{
    char temp[FOLDER_UNFINISHED];
    folder_unfinished(temp);
    (void)unlinkat(at, temp, 0);
    if (symlinkat(target, at, temp) != 0)
        return errno;
    int err = renameat(at, temp, at, name) == 0 ? 0 : errno;
    if (err)
        (void)unlinkat(at, temp, 0);
    return err;
}

int folder_put(int to, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t done = write(to, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        p += done;
        n -= (size_t)done;
    }
    return 0;
}

int folder_copy(int from, int to, uint64_t most)
{
    char buf[1 << 16];
    uint64_t all = 0;
    for (;;) {
        ssize_t n = read(from, buf, sizeof(buf));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : 0;
        all += (uint64_t)n;
        int err = all > most ? EFBIG : folder_put(to, buf, (size_t)n);
        if (err)
            return err;
    }
}

/* --- Names and removal ------------------------------------------------------------ */

struct names {
    VEC(const char *) at;
    struct arena arena;
};

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static pts_status names_read(int at, bool dots, struct names *all)
{
    /* A descriptor of its own: that of the caller stays at its place. */
    int fd = open_part(at, ".", false);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    pts_status st = PTS_OK;
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return PTS_E_IO;
    }
    /* Nobody else has this list.  NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (st == PTS_OK && (e = readdir(dir)) != NULL) {
        const char *s = e->d_name;
        if (strcmp(s, ".") == 0 || strcmp(s, "..") == 0 || (!dots && s[0] == '.'))
            continue;
        const char *copy = arena_strndup(&all->arena, s, strlen(s));
        const char **slot = copy ? VEC_PUSH(&all->at) : NULL;
        if (slot)
            *slot = copy;
        else
            st = PTS_E_NOMEM;
    }
    closedir(dir);
    return st;
}

pts_status folder_names(int at, bool dots, folder_name_fn *fn, void *ctx)
{
    struct names all = {0};
    pts_status st = names_read(at, dots, &all);
    if (st == PTS_OK && all.at.len)
        qsort(all.at.at, all.at.len, sizeof(*all.at.at), by_name);
    for (size_t i = 0; st == PTS_OK && i < all.at.len; i++)
        st = fn(ctx, all.at.at[i]);
    VEC_FREE(&all.at);
    arena_free(&all.arena);
    return st;
}

/* A folder that is being emptied: its way down, without recursion. */
struct emptying {
    int at;
    bool again;              /* a folder was met, which is now the deepest */
    char name[NAME_MAX + 1]; /* of it */
    int err;
};

static pts_status remove_one(void *ctx, const char *name)
{
    struct emptying *e = ctx;
    if (unlinkat(e->at, name, 0) == 0 || errno == ENOENT)
        return PTS_OK;
    if (errno != EISDIR && errno != EPERM) {
        e->err = errno;
        return PTS_END;
    }
    snprintf(e->name, sizeof(e->name), "%s", name);
    e->again = true;
    return PTS_END;
}

/* Empties the folder fd; *e says of a folder in it that has to be emptied first. */
static int empty_files(int fd, struct emptying *e)
{
    *e = (struct emptying){.at = fd};
    pts_status st = folder_names(fd, true, remove_one, e);
    return e->err ? e->err : st < 0 ? EIO : 0;
}

int folder_remove(int at, const char *name)
{
    struct level {
        int fd;
        char name[NAME_MAX + 1];
    } level[DEPTH_MAX];
    struct emptying e;
    int depth = 0, err = 0;

    level[0].fd = at;
    snprintf(e.name, sizeof(e.name), "%s", name);
    e.again = true;
    do {
        if (e.again) { /* down */
            if (depth + 1 == DEPTH_MAX) {
                err = ELOOP;
                break;
            }
            int fd = open_part(level[depth].fd, e.name, false);
            if (fd < 0) {
                err = errno;
                break;
            }
            depth++;
            level[depth].fd = fd;
            memcpy(level[depth].name, e.name, sizeof(e.name));
        } else { /* it is empty */
            close(level[depth].fd);
            depth--;
            if (unlinkat(level[depth].fd, level[depth + 1].name, AT_REMOVEDIR) != 0) {
                err = errno;
                break;
            }
        }
        err = depth ? empty_files(level[depth].fd, &e) : 0;
    } while (depth && !err);
    for (; depth; depth--)
        close(level[depth].fd);
    return err;
}

static pts_status sweep_one(void *ctx, const char *name)
{
    const int *at = ctx;
    if (strncmp(name, unfinished, sizeof(unfinished) - 1) == 0 &&
        unlinkat(*at, name, 0) != 0)
        (void)folder_remove(*at, name);
    return PTS_OK;
}

void folder_sweep(int at)
{
    (void)folder_names(at, true, sweep_one, &at);
}

void folder_prune(int at, const char *path)
{
    char own[PATH_MAX];
    if (strlen(path) >= sizeof(own))
        return;
    memcpy(own, path, strlen(path) + 1);
    for (;;) {
        char *slash = strrchr(own, '/');
        const char *name = slash ? slash + 1 : own;
        int fd = -1;
        bool above = slash && slash != own;
        if (slash)
            *slash = '\0';
        if (above)
            fd = folder_open(at, own, false);
        if (*name && (above ? fd < 0 || unlinkat(fd, name, AT_REMOVEDIR) != 0
                            : unlinkat(at, name, AT_REMOVEDIR) != 0)) {
            if (fd >= 0)
                close(fd);
            return;
        }
        if (fd >= 0)
            close(fd);
        if (!above)
            return;
    }
}
