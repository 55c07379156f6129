/* tar_bz2.h - a tar file, packed by bzip2, into an open file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CACHE_TAR_BZ2_H
#define PTS_WALKER_CACHE_TAR_BZ2_H

#include <sys/stat.h>

struct tar_bz2;

/* All return zero or an errno. */
int tar_bz2_begin(int fd, struct tar_bz2 **out);
/* A folder, file or link (as st says), called name.  target: of a link; from: the file's
 * bytes, st->st_size of them. */
int tar_bz2_add(struct tar_bz2 *t, const char *name, const struct stat *st,
                const char *target, int from);
/* Ends the file, if all went well, and gives t back; the descriptor stays open. */
int tar_bz2_end(struct tar_bz2 *t);

#endif
