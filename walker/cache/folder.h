/* folder.h - files and folders below one folder, which nothing leads out of.
 *
 * SPDX-License-Identifier: MIT
 *
 * Names come from recordings and from files that anybody may have put there.  So paths are
 * walked part by part from an open folder: a ".." is refused, and a link is never followed.
 * A file appears whole or not at all: it is written under another name in the same folder,
 * synced, and renamed.
 */
#ifndef PTS_WALKER_CACHE_FOLDER_H
#define PTS_WALKER_CACHE_FOLDER_H

#include <ptscript/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether a path can be walked: parts that are names, and at least one of them. */
bool folder_can_walk(const char *path);

/* A descriptor of the folder at path below the open one `at`, or -1 and errno.  make: what
 * is not there is made.  ELOOP: a part is a link; ENOTDIR: a file; EINVAL: it cannot be
 * walked. */
int folder_open(int at, const char *path, bool make);
/* A folder by any path, followed as usual and made with those above it. */
int folder_open_top(const char *path, bool make);

/* The folder that the file at path is in, and its name there. */
int folder_above(const char *path, const char **name);

/* A regular file in it to be read, or -1 and errno; ELOOP: it is a link. */
int folder_file(int at, const char *name);

/* The name of what this process is making, which nobody else looks at. */
enum { FOLDER_UNFINISHED = 64 };
void folder_unfinished(char name[FOLDER_UNFINISHED]);
/* Removes what those left in the open folder who were killed: who holds the lock knows that
 * nobody writes it. */
void folder_sweep(int at);

/* A file that is being written; fd is open for reading, too. */
struct folder_new {
    int at, fd;
    char name[FOLDER_UNFINISHED]; /* meanwhile */
};
/* Zero or an errno.  What is begun is ended by one of the other two. */
int folder_new_begin(struct folder_new *n, int at, mode_t mode);
int folder_new_commit(struct folder_new *n, const char *name);
/* The same without waiting for the disk: for what can be made again. */
int folder_new_rename(struct folder_new *n, const char *name);
void folder_new_drop(struct folder_new *n);

/* Makes name a link to target, instead of what was there.  Zero or an errno. */
int folder_link(int at, const char *name, const char *target);

/* Calls fn with the names in it but for those that begin with a dot, sorted, until it
 * returns something else than PTS_OK, which is returned.  dots: also these. */
typedef pts_status folder_name_fn(void *ctx, const char *name);
pts_status folder_names(int at, bool dots, folder_name_fn *fn, void *ctx);

/* Removes the folder name with all that is in it.  Zero or an errno. */
int folder_remove(int at, const char *name);
/* Removes the folder at path and those above it, below `at`, as far as they are empty. */
void folder_prune(int at, const char *path);

/* Waits until nobody else works in the folder, and keeps others waiting.  Closing it ends
 * that.  Zero or an errno. */
int folder_lock(int fd);

/* All bytes of one file to the end of another, no more than `most`.  Zero or an errno;
 * EFBIG: there are more. */
int folder_copy(int from, int to, uint64_t most);
int folder_put(int to, const void *bytes, size_t n);

#endif
