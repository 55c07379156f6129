/* sym_find.c - where the symbols of a dso may be.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order of perf 6.1.  `symfs` is in front of every path but two: what a debug link
 * names relative to the current directory, and /usr/lib/debug followed by the directory
 * of the linking file - that directory has symfs in it already.
 */
#include "synth/sym_load.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool sym_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool fits(int n)
{
    return n >= 0 && n < PATH_MAX;
}

/* Joins up to four pieces below symfs. */
static bool join(const struct sym_opts *opts, const char *a, const char *b,
                 const char *c, const char *d, char path[PATH_MAX])
{
    char rest[PATH_MAX];
    return fits(snprintf(rest, sizeof(rest), "%s%s%s%s", a, b, c, d)) &&
           image_path_symfs(&opts->files, rest, path);
}

static bool path_debuglink(const struct sym_opts *opts, const struct sym_want *want,
                           char path[PATH_MAX])
{
    char file[PATH_MAX], link[PATH_MAX];
    if (!image_path_symfs(&opts->files, want->name, file) || !sym_is_file(file) ||
        !sym_elf_debuglink(file, link))
        return false;
    const char *slash = strrchr(file, '/');
    int dir = slash ? (int)(slash - file) : 0;
    for (int i = 0; i < 4; i++) {
        int n = i == 0   ? snprintf(path, PATH_MAX, "%s", link)
                : i == 1 ? snprintf(path, PATH_MAX, "%.*s/%s", dir, file, link)
                : i == 2 ? snprintf(path, PATH_MAX, "%.*s/.debug/%s", dir, file, link)
                         : snprintf(path, PATH_MAX, "/usr/lib/debug%.*s/%s", dir, file,
                                    link);
        if (fits(n) && sym_is_file(path))
            return true;
    }
    return false;
}

static bool path_debug_id(const struct sym_opts *opts, const struct sym_want *want,
                          char path[PATH_MAX])
{
    char hex[BUILD_ID_TEXT], leaf[BUILD_ID_TEXT + 16];
    if (want->id.len == 0)
        return false;
    build_id_text(&want->id, hex);
    snprintf(leaf, sizeof(leaf), "%.2s/%s.debug", hex, hex + 2);
    return join(opts, "/usr/lib/debug/.build-id/", leaf, "", "", path);
}

/* DIR/.debug/NAME. */
static bool path_beside(const struct sym_opts *opts, const char *name,
                        char path[PATH_MAX])
{
    char dir[PATH_MAX];
    const char *slash = strrchr(name, '/');
    return slash &&
           fits(snprintf(dir, sizeof(dir), "%.*s", (int)(slash - name) + 1, name)) &&
           join(opts, dir, ".debug", slash, "", path);
}

bool sym_place_path(const struct sym_opts *opts, const struct sym_want *want,
                    enum sym_place place, char path[PATH_MAX])
{
    static const char debug[] = "/usr/lib/debug";
    const char *name = want->name;
    const char *leaf = image_is_vdso(name) ? "vdso" : "elf";
    switch (place) {
    case PLACE_DEBUGLINK:
        return path_debuglink(opts, want, path);
    case PLACE_CACHE:
        return image_path_cache(&opts->files, &want->id, leaf, path);
    case PLACE_CACHE_DEBUG:
        return image_path_cache(&opts->files, &want->id, "debug", path);
    case PLACE_VDSO:
        return image_path_vdso(&opts->files, name, &want->id, path);
    case PLACE_DEBUG_SUFFIX:
        return join(opts, debug, name, ".debug", "", path);
    case PLACE_DEBUG:
        return join(opts, debug, name, "", "", path);
    case PLACE_DEBUG_ID:
        return path_debug_id(opts, want, path);
    case PLACE_FILE:
        return image_path_file(&opts->files, name, path);
    case PLACE_BESIDE:
        return path_beside(opts, name, path);
    case PLACE_USR_MERGED:
        return strncmp(name, "/usr/lib/", 9) == 0 &&
               join(opts, debug, name + 4, "", "", path);
    case PLACE_COUNT:
        break;
    }
    return false;
}
