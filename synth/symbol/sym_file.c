/* sym_file.c - where the symbols of a dso may be.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order of perf 6.1.  `symfs` is in front of every path but one: /usr/lib/debug
 * followed by the directory of a linking file - that directory has symfs in it already.
 * A debug link is the name of a file; what it would be in the current directory, where
 * perf looks first, or in directories that it names itself, is not looked at.
 */
#include "synth/symbol/sym_file.h"

#include "decoder/base/sys.h"
#include "synth/symbol/sym_elf.h"

#include <stdio.h>
#include <string.h>

bool sym_is_file(const char *path)
{
    return sys_is_regular(path);
}

char sym_file_letter(enum sym_candidate which)
{
    static const char letters[CANDIDATES] = {
        [CANDIDATE_DEBUGLINK] = 'l',    [CANDIDATE_CACHE] = 'B',
        [CANDIDATE_CACHE_DEBUG] = 'D',  [CANDIDATE_VDSO] = 'B',
        [CANDIDATE_DEBUG_SUFFIX] = 'f', [CANDIDATE_DEBUG] = 'u',
        [CANDIDATE_DEBUG_ID] = 'b',     [CANDIDATE_FILE] = 'd',
        [CANDIDATE_BESIDE] = 'o',       [CANDIDATE_USR_MERGED] = 'x',
    };

    return letters[which];
}

static bool fits(int n)
{
    return n >= 0 && n < PATH_MAX;
}

enum { PIECES = 3 };

/* Joins up to so many pieces below symfs; those that are NULL are nothing. */
static bool join(const struct sym_opts *opts, const char *const piece[PIECES],
                 char path[PATH_MAX])
{
    char rest[PATH_MAX];
    size_t n = 0;
    for (size_t i = 0; i < PIECES && piece[i]; i++) {
        size_t len = strlen(piece[i]);
        if (len >= sizeof(rest) - n)
            return false;
        memcpy(rest + n, piece[i], len);
        n += len;
    }
    rest[n] = '\0';
    return image_path_symfs(&opts->files, rest, path);
}

/* The file it names, in the order of the loop: beside the file, in .debug there, and below
 * /usr/lib/debug. */
static bool path_debuglink(const struct sym_opts *opts, const struct sym_want *want,
                           char path[PATH_MAX])
{
    char file[PATH_MAX], link[PATH_MAX];
    if (!image_path_symfs(&opts->files, want->name, file) || !sym_is_file(file) ||
        !sym_elf_debuglink(file, link) || strchr(link, '/'))
        return false;
    const char *slash = strrchr(file, '/');
    int dir = slash ? (int)(slash - file) : 0;
    for (int i = 0; i < 3; i++) {
        int n = i == 0   ? snprintf(path, PATH_MAX, "%.*s/%s", dir, file, link)
                : i == 1 ? snprintf(path, PATH_MAX, "%.*s/.debug/%s", dir, file, link)
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
    const char *const piece[PIECES] = {"/usr/lib/debug/.build-id/", leaf};
    return join(opts, piece, path);
}

/* DIR/.debug/NAME. */
static bool path_beside(const struct sym_opts *opts, const char *name,
                        char path[PATH_MAX])
{
    char dir[PATH_MAX];
    const char *slash = strrchr(name, '/');
    if (!slash ||
        !fits(snprintf(dir, sizeof(dir), "%.*s", (int)(slash - name) + 1, name)))
        return false;
    const char *const piece[PIECES] = {dir, ".debug", slash};
    return join(opts, piece, path);
}

/* /usr/lib/debug NAME, and a suffix or NULL. */
static bool path_debug(const struct sym_opts *opts, const char *name,
                       const char *suffix, char path[PATH_MAX])
{
    const char *const piece[PIECES] = {"/usr/lib/debug", name, suffix};
    return join(opts, piece, path);
}

bool sym_file_path(const struct sym_opts *opts, const struct sym_want *want,
                   enum sym_candidate which, char path[PATH_MAX])
{
    const char *name = want->name;
    const char *leaf = image_is_vdso(name) ? "vdso" : "elf";
    switch (which) {
    case CANDIDATE_DEBUGLINK:
        return path_debuglink(opts, want, path);
    case CANDIDATE_CACHE:
        return image_path_cache(&opts->files, &want->id, leaf, path);
    case CANDIDATE_CACHE_DEBUG:
        return image_path_cache(&opts->files, &want->id, "debug", path);
    case CANDIDATE_VDSO:
        return image_path_vdso(&opts->files, name, &want->id, path);
    case CANDIDATE_DEBUG_SUFFIX:
        return path_debug(opts, name, ".debug", path);
    case CANDIDATE_DEBUG:
        return path_debug(opts, name, NULL, path);
    case CANDIDATE_DEBUG_ID:
        return path_debug_id(opts, want, path);
    case CANDIDATE_FILE:
        return image_path_file(&opts->files, name, path);
    case CANDIDATE_BESIDE:
        return path_beside(opts, name, path);
    case CANDIDATE_USR_MERGED:
        return strncmp(name, "/usr/lib/", 9) == 0 &&
               path_debug(opts, name + 4, NULL, path);
    case CANDIDATES:
        break;
    }
    return false;
}
