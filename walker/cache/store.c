/* store.c - the file of a dso into the cache, from wherever there is one.
 *
 * SPDX-License-Identifier: MIT
 *
 *     a program, library or module    its path, below symfs
 *     [vdso]                          the one of this process
 *     the kernel                      /proc/kallsyms, when it is the one that runs
 *     any of them                     a server, if asked to
 *
 * The first that has the build id; what the others had instead is told.
 */
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "walker/cache/cache.h"
#include "walker/cache/folder.h"
#include "walker/cache/live.h"
#include "walker/code/image_find.h"
#include "walker/code/kernel_running.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- What there may be besides the file ------------------------------------------- */

/* Debug information that was packaged for it. */
static int debug_open(const struct pts_cache *c, const struct build_id *id)
{
    char hex[BUILD_ID_TEXT], path[PATH_MAX];
    struct stat st;
    build_id_text(id, hex);
    int n = snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%.2s/%s.debug",
                     c->opts.symfs ? c->opts.symfs : "", hex, hex + 2);
    return n < (int)sizeof(path) ? sys_open_regular(path, &st) : -1;
}

static bool is_module(const char *path)
{
    const char *base = strrchr(path, '/');
    return strstr(base ? base : path, ".ko") != NULL;
}

/* A file and what belongs to it; ask: also a server for its debug information. */
static pts_status put_file(struct pts_cache *c, const char *name,
                           const struct build_id *id, int fd, bool ask,
                           struct pts_diag *why)
{
    struct cache_part part[2] = {
        {.leaf = cache_is_kernel(name) ? "elf" : cache_leaf(name),
         .fd = fd,
         .check = true}
    };
    struct pts_diag ignored;
    int debug = is_module(name) ? -1 : debug_open(c, id);
    /* It is no matter when a server has none. */
    if (debug < 0 && ask && !is_module(name))
        debug = fetch_file(c, name, id, true, &ignored);
    if (debug >= 0)
        part[1] = (struct cache_part){.leaf = "debug", .fd = debug, .check = true};
    pts_status st = cache_put(c, name, id, part, debug < 0 ? 1 : 2, why);
    if (debug >= 0)
        close(debug);
    return st;
}

/* The open file and what it is; -1: it has no build id, or is not there. */
static int open_known(const struct pts_cache *c, const char *path, char real[PATH_MAX],
                      struct build_id *id)
{
    int fd = cache_open_file(c, path, real);
    if (fd < 0)
        return -1;
    *id = cache_id_of(fd, real);
    if (id->len)
        return fd;
    close(fd);
    return -1;
}

pts_status pts_cache_file_id(pts_cache *c, const char *path, struct pts_image_id *id,
                             struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    char real[PATH_MAX];
    struct build_id own;
    int fd = open_known(c, path, real, &own);
    if (fd < 0)
        return refused_since(mark, PTS_END, why);
    *id = id_told(&own);
    close(fd);
    return refused_since(mark, PTS_OK, why);
}

pts_status pts_cache_add(pts_cache *c, const char *path, struct pts_image_id *id,
                         struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    char real[PATH_MAX];
    struct build_id own;
    int fd = open_known(c, path, real, &own);
    if (fd < 0)
        return refused_since(mark, PTS_END, why);
    *id = id_told(&own);
    pts_status rc = put_file(c, real, &own, fd, c->opts.fetch, why);
    close(fd);
    return refused_since(mark, rc, why);
}

/* --- Of a recording --------------------------------------------------------------- */

static bool has_leaf(struct pts_cache *c, int top, const struct pts_dso *dso,
                     const struct build_id *id, const char *leaf, struct pts_diag *why)
{
    char path[PATH_MAX];
    int fd = cache_file(top, id, leaf);
    if (fd < 0)
        return false;
    const struct build_id found = cache_id_of(fd, dso->path);
    bool text = strcmp(leaf, "kallsyms") == 0;
    close(fd);
    if (text || (found.len && build_id_same(id, &found)))
        return true;
    cache_path(c, id, leaf, path);
    if (found.len)
        diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                 "%s file, consider removing it from the cache", path);
    return false;
}

