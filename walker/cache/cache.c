/* cache.c - the build-id cache: opening it, what is in it, taking out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/cache/cache.h"

#include "decoder/base/arena.h"
#include "decoder/base/diag.h"
#include "decoder/base/digits.h"
#include "decoder/base/refused.h"
#include "walker/cache/folder.h"
#include "walker/code/image_find.h"
#include "walker/code/kernel_running.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

pts_status pts_cache_open(const char *dir, const struct pts_cache_opts *opts,
                          pts_cache **out, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct pts_cache *c = mem_zalloc(1, sizeof(*c));
    if (!c)
        return refused_since(mark, PTS_E_NOMEM, why);
    c->dir = dir;
    c->opts = (struct pts_cache_opts)PTS_CACHE_OPTS_INIT;
    if (opts)
        memcpy(&c->opts, opts,
               opts->size < sizeof(c->opts) ? opts->size : sizeof(c->opts));
    if (!c->opts.most)
        c->opts.most = PTS_FETCH_MOST;
    if (!c->opts.seconds)
        c->opts.seconds = PTS_FETCH_SECONDS;
    if (c->opts.fetch && !fetch_is_built()) {
        mem_free(c);
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "libdebuginfod is not there (libdebuginfod.so.1)");
    }
    *out = c;
    return PTS_OK;
}

int pts_cache_can_fetch(void)
{
    return fetch_is_built();
}

void pts_cache_close(pts_cache *c)
{
    if (!c)
        return;
    fetch_end(c->fetcher);
    mem_free(c);
}

int cache_hold(struct pts_cache *c, bool make, struct pts_diag *why)
{
    int fd = folder_open_top(c->dir, make), err = fd < 0 ? errno : folder_lock(fd);
    char text[128];
    if (!err)
        return fd;
    diag_set(why, PTS_E_IO, UINT64_MAX, "%s: %s", c->dir,
             strerror_r(err, text, sizeof(text)));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* --- Entries ---------------------------------------------------------------------- */

const char *cache_leaf(const char *name)
{
    return image_is_vdso(name) ? "vdso" : cache_is_kernel(name) ? "kallsyms" : "elf";
}

void cache_path(const struct pts_cache *c, const struct build_id *id, const char *leaf,
                char path[PATH_MAX])
{
    const struct image_opts opts = {.cache = c->dir};
    if (!image_path_cache(&opts, id, leaf, path))
        path[0] = '\0';
}

/* "../../NAME/ID", with this id and nothing that leads up: then NAME. */
static bool name_of_link(char target[PATH_MAX], const char *hex, char name[PATH_MAX])
{
    size_t n = strlen(target), h = strlen(hex);
    if (n < h + 8 || strncmp(target, "../../", 6) != 0 || target[n - h - 1] != '/' ||
        strcmp(target + n - h, hex) != 0)
        return false;
    target[n - h - 1] = '\0';
    memcpy(name, target + 6, n - h - 6);
    return folder_can_walk(name);
}

bool cache_name(int top, const struct build_id *id, char name[PATH_MAX])
{
    char hex[BUILD_ID_TEXT], target[PATH_MAX], folder[32];
    if (id->len < 2)
        return false;
    build_id_text(id, hex);
    snprintf(folder, sizeof(folder), ".build-id/%.2s", hex);
    int dir = folder_open(top, folder, false);
    if (dir < 0)
        return false;
    ssize_t n = readlinkat(dir, hex + 2, target, sizeof(target) - 1);
    close(dir);
    if (n <= 0)
        return false;
    target[n] = '\0';
    return name_of_link(target, hex, name);
}

int cache_file(int top, const struct build_id *id, const char *leaf)
{
    char name[PATH_MAX], hex[BUILD_ID_TEXT];
    build_id_text(id, hex);
    if (!cache_name(top, id, name))
        return -1;
    int above = folder_open(top, name, false);
    if (above < 0)
        return -1;
    int dir = folder_open(above, hex, false);
    /* Older caches have the file itself in the place of the folder. */
    int fd = dir < 0 ? folder_file(above, hex) : folder_file(dir, leaf);
    close(above);
    if (dir >= 0)
        close(dir);
    return fd;
}

struct build_id cache_id_of(int fd, const char *name)
{
    struct build_id id = {0};
    struct image_elf elf;
    if (image_elf_open_named(fd, "a file with code", name, &elf) != PTS_OK)
        return id;
    id = elf.id.len ? elf.id : elf.id_phdr;
    image_elf_close(&elf);
    return id;
}

/* --- Taking out ------------------------------------------------------------------- */

static int entry_remove(int top, const struct build_id *id)
{
    char hex[BUILD_ID_TEXT], name[PATH_MAX], folder[32];
    bool named = cache_name(top, id, name);
    build_id_text(id, hex);
    snprintf(folder, sizeof(folder), ".build-id/%.2s", hex);
    int dir = id->len < 2 ? -1 : folder_open(top, folder, false);
    if (dir < 0)
        return ENOENT;
    /* The link first: what nothing leads to is not there for anybody else. */
    int err = unlinkat(dir, hex + 2, 0) == 0 ? 0 : errno;
    close(dir);
    if (err || !named)
        return err;
    int above = folder_open(top, name, false);
    if (above < 0)
        return errno == ENOENT ? 0 : errno;
    if (unlinkat(above, hex, 0) != 0 && errno != ENOENT)
        err = folder_remove(above, hex);
    close(above);
    return err;
}

