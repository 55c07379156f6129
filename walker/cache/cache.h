/* cache.h - the build-id cache as a folder with links, for the files of this room.
 *
 * SPDX-License-Identifier: MIT
 *
 *     NAME/ID/LEAF                     NAME: a path, [vdso] or [kernel.kallsyms]
 *     .build-id/xx/rest -> ../../NAME/ID
 *
 * As perf files it.  Who changes something holds the lock of the whole folder.
 */
#ifndef PTS_WALKER_CACHE_CACHE_H
#define PTS_WALKER_CACHE_CACHE_H

#include "decoder/base/bytes.h"
#include "walker/cache/told.h"

#include <linux/limits.h>
#include <stdbool.h>

struct pts_cache {
    const char *dir;
    struct pts_cache_opts opts;
    struct fetcher *fetcher; /* NULL: nothing was fetched so far */
};

/* --- cache.c --- */

/* The folder, locked, to be closed; -1 and *why when there is none.  make: it is made. */
int cache_hold(struct pts_cache *c, bool make, struct pts_diag *why);
/* The name that an id is filed under, without "/" in front; false: under none, or under
 * something that leads elsewhere. */
bool cache_name(int top, const struct build_id *id, char name[PATH_MAX]);
/* A file of the entry of an id to be read, or -1. */
int cache_file(int top, const struct build_id *id, const char *leaf);
/* The path of that for a message. */
void cache_path(const struct pts_cache *c, const struct build_id *id, const char *leaf,
                char path[PATH_MAX]);
/* What the file of a dso is called in its entry. */
const char *cache_leaf(const char *name);
static inline bool cache_is_kernel(const char *name)
{
    return strcmp(name, "[kernel.kallsyms]") == 0 ||
           strcmp(name, "[kernel.vmlinux]") == 0;
}

/* --- put.c --- */

/* A file of an entry, from a descriptor or from memory. */
struct cache_part {
    const char *leaf;
    int fd; /* -1: bytes */
    struct pts_bytes bytes;
    bool check; /* it must have the build id of the entry */
};
/* Stores an entry.  PTS_E_FORMAT: a file has another id; PTS_E_RANGE: no such name may be in
 * a cache; PTS_E_IO: the system refused something.  Then nothing of it is there. */
pts_status cache_put(struct pts_cache *c, const char *name, const struct build_id *id,
                     const struct cache_part *part, size_t count, struct pts_diag *why);

/* The build id of an open file, len 0: none, and it stays at its beginning.  name: it may be
 * packed, if it is called so. */
struct build_id cache_id_of(int fd, const char *name);

/* --- process.c --- */

/* A regular file that somebody named, to be read, and its path without links; -1 and errno:
 * there is none. */
int cache_open_file(const struct pts_cache *c, const char *path, char real[PATH_MAX]);

/* --- fetch.c --- */

bool fetch_is_built(void);
/* The file of path with this id, or its debug information, from a server, complete but not
 * verified, to be closed; -1 and *why:
 * there is none, or it took too long or was too large. */
int fetch_file(struct pts_cache *c, const char *path, const struct build_id *id,
               bool debug, struct pts_diag *why);
void fetch_end(struct fetcher *f); /* NULL is fine */

#endif
