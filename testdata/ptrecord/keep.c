/* keep.c - files that are there when they are whole, and not before.
 *
 * SPDX-License-Identifier: MIT
 *
 * Until then a file has no name, so that nothing is left behind however we end.  File
 * systems that cannot make one get a name that nobody has.
 */
#include "testdata/ptrecord/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 1000, SUFFIX_MAX = 12 };

/* What cannot be replaced by another file, or must not be. */
static bool is_direct(const char *path, const struct stat *there)
{
    struct stat link;
    bool is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    return there ? !S_ISREG(there->st_mode) || (is_link && !there->st_size) : is_link;
}

/* A new file in the folder of k->path. */
static int temp_open(struct keep *k)
{
    const char *slash = strrchr(k->path, '/');
    snprintf(k->temp, sizeof k->temp, "%.*s", slash ? (int)(slash - k->path + 1) : 1,
             slash ? k->path : ".");
    int fd = open(k->temp, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    k->temp[0] = 0;
    if (fd >= 0)
        return fd;
    snprintf(k->temp, sizeof k->temp, "%s.XXXXXX", k->path);
    fd = mkostemp(k->temp, O_CLOEXEC);
    mode_t mask = umask(0);
    umask(mask);
    k->named = fd >= 0 && fchmod(fd, 0666 & ~mask) == 0;
    return fd;
}

bool keep_begin(struct keep *k, const char *path)
{
    struct stat s;
    *k = (struct keep){.path = path};
    if (strlen(path) + SUFFIX_MAX >= sizeof k->temp) {
        errno = ENAMETOOLONG;
        return false;
    }
    bool there = stat(path, &s) == 0;
    if (!there && errno != ENOENT) /* who knows what would be replaced */
        return false;
    if (there && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return false;
    }
    k->direct = is_direct(path, there ? &s : NULL);
    int fd = k->direct ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                       : temp_open(k);
    k->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    return k->file != NULL;
}

/* A name that nobody has, in the same folder. */
static bool temp_name(struct keep *k)
{
    char link[32];
    if (k->named)
        return true;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(k->file));
    for (int i = 0; i < NAMES_MAX && !k->named; i++) {
        snprintf(k->temp, sizeof k->temp, "%s.new%d", k->path, i);
        k->named = linkat(AT_FDCWD, link, AT_FDCWD, k->temp, AT_SYMLINK_FOLLOW) == 0;
        if (!k->named && errno != EEXIST)
            break;
    }
    return k->named;
}

/* The old file goes out of the way, and comes back if the new one cannot take its name. */
static bool names_change(const struct keep *k)
{
    char old[PATH_MAX];
    struct stat s;
    bool there = stat(k->path, &s) == 0;
    bool is_old = there && S_ISREG(s.st_mode) && s.st_size;
    if (!there && errno != ENOENT)
        return false;
    snprintf(old, sizeof old, "%s.old", k->path);
    if (is_old && rename(k->path, old) < 0)
        return false;
    if (rename(k->temp, k->path) == 0)
        return true;
    int error = errno;
    if (is_old)
        (void)!rename(old, k->path);
    errno = error;
    return false;
}

bool keep_end(struct keep *k)
{
    bool ok = !ferror(k->file) && !fflush(k->file) && (k->direct || temp_name(k));
    int error = errno;
    if (fclose(k->file) && ok) {
        error = errno;
        ok = false;
    }
    k->file = NULL;
    if (ok && (k->direct || names_change(k))) {
        k->named = false;
        return true;
    }
    if (!ok) {
        keep_drop(k);
        errno = error;
    }
    return false;
}

void keep_drop(struct keep *k)
{
    if (k->file)
        fclose(k->file);
    if (k->named)
        unlink(k->temp);
    k->named = false;
    k->temp[0] = 0;
}