pts_status pts_cache_has(pts_cache *c, const struct pts_dso *dso, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    const struct build_id id = id_own(&dso->id);
    int top = folder_open_top(c->dir, false);
    bool has = top >= 0 &&
               (has_leaf(c, top, dso, &id, cache_leaf(dso->path), why) ||
                (cache_is_kernel(dso->path) && has_leaf(c, top, dso, &id, "elf", why)));
    if (top >= 0)
        close(top);
    pts_status st = refused_since(mark, PTS_OK, why);
    if (st < 0 || has)
        return st;
    return why->text[0] ? PTS_E_FORMAT : PTS_END;
}

static pts_status other_build(struct pts_diag *why, const char *what,
                              const struct build_id *wanted,
                              const struct build_id *found)
{
    char w[BUILD_ID_TEXT], f[BUILD_ID_TEXT];
    build_id_text(wanted, w);
    return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                    "the %s here has build id %s, but %s was recorded", what,
                    found->len ? build_id_text(found, f) : "missing", w);
}

static pts_status from_file(struct pts_cache *c, const struct pts_dso *dso,
                            const struct build_id *id, struct pts_diag *why)
{
    const struct image_opts opts = {.symfs = c->opts.symfs};
    char path[PATH_MAX];
    struct stat st;
    int fd = dso->path[0] == '/' && image_path_symfs(&opts, dso->path, path)
                 ? sys_open_regular(path, &st)
                 : -1;
    if (fd < 0)
        return diag_set(why, PTS_END, UINT64_MAX, "no such file here");
    const struct build_id found = cache_id_of(fd, dso->path);
    pts_status rc = found.len && build_id_same(id, &found)
                        ? put_file(c, dso->path, id, fd, false, why)
                        : other_build(why, "file", id, &found);
    close(fd);
    return rc;
}

static pts_status from_vdso(struct pts_cache *c, const struct pts_dso *dso,
                            const struct build_id *id, struct pts_diag *why)
{
    struct build_id found = {0};
    struct cache_part part = {.leaf = "vdso", .fd = -1, .check = true};
    part.bytes = live_vdso(&found);
    if (!part.bytes.ptr || !build_id_same(id, &found) || !found.len)
        return other_build(why, "vdso", id, &found);
    return cache_put(c, dso->path, id, &part, 1, why);
}

static pts_status from_kernel(struct pts_cache *c, const struct pts_dso *dso,
                              const struct build_id *id, struct pts_diag *why)
{
    const struct build_id found = kernel_running_id();
    struct cache_part part = {.leaf = "kallsyms"};
    if (!found.len || !build_id_same(id, &found))
        return other_build(why, "kernel", id, &found);
    part.fd = sys_open("/proc/kallsyms", O_RDONLY);
    if (part.fd < 0)
        return diag_set(why, PTS_E_IO, UINT64_MAX, "/proc/kallsyms cannot be read");
    pts_status st = cache_put(c, dso->path, id, &part, 1, why);
    close(part.fd);
    return st;
}

static pts_status from_here(struct pts_cache *c, const struct pts_dso *dso,
                            const struct build_id *id, struct pts_diag *why)
{
    if (image_is_vdso(dso->path))
        return from_vdso(c, dso, id, why);
    return cache_is_kernel(dso->path) ? from_kernel(c, dso, id, why)
                                      : from_file(c, dso, id, why);
}

/* What was found here instead stays the reason; the server's stands behind it. */
static pts_status from_server(struct pts_cache *c, const struct pts_dso *dso,
                              const struct build_id *id, struct pts_diag *why)
{
    struct pts_diag server = {.offset = UINT64_MAX};
    char here[sizeof(why->text)];
    int fd = fetch_file(c, dso->path, id, false, &server);
    pts_status st = PTS_E_IO;
    if (fd >= 0) {
        st = put_file(c, dso->path, id, fd, false, &server);
        close(fd);
    }
    if (st == PTS_OK)
        return st;
    memcpy(here, why->text, sizeof(here));
    return diag_set(why, st, UINT64_MAX, "%s; server: %s", here, server.text);
}

pts_status pts_cache_store(pts_cache *c, const struct pts_dso *dso,
                           struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    const struct build_id id = id_own(&dso->id);
    if (!id.len)
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "its build id is not known");
    if (dso->guest != -1)
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX, "it is of a guest");
    pts_status st = pts_cache_has(c, dso, why);
    if (st == PTS_OK)
        return st;
    refused_mark(why);
    st = from_here(c, dso, &id, why);
    if (st != PTS_OK && c->opts.fetch && !refused_any(mark))
        st = from_server(c, dso, &id, why);
    st = refused_since(mark, st, why);
    return st == PTS_END ? PTS_E_IO : st;
}
