/* replace.c - what a new file may take the place of.
 *
 * SPDX-License-Identifier: MIT
 *
 * New files get their name when they are complete, so what had it is gone, whatever it was.
 */
#include "synth/run/replace.h"

#include "decoder/base/diag.h"

#include <sys/stat.h>

static bool refuse(const char *path, const char *reason, struct pts_diag *why)
{
    diag_set(why, PTS_E_IO, UINT64_MAX, "%s: %s", path, reason);
    return false;
}

static bool is_at(const struct stat *file, const char *path)
{
    struct stat at;

    return path && stat(path, &at) == 0 && at.st_dev == file->st_dev &&
           at.st_ino == file->st_ino;
}

bool replace_may(const struct pts_session *s, const char *path, struct pts_diag *why)
{
    struct stat there;

    if (stat(path, &there) != 0)
        return true; /* nothing, or a link to nothing */
    if (!S_ISREG(there.st_mode))
        return refuse(path, "it is no file that could be replaced", why);
    /* In a folder it is the file in there that is read. */
    if (is_at(&there, s->path) || is_at(&there, s->file->path))
        return refuse(path, "it is the recording itself", why);
    return true;
}
