/* sym_map.c - symbol files that JIT compilers write: /tmp/perf-PID.map.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line is START SIZE NAME, numbers in hex, the name up to the end of the line:
 *
 *     7f3a10001000 80 LazyCompile:~add /srv/app.js:3
 *
 * The addresses are those of the process, as the code is in no file.  Symbols are kept
 * as they are: nothing is done about sizes of zero or overlaps.
 */
#include "synth/symbol/sym_map.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MIN = 3, NUMBER_MAX = 64 };

bool sym_is_map(const char *name)
{
    return strncmp(name, "/tmp/perf-", 10) == 0;
}

int sym_map_pid(const char *name)
{
    long n = sym_is_map(name) ? strtol(name + 10, NULL, 10) : 0;

    return n > 0 && n <= INT_MAX ? (int)n : 0;
}

/* A number in hex at the start of a line; returns how many characters it has, 0 when
 * there is none.  strtoull decides what a number is, as in perf; a copy makes it end.
 */
static size_t hex_read(const char *s, size_t n, uint64_t *value)
{
    char copy[NUMBER_MAX];
    char *end;
    size_t len = strnlen(s, n < sizeof(copy) - 1 ? n : sizeof(copy) - 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    *value = strtoull(copy, &end, 16);
    return (size_t)(end - copy);
}

static pts_status line_add(const char *line, size_t n, struct symtree *tree)
{
    uint64_t start, size;
    size_t at = hex_read(line, n, &start) + 1;
    if (at + NAME_MIN > n)
        return PTS_OK;
    at += hex_read(line + at, n - at, &size) + 1;
    if (at + NAME_MIN > n)
        return PTS_OK;
    const struct sym sym = {.start = start,
                            .end = start + size,
                            .len = sym_len(strnlen(line + at, n - at)),
                            .bind = STB_GLOBAL};
    return symtree_add(tree, sym, line + at);
}

pts_status sym_map_parse(const char *text, size_t n, struct symtree *tree)
{
    for (size_t at = 0; at < n;) {
        const char *line = text + at, *nl = memchr(line, '\n', n - at);
        /* A last line without a line feed loses its last character. */
        size_t len = nl ? (size_t)(nl - line) : n - at - 1;
        pts_status st = line_add(line, len, tree);
        if (st < 0)
            return st;
        at += len + 1;
    }
    return PTS_OK;
}

/* perf ignores files of other users, who may have made them up.  Whose it is must be
 * asked of the file that is open: the path may lead somewhere else a moment later. */
static bool open_trusted(const char *path, bool force, struct image_elf *file)
{
    if (image_elf_open(path, file) != PTS_OK)
        return false;
    if (force || file->uid == 0 || file->uid == geteuid())
        return true;
    image_elf_close(file);
    return false;
}

/* Below symfs first.  True: it is open, and path is where. */
static bool map_open(const struct sym_opts *opts, const char *name, char path[PATH_MAX],
                     struct image_elf *file)
{
    if (image_path_symfs(&opts->files, name, path) &&
        open_trusted(path, opts->force, file))
        return true;
    size_t n = strlen(name);
    if (n >= PATH_MAX || !open_trusted(name, opts->force, file))
        return false;
    memcpy(path, name, n + 1);
    return true;
}

pts_status sym_map_read(const struct sym_opts *opts, const char *name,
                        struct symtree *tree)
{
    char path[PATH_MAX];
    struct image_elf file;
    if (!map_open(opts, name, path, &file))
        return PTS_OK;
    pts_status st = sym_map_parse((const char *)file.base, file.size, tree);
    image_elf_close(&file);
    return st;
}

bool sym_map_path(const struct sym_opts *opts, const char *name, char path[PATH_MAX])
{
    struct image_elf file;
    if (!map_open(opts, name, path, &file))
        return false;
    image_elf_close(&file);
    return true;
}

bool sym_map_refused(const struct sym_opts *opts, const char *name)
{
    char path[PATH_MAX];
    struct image_elf file;
    bool below = image_path_symfs(&opts->files, name, path) &&
                 image_elf_open(path, &file) == PTS_OK;

    if (opts->force || (!below && image_elf_open(name, &file) != PTS_OK))
        return false;
    bool foreign = file.uid != 0 && file.uid != geteuid();
    image_elf_close(&file);
    return foreign;
}