pts_status pts_cache_remove(pts_cache *c, const struct pts_image_id *id,
                            struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    const struct build_id own = id_own(id);
    char text[128];
    int top = cache_hold(c, false, why);
    if (top < 0)
        return access(c->dir, F_OK) != 0 ? PTS_END : PTS_E_IO;
    int err = entry_remove(top, &own);
    close(top);
    if (err == ENOENT)
        return refused_since(mark, PTS_END, why);
    return err ? diag_set(why, PTS_E_IO, UINT64_MAX, "%s: %s", c->dir,
                          strerror_r(err, text, sizeof(text)))
               : PTS_OK;
}

/* --- Listing ---------------------------------------------------------------------- */

struct listing {
    int top;
    pts_cached_fn *fn;
    void *ctx;
    const char *first; /* two digits */
    const char *path;  /* of the file whose builds are listed */
    struct build_id kernel;
};

/* False: it is no id. */
static bool id_read(const char *hex, struct build_id *id)
{
    size_t n = strlen(hex);
    *id = (struct build_id){.len = (uint8_t)(n / 2)};
    if (n < 4 || n % 2 || n > (size_t)2 * BUILD_ID_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = digit_value(hex[i]);
        if (digit == 16 || (hex[i] >= 'A' && hex[i] <= 'F'))
            return false;
        id->bytes[i / 2] = (uint8_t)(id->bytes[i / 2] << 4 | digit);
    }
    return true;
}

static bool is_here(const struct listing *l, const char *path,
                    const struct build_id *id)
{
    struct pts_image_id now;
    if (cache_is_kernel(path))
        return build_id_same(id, &l->kernel) && l->kernel.len;
    if (path[0] != '/' || pts_file_build_id(path, &now, NULL) != PTS_OK)
        return false;
    const struct build_id own = id_own(&now);
    return build_id_same(id, &own);
}

static pts_status list_entry(void *ctx, const char *rest)
{
    const struct listing *l = ctx;
    char hex[2 + NAME_MAX + 1], name[PATH_MAX], path[PATH_MAX + 1];
    struct build_id id;
    snprintf(hex, sizeof(hex), "%s%s", l->first, rest);
    if (!id_read(hex, &id) || !cache_name(l->top, &id, name))
        return PTS_OK;
    snprintf(path, sizeof(path), "%s%s", name[0] == '[' ? "" : "/", name);
    const struct pts_cached entry = {id_told(&id), path, is_here(l, path, &id)};
    l->fn(l->ctx, &entry);
    return PTS_OK;
}

static pts_status list_folder(void *ctx, const char *name)
{
    struct listing *l = ctx;
    char folder[NAME_MAX + 16];
    if (strlen(name) != 2)
        return PTS_OK;
    snprintf(folder, sizeof(folder), ".build-id/%s", name);
    int dir = folder_open(l->top, folder, false);
    if (dir < 0)
        return PTS_OK;
    l->first = name;
    pts_status st = folder_names(dir, false, list_entry, l);
    close(dir);
    return st;
}

/* The names in a folder of the cache, each given to fn. */
static pts_status list_in(struct pts_cache *c, const char *path, struct listing *l,
                          folder_name_fn *fn, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    l->top = folder_open_top(c->dir, false);
    int dir = l->top < 0 ? -1 : folder_open(l->top, path, false);
    pts_status st = dir < 0 ? PTS_END : folder_names(dir, false, fn, l);
    if (dir >= 0)
        close(dir);
    if (l->top >= 0)
        close(l->top);
    return refused_since(mark, st, why);
}

pts_status pts_cache_list(pts_cache *c, pts_cached_fn *fn, void *ctx,
                          struct pts_diag *why)
{
    struct listing l = {.fn = fn, .ctx = ctx};
    l.kernel = kernel_running_id();
    pts_status st = list_in(c, ".build-id", &l, list_folder, why);
    return st == PTS_END ? PTS_OK : st;
}

static pts_status list_build(void *ctx, const char *hex)
{
    const struct listing *l = ctx;
    struct pts_cached entry = {.path = l->path};
    struct build_id id;
    if (id_read(hex, &id)) {
        entry.id = id_told(&id);
        l->fn(l->ctx, &entry);
    }
    return PTS_OK;
}

pts_status pts_cache_builds(pts_cache *c, const char *path, pts_cached_fn *fn,
                            void *ctx, struct pts_diag *why)
{
    struct listing l = {.fn = fn, .ctx = ctx, .path = path};
    char real[PATH_MAX];
    bool known;
    if (c->opts.process) {
        int fd = cache_open_file(c, path, real);
        known = fd >= 0 && close(fd) == 0;
    } else {
        known = realpath(path, real) != NULL;
    }
    /* The file itself may be gone. */
    return list_in(c, known ? real : path, &l, list_build, why);
}
