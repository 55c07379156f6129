/* out_file.c - a file that is written whole, or not at all.
 *
 * SPDX-License-Identifier: MIT
 *
 * What has the name before is kept, and the kernel's files come along.
 */
#include "synth/inject/out_file.h"

#include "decoder/base/diag.h"
#include "synth/inject/kernel_copy.h"
#include "walker/cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 18 };

static pts_status cannot(const char *path, struct pts_diag *why)
{
    char text[100];

    return diag_set(why, PTS_E_IO, UINT64_MAX, "%s: %s", path,
                    strerror_r(errno, text, sizeof(text)));
}

/* A call that a signal interrupted is made again. */
static int open_to_write(const char *path)
{
    int fd;

    do
        fd = open(path, O_WRONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* As perf says it, on two lines. */
static pts_status not_created(const char *path, struct pts_diag *why)
{
    char buf[80];
    const char *text = strerror_r(errno, buf, sizeof(buf));

    return diag_set(why, PTS_E_IO, UINT64_MAX,
                    "failed to open %s : %s\nfailed to create output file: %s", path,
                    text, text);
}

bool out_is_pipe(const char *path)
{
    return strcmp(path, "-") == 0;
}

pts_status out_open(struct out_file *f, const char *path, struct pts_diag *why)
{
    struct stat st;
    bool pipe = out_is_pipe(path);

    f->path = path;
    f->in_place =
        pipe || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
    if (pipe || f->in_place)
        f->file.fd =
            pipe ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open_to_write(path);
    if (pipe || f->in_place ? f->file.fd >= 0 : nameless_open(&f->file, path))
        return PTS_OK;
    f->path = NULL;
    return not_created(path, why);
}

static pts_status flush(struct out_file *f, struct pts_diag *why)
{
    if (f->buf.failed)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    for (size_t done = 0; done < f->buf.len;) {
        ssize_t k = write(f->file.fd, f->buf.at + done, f->buf.len - done);
        if (k < 0 && errno != EINTR)
            return cannot(f->path, why);
        done += k > 0 ? (size_t)k : 0;
    }
    f->at += f->buf.len;
    f->buf.len = 0;
    return PTS_OK;
}

pts_status out_flush_full(struct out_file *f, struct pts_diag *why)
{
    return f->buf.len >= CHUNK || f->buf.failed ? flush(f, why) : PTS_OK;
}

pts_status out_seek(struct out_file *f, uint64_t to, struct pts_diag *why)
{
    pts_status st = flush(f, why);

    if (st < 0)
        return st;
    if (lseek(f->file.fd, (off_t)to, SEEK_SET) < 0)
        return cannot(f->path, why);
    f->at = to;
    return PTS_OK;
}

/* --- Its name --------------------------------------------------------------------- */

/* Where a folder is a recording's, and nothing else is in it, so that it may be removed. */
static pts_status is_of_recording(void *ctx, const char *name)
{
    bool known = strncmp(name, "data", 4) == 0 || strncmp(name, KERNEL_DIR, 9) == 0;

    (void)ctx;
    return known ? PTS_OK : PTS_E_DENIED;
}

/* Removes what is called old: a file, or the folder of a recording. */
static bool remove_old(const char *old)
{
    char folder[PATH_MAX];
    struct stat st;

    if (lstat(old, &st) != 0)
        return errno == ENOENT;
    if (!S_ISDIR(st.st_mode))
        return unlink(old) == 0;
    int fd = folder_open_top(old, false);
    if (fd < 0)
        return false;
    pts_status known = folder_names(fd, true, is_of_recording, NULL);
    close(fd);
    if (known != PTS_OK) {
        errno = ENOTEMPTY;
        return false;
    }
    nameless_folder(old, folder);
    fd = folder_open_top(folder, false);
    errno = fd < 0 ? errno
                   : folder_remove(fd, old + (strchr(old, '/') ? strlen(folder) : 0));
    if (fd >= 0)
        close(fd);
    return errno == 0;
}

/* One that has something in it is kept. */
static bool make_room(const struct out_file *f)
{
    char old[PATH_MAX];
    struct stat st;

    if (lstat(f->path, &st) != 0)
        return errno == ENOENT;
    if (!st.st_size)
        return unlink(f->path) == 0;
    int n = snprintf(old, sizeof(old), "%s.old", f->path);
    if (n < 0 || (size_t)n >= sizeof(old)) {
        errno = ENAMETOOLONG;
        return false;
    }
    return remove_old(old) && rename(f->path, old) == 0;
}

/* It is made under another name, too. */
static bool name_in_dir(struct out_file *f)
{
    char dir[PATH_MAX], data[PATH_MAX];
    int n = snprintf(dir, sizeof(dir), "%s.XXXXXX", f->path);

    if (n < 0 || (size_t)n >= sizeof(dir) - sizeof("/data") || !mkdtemp(dir))
        return false;
    snprintf(data, sizeof(data), "%.*s/data", n, dir);
    if ((!f->kernel_from || kernel_copy(f->kernel_from, dir)) &&
        (!f->guest_from || kernel_copy_guest(f->guest_from, f->guest_pid, dir)) &&
        nameless_give(&f->file, data, true) && make_room(f) &&
        rename(dir, f->path) == 0)
        return true;
    int err = errno;
    remove_old(dir);
    errno = err;
    return false;
}

/* The owner cannot always be the same. */
static void make_like(const struct out_file *f)
{
    struct stat st;

    if (!f->like || stat(f->like, &st) != 0)
        return;
    bool same = fchown(f->file.fd, st.st_uid, st.st_gid) == 0;
    (void)!fchmod(f->file.fd, st.st_mode & (same ? 0777 : 0700));
}

pts_status out_name(struct out_file *f, struct pts_diag *why)
{
    pts_status st = flush(f, why);

    if (st < 0 || f->in_place)
        return st;
    make_like(f);
    if (!(f->kernel_from || f->guest_from
              ? name_in_dir(f)
              : make_room(f) && nameless_give(&f->file, f->path, true)))
        return cannot(f->path, why);
    return PTS_OK;
}

void out_close(struct out_file *f)
{
    if (f->path)
        nameless_close(&f->file);
    text_free(&f->buf);
    f->path = NULL;
}
