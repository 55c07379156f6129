/* tar.h - a tar file, packed by bzip2, into an open file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CACHE_TAR_H
#define PTS_WALKER_CACHE_TAR_H

#include <sys/stat.h>

struct tar;

/* All return zero or an errno. */
int tar_begin(int fd, struct tar **out);
/* A folder, file or link (as st says), called name.  target: of a link; from: the file's
 * bytes, st->st_size of them. */
int tar_add(struct tar *t, const char *name, const struct stat *st, const char *target,
            int from);
/* Ends the file, if all went well, and gives t back; the descriptor stays open. */
int tar_end(struct tar *t);

#endif
