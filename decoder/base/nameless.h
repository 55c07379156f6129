/* nameless.h - a file that has no name until it is whole.
 *
 * SPDX-License-Identifier: MIT
 *
 * The system makes such files (O_TMPFILE), which vanish with their last descriptor, whatever
 * ends the process; where the file system cannot, it has a name of its own beside the other.
 */
#ifndef PTS_DECODER_BASE_NAMELESS_H
#define PTS_DECODER_BASE_NAMELESS_H

#include <limits.h>
#include <stdbool.h>

struct nameless {
    int fd;              /* to be written; -1: it is not open */
    char temp[PATH_MAX]; /* a name for the time being, where there must be one; or "" */
};

/* In the folder of path, for its owner only; false and errno. */
bool nameless_open(struct nameless *f, const char *path);
/* All is written.  False and errno; EEXIST: there is something of this name, and it is not to
 * be replaced. */
bool nameless_give(struct nameless *f, const char *path, bool replace);
void nameless_close(struct nameless *f); /* without a name it is gone */

/* The folder of a path: what is before its last slash. */
void nameless_folder(const char *path, char to[PATH_MAX]);

#endif
