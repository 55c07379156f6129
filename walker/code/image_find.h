/* image_find.h - which file holds the code of a dso.
 *
 * SPDX-License-Identifier: MIT
 *
 * Order (perf's): the build-id cache, then the recorded path below symfs.  As in perf,
 * `symfs` also moves the cache, to SYMFS/.debug, whatever the caller's cache is.
 */
#ifndef PTS_WALKER_CODE_IMAGE_FIND_H
#define PTS_WALKER_CODE_IMAGE_FIND_H

#include "walker/code/image_elf.h"

#include <linux/limits.h>

/* A file that somebody named for a dso: symfs is not put in front of its path. */
struct image_given {
    const char *name, *path;
};

struct image_opts {
    const char *symfs; /* put in front of every other path; NULL or "" for none */
    const char *cache; /* build-id cache, e.g. /home/me/.debug; NULL for none */
    bool any_id;       /* take a file with another build id than the recorded one */
    const struct image_given *given; /* lent */
    size_t given_count;

    /* Of the kernel; NULL where there is none. */
    const char *kallsyms; /* its list of symbols, its code beside it */
    const char *vmlinux;
    bool ignore_vmlinux; /* one in the usual places is not taken, nor that */
    bool this_machine;   /* the recording was made here, by the kernel that runs now */
    const char *release; /* as the recording's header says: 6.1.0-40-cloud-amd64 */
    /* A file with the vdso of the kernel that runs, for a [vdso] of this machine that was
     * recorded without a build id. */
    const char *live_vdso;
};

/* A dso as recorded. */
struct image_want {
    const char *name; /* long name: a path, or [vdso] */
    struct build_id id;
    bool module;      /* of the kernel: may be packed; [name] is no path */
    const char *root; /* where a guest's file system is, or NULL: looked into first */
};

struct image_found {
    struct image_elf elf;
    char path[PATH_MAX];
    bool other_id; /* elf has another build id than the recorded one (any_id) */
    char refused[PATH_MAX]; /* first file that was not taken for its build id, or "" */
    struct build_id refused_id; /* its id; len 0: it has none */
};

/* Opens the file of a dso.  PTS_END when there is none: then only `refused` is set. */
pts_status image_find(const struct image_opts *opts, const struct image_want *want,
                      struct image_found *out);

/* Whether a name is that of a vdso: [vdso], [vdso32], [vdsox32]. */
bool image_is_vdso(const char *name);

/* --- Paths, for the search of symbols too: false when it does not fit --- */

/* SYMFS/name. */
bool image_path_symfs(const struct image_opts *opts, const char *name,
                      char path[PATH_MAX]);
/* ROOT/name. */
bool image_path_root(const char *root, const char *name, char path[PATH_MAX]);
/* The name that path was made of by image_path_symfs; within path. */
const char *image_path_told(const struct image_opts *opts, const char *path);
/* CACHE/.build-id/xx/yyyy/LEAF, or without LEAF when that is a plain file (old caches).
 * False also without an id or a cache. */
bool image_path_cache(const struct image_opts *opts, const struct build_id *id,
                      const char *leaf, char path[PATH_MAX]);
/* The file given for the name, or that of the name below symfs.  False for a vdso that
 * has neither: [vdso] would be a file of the current directory. */
bool image_path_file(const struct image_opts *opts, const char *name,
                     char path[PATH_MAX]);
/* CACHE/[vdso]/ID/vdso, as `perf buildid-cache` files it, for caches whose links got
 * lost; without an id live_vdso. False for any other name. */
bool image_path_vdso(const struct image_opts *opts, const char *name,
                     const struct build_id *id, char path[PATH_MAX]);

#endif
