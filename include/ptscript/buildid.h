/* buildid.h - which builds of which files a recording knows, and where they are kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * A build id names the bytes of a program whatever they are called and wherever they lie
 * by now.  A recording says which it wants; the *build-id cache* (mostly ~/.debug, the same
 * as perf's) has files by their ids.  Nothing here looks into a network or writes anything
 * unless it is asked to.
 */
#ifndef PTSCRIPT_BUILDID_H
#define PTSCRIPT_BUILDID_H

#include <ptscript/session.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PTS_IMAGE_ID_MAX = 20, PTS_IMAGE_ID_TEXT = 2 * PTS_IMAGE_ID_MAX + 1 };

struct pts_image_id {
    uint8_t len; /* 0: not known */
    uint8_t bytes[PTS_IMAGE_ID_MAX];
};

/* Lower-case hex; returns text. */
PTS_API const char *pts_image_id_text(const struct pts_image_id *id,
                                      char text[PTS_IMAGE_ID_TEXT]);

/* The build id of an ELF file.  PTS_END: it is no such file, has none or cannot be read. */
PTS_API PTS_MUST_USE pts_status pts_file_build_id(const char *path,
                                                  struct pts_image_id *out,
                                                  struct pts_diag *why);
/* That of the kernel that runs here.  PTS_END: it does not say. */
PTS_API PTS_MUST_USE pts_status pts_kernel_build_id(struct pts_image_id *out,
                                                    struct pts_diag *why);

/* Where the kernel that runs here and its modules lie: calls fn with each, by address.
 * PTS_E_IO: the system does not say. */
struct pts_kernel_map {
    uint64_t start, end;
    const char *path; /* of a module's file when there is one; lent during the call */
    struct pts_image_id id;
};
typedef void pts_kernel_map_fn(void *ctx, const struct pts_kernel_map *map);
PTS_API PTS_MUST_USE pts_status pts_kernel_maps(pts_kernel_map_fn *fn, void *ctx,
                                                struct pts_diag *why);

/* --- What a recording knows ------------------------------------------------------ */

/* A file, or what else code was mapped of: "[vdso]", "[kernel.kallsyms]". */
struct pts_dso {
    const char *path; /* as recorded: it may be anything */
    struct pts_image_id id;
    int32_t guest; /* the process that it was a guest's of; -1: the host's */
    int kernel;    /* the kernel itself (1) or a module (2) */
};

enum pts_dsos_which {
    PTS_DSOS_ALL,     /* that have a build id */
    PTS_DSOS_LISTED,  /* those that perf buildid-list prints */
    PTS_DSOS_HIT,     /* the same with its option -H: those that samples hit */
    PTS_DSOS_TELL = 8 /* may be added: each id of the header is a message, as with -v */
};

/* Their list, in perf's order: of the host, then of guests, each in the order in which they
 * were met.  A recording with a trace is listed as a whole by perf also with -H.  Strings
 * are lent for the life of the session. */
typedef struct pts_dsos pts_dsos;
PTS_API PTS_MUST_USE pts_status pts_dsos_open(pts_session *s, int which, pts_dsos **out,
                                              struct pts_diag *why);
/* The i-th, NULL behind the last. */
PTS_API const struct pts_dso *pts_dsos_at(const pts_dsos *list, size_t i);
PTS_API void pts_dsos_close(pts_dsos *list); /* NULL is fine */

/* --- The build-id cache ------------------------------------------------------------
 *
 *     CACHE/usr/bin/ls/15df...98/elf        the file; also debug, vdso, kallsyms
 *     CACHE/.build-id/15/df...98 -> ../../usr/bin/ls/15df...98
 *
 * Whatever names recordings hold, nothing is written, removed or followed outside of CACHE.
 * A file is there whole or not at all, and only with the build id that it is filed under;
 * several programs may work on a cache at once. */
typedef struct pts_cache pts_cache;

/* How far fetching a file has come, in bytes; total 0: not known.  Not 0 ends it. */
typedef int pts_fetch_fn(void *ctx, const char *path, uint64_t done, uint64_t total);

