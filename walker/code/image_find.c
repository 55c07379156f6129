/* image_find.c - which file holds the code of a dso.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf 6.1 reads code from a file of the right path whatever its build id is, and then
 * silently decodes another program.  We do not: such a file is refused and reported.
 *
 * The first of these that is there and may be taken:
 *
 *     CACHE/.build-id/12/3456.../elf      by build id (vdso: .../vdso)
 *     CACHE/[vdso]/123456.../vdso         the vdso's own place in the cache
 *     live_vdso                           without an id, in a recording of this machine
 *     ROOT/PATH                           by name, in the file system of a guest
 *     SYMFS/PATH                          by name, or the file that was given for it
 *
 * CACHE is perf's build id cache, SYMFS mostly empty.
 */
#include "walker/code/image_find.h"

#include "decoder/base/sys.h"

#include <stdio.h>
#include <string.h>

bool image_is_vdso(const char *name)
{
    return strcmp(name, "[vdso]") == 0 || strcmp(name, "[vdso32]") == 0 ||
           strcmp(name, "[vdsox32]") == 0;
}

static bool fits(int n)
{
    return n >= 0 && n < PATH_MAX;
}

/* Whether a recorded name leads up out of the folder that it is looked for in. */
static bool climbs_out(const char *name)
{
    int depth = 0;

    for (const char *part = name; *part && depth >= 0;) {
        size_t n = strcspn(part, "/");
        if (n == 2 && memcmp(part, "..", 2) == 0)
            depth--;
        else if (n && !(n == 1 && *part == '.'))
            depth++;
        part += n + (part[n] == '/');
    }
    return depth < 0;
}

bool image_path_symfs(const struct image_opts *opts, const char *name,
                      char path[PATH_MAX])
{
    bool has = opts->symfs && opts->symfs[0];
    if (has && climbs_out(name))
        return false;
    return fits(snprintf(path, PATH_MAX, "%s%s%s", has ? opts->symfs : "",
                         has ? "/" : "", name));
}

bool image_path_root(const char *root, const char *name, char path[PATH_MAX])
{
    const struct image_opts opts = {.symfs = root};

    return root && root[0] && image_path_symfs(&opts, name, path);
}

const char *image_path_told(const struct image_opts *opts, const char *path)
{
    size_t n = opts->symfs ? strlen(opts->symfs) : 0;

    return n && strncmp(path, opts->symfs, n) == 0 && path[n] == '/' ? path + n + 1
                                                                     : path;
}

/* With symfs the cache is SYMFS/.debug. */
static bool cache_path(const struct image_opts *opts, const char *rest,
                       char path[PATH_MAX])
{
    if (opts->symfs)
        return fits(snprintf(path, PATH_MAX, "%s/.debug/%s", opts->symfs, rest));
    return opts->cache && fits(snprintf(path, PATH_MAX, "%s/%s", opts->cache, rest));
}

bool image_path_cache(const struct image_opts *opts, const struct build_id *id,
                      const char *leaf, char path[PATH_MAX])
{
    char hex[BUILD_ID_TEXT], rest[BUILD_ID_TEXT + 16];
    if (id->len == 0)
        return false;
    build_id_text(id, hex);
    snprintf(rest, sizeof(rest), ".build-id/%.2s/%s", hex, hex + 2);
    if (!cache_path(opts, rest, path))
        return false;
    /* Older caches have the file itself in the place of the directory. */
    if (sys_is_regular(path))
        return true;
    size_t n = strlen(path);
    return snprintf(path + n, PATH_MAX - n, "/%s", leaf) < (int)(PATH_MAX - n);
}

bool image_path_file(const struct image_opts *opts, const char *name,
                     char path[PATH_MAX])
{
    for (size_t i = 0; i < opts->given_count; i++)
        if (strcmp(opts->given[i].name, name) == 0)
            return fits(snprintf(path, PATH_MAX, "%s", opts->given[i].path));
    /* It is no file, and a file called so in the working directory is not it. */
    if (image_is_vdso(name) && !(opts->symfs && opts->symfs[0]))
        return false;
    return image_path_symfs(opts, name, path);
}

bool image_path_vdso(const struct image_opts *opts, const char *name,
                     const struct build_id *id, char path[PATH_MAX])
{
    char hex[BUILD_ID_TEXT], rest[BUILD_ID_TEXT + 32];
    if (!image_is_vdso(name))
        return false;
    if (id->len == 0)
        return opts->live_vdso && strcmp(name, "[vdso]") == 0 &&
               fits(snprintf(path, PATH_MAX, "%s", opts->live_vdso));
    snprintf(rest, sizeof(rest), "%s/%s/vdso", name, build_id_text(id, hex));
    return cache_path(opts, rest, path);
}

/* Whether a file may be taken.  A file of the cache that has no id is vouched for by
 * its place; anything else must have the recorded one. */
static bool id_fits(const struct build_id *wanted, const struct image_elf *elf,
                    bool cached)
{
    if (wanted->len == 0)
        return true;
    if (elf->id.len == 0 && elf->id_phdr.len == 0)
        return cached && elf->is_elf;
    return build_id_same(wanted, &elf->id) || build_id_same(wanted, &elf->id_phdr);
}

/* Takes out->path if it may be taken; PTS_END when not. */
static pts_status take(const struct image_opts *opts, const struct image_want *want,
                       bool cached, struct image_found *out)
{
    pts_status st = want->module ? image_elf_open_packed(out->path, &out->elf)
                                 : image_elf_open(out->path, &out->elf);
    if (st != PTS_OK)
        return PTS_END;
    /* The cache is searched by id, so what is there by another one is broken, and
     * any_id does not mean that. */
    bool fit = id_fits(&want->id, &out->elf, cached);
    if (fit || (opts->any_id && !cached)) {
        out->other_id = !fit;
        return PTS_OK;
    }
    if (!out->refused[0]) {
        const struct image_elf *elf = &out->elf;
        memcpy(out->refused, out->path, sizeof(out->refused));
        out->refused_id = elf->id.len ? elf->id : elf->id_phdr;
    }
    image_elf_close(&out->elf);
    return PTS_END;
}

pts_status image_find(const struct image_opts *opts, const struct image_want *want,
                      struct image_found *out)
{
    const char *leaf = image_is_vdso(want->name) ? "vdso" : "elf";
    out->elf = (struct image_elf){0};
    out->other_id = false;
    out->refused[0] = '\0';
    out->refused_id = (struct build_id){0};

    if (image_path_cache(opts, &want->id, leaf, out->path) &&
        take(opts, want, true, out) == PTS_OK)
        return PTS_OK;
    if (image_path_vdso(opts, want->name, &want->id, out->path) &&
        take(opts, want, true, out) == PTS_OK)
        return PTS_OK;
    if (want->module && want->name[0] != '/')
        return PTS_END;
    if (image_path_root(want->root, want->name, out->path) &&
        take(opts, want, false, out) == PTS_OK)
        return PTS_OK;
    if (image_path_file(opts, want->name, out->path) &&
        take(opts, want, false, out) == PTS_OK)
        return PTS_OK;
    return PTS_END;
}
