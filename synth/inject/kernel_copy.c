/* kernel_copy.c - what a recording's folder has of the kernel, copied to another one.
 *
 * SPDX-License-Identifier: MIT
 *
 *     FROM/kcore_dir          {kcore, kallsyms, modules}: of the host
 *     FROM/kcore_dir__PID     the same of a guest
 *
 * They are copied as perf has it, by cp -r: a link stays one, wherever it leads.  No link is
 * followed, so nothing is written elsewhere.
 */
#include "synth/inject/kernel_copy.h"

#include "walker/cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* From one open folder to another. */
struct copying {
    int from, to, err;
};

static pts_status failed(struct copying *c, int err)
{
    c->err = err ? err : errno;
    return PTS_E_IO;
}

static pts_status copy_link(struct copying *c, const char *name)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(c->from, name, target, sizeof(target) - 1);

    if (n < 0)
        return failed(c, errno);
    target[n] = '\0';
    int err = folder_link(c->to, name, target);
    return err ? failed(c, err) : PTS_OK;
}

static pts_status copy_file(struct copying *c, const char *name)
{
    struct folder_new n;
    int from = folder_file(c->from, name);
    int err = from < 0 ? errno : folder_new_begin(&n, c->to, S_IRUSR | S_IWUSR);

    if (from >= 0 && !err) {
        err = folder_copy(from, n.fd, UINT64_MAX);
        if (err)
            folder_new_drop(&n);
        else
            err = folder_new_commit(&n, name);
    }
    if (from >= 0)
        close(from);
    return err ? failed(c, err) : PTS_OK;
}

/* Folders in there are none of perf's. */
static pts_status copy_one(void *ctx, const char *name)
{
    struct copying *c = ctx;
    struct stat st;

    if (fstatat(c->from, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return failed(c, errno);
    if (S_ISLNK(st.st_mode))
        return copy_link(c, name);
    return S_ISREG(st.st_mode) ? copy_file(c, name) : PTS_OK;
}

static pts_status copy_folder(struct copying *up, const char *name, const char *as)
{
    struct copying c = {folder_open(up->from, name, false),
                        folder_open(up->to, as, true), 0};
    pts_status st = c.from < 0 || c.to < 0 ? failed(up, errno)
                                           : folder_names(c.from, true, copy_one, &c);

    if (c.err)
        up->err = c.err;
    if (c.from >= 0)
        close(c.from);
    if (c.to >= 0)
        close(c.to);
    return st;
}

static bool is_kernel(const char *name)
{
    return strncmp(name, KERNEL_DIR, strlen(KERNEL_DIR)) == 0;
}

static pts_status copy_kernel(void *ctx, const char *name)
{
    struct copying *c = ctx;
    struct stat st;

    if (!is_kernel(name))
        return PTS_OK;
    if (fstatat(c->from, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return failed(c, errno);
    return S_ISDIR(st.st_mode) ? copy_folder(c, name, name) : copy_one(c, name);
}

static struct copying copying_begin(const char *from, const char *to)
{
    return (struct copying){folder_open_top(from, false), folder_open_top(to, false),
                            0};
}

/* False, with errno: it failed. */
static bool copying_end(struct copying *c, pts_status st)
{
    if (c->from >= 0)
        close(c->from);
    if (c->to >= 0)
        close(c->to);
    errno = c->err;
    return st == PTS_OK;
}

bool kernel_copy(const char *from, const char *to)
{
    struct copying c = copying_begin(from, to);
    pts_status st = c.from < 0 || c.to < 0
                        ? failed(&c, errno)
                        : folder_names(c.from, true, copy_kernel, &c);

    return copying_end(&c, st);
}

bool kernel_copy_guest(const char *from, uint32_t pid, const char *to)
{
    struct copying c = copying_begin(from, to);
    char as[40];

    snprintf(as, sizeof(as), KERNEL_DIR "__%u", (unsigned)pid);
    pts_status st =
        c.from < 0 || c.to < 0 ? failed(&c, errno) : copy_folder(&c, KERNEL_DIR, as);
    return copying_end(&c, st);
}

static pts_status look(void *ctx, const char *name)
{
    bool *found = ctx;

    *found |= is_kernel(name);
    return PTS_OK;
}

bool kernel_is_in(const char *from)
{
    int fd = folder_open_top(from, false);
    bool found = false;

    if (fd < 0)
        return false;
    pts_status st = folder_names(fd, true, look, &found);
    close(fd);
    return st == PTS_OK && found;
}