/* Size first, so that fields can be added: start from PTS_CACHE_OPTS_INIT. */
struct pts_cache_opts {
    size_t size;
    const char *symfs; /* in front of recorded paths, or NULL */
    int fetch;     /* ask the servers that DEBUGINFOD_URLS names for what is not here */
    uint64_t most; /* bytes that a server may send for a file, 0: PTS_FETCH_MOST */
    unsigned seconds;       /* in which something must come, 0: PTS_FETCH_SECONDS */
    pts_fetch_fn *progress; /* may be NULL */
    void *progress_ctx;
    int process; /* whose files are named to be put in, taken out and purged, 0: this one */
};
#define PTS_CACHE_OPTS_INIT                                                            \
    {                                                                                  \
        sizeof(struct pts_cache_opts), 0, 0, 0, 0, 0, 0, 0                             \
    }
#define PTS_FETCH_MOST    (UINT64_C(4) << 30)
#define PTS_FETCH_SECONDS 90

/* A cache; its folder is made when something is stored.  The options are copied, the strings
 * are lent for its life.  PTS_E_UNSUPPORTED: fetching was built out. */
PTS_API PTS_MUST_USE pts_status pts_cache_open(const char *dir,
                                               const struct pts_cache_opts *opts,
                                               pts_cache **out, struct pts_diag *why);
PTS_API void pts_cache_close(pts_cache *c); /* NULL is fine */
/* Whether files can be fetched: not when that was built out. */
PTS_API int pts_cache_can_fetch(void);

/* Puts a file of this machine in, by its build id.  PTS_END: it has none, or is not there. */
PTS_API PTS_MUST_USE pts_status pts_cache_add(pts_cache *c, const char *path,
                                              struct pts_image_id *id,
                                              struct pts_diag *why);
/* The build id by which that would file it. */
PTS_API PTS_MUST_USE pts_status pts_cache_file_id(pts_cache *c, const char *path,
                                                  struct pts_image_id *id,
                                                  struct pts_diag *why);
/* Puts in the memory of a kernel: path is ROOT/proc/kcore or a copy of it, beside which are
 * kallsyms and modules, and ROOT/sys/kernel/notes has its build id.  A copy of its code and of
 * the lists becomes CACHE/[kernel.kcore]/ID/DATE, which is told in `at`.  PTS_END: the same kernel
 * at the same place is there, in `at`; again: this does not matter. */
PTS_API PTS_MUST_USE pts_status pts_cache_add_kcore(pts_cache *c, const char *path,
                                                    int again, char *at, size_t size,
                                                    struct pts_diag *why);
/* Takes out what is filed under the build id of a file.  PTS_END: nothing is. */
PTS_API PTS_MUST_USE pts_status pts_cache_remove(pts_cache *c,
                                                 const struct pts_image_id *id,
                                                 struct pts_diag *why);
/* Whether the file of a dso is there.  PTS_END: no; PTS_E_FORMAT: it has another build id,
 * and *why says where it is. */
PTS_API PTS_MUST_USE pts_status pts_cache_has(pts_cache *c, const struct pts_dso *dso,
                                              struct pts_diag *why);
/* Sees to it that it is: from this machine if the file here has that build id, else, if
 * asked to, from a server.  Failures say which ids were looked for and found. */
PTS_API PTS_MUST_USE pts_status pts_cache_store(pts_cache *c, const struct pts_dso *dso,
                                                struct pts_diag *why);

/* What is in it, by build id. */
struct pts_cached {
    struct pts_image_id id;
    const char *path; /* that it was stored for; lent during the call */
    int here;         /* the file at path, or the kernel that runs, has this id now */
};
typedef void pts_cached_fn(void *ctx, const struct pts_cached *entry);
PTS_API PTS_MUST_USE pts_status pts_cache_list(pts_cache *c, pts_cached_fn *fn,
                                               void *ctx, struct pts_diag *why);
/* The builds of a file that were ever stored, in order.  PTS_END: none was. */
PTS_API PTS_MUST_USE pts_status pts_cache_builds(pts_cache *c, const char *path,
                                                 pts_cached_fn *fn, void *ctx,
                                                 struct pts_diag *why);

/* Writes what the cache has of these to path, a tar file packed by bzip2 to be unpacked
 * into another cache; left_out is called with those that it does not have.  The file is there
 * whole or not at all. */
typedef void pts_left_out_fn(void *ctx, const struct pts_dso *dso);
PTS_API PTS_MUST_USE pts_status pts_cache_archive(pts_cache *c, const pts_dsos *list,
                                                  const char *path,
                                                  pts_left_out_fn *left_out, void *ctx,
                                                  struct pts_diag *why);

#ifdef __cplusplus
}
#endif
#endif
