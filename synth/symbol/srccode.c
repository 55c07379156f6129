/* srccode.c - the source text of a line.
 *
 * SPDX-License-Identifier: MIT
 *
 * Files are opened by the path in the debug information, as perf does, without symfs.
 * Where lines begin is found once for a file.  The list of files is searched from its
 * front, where the one used last is put: one instruction is mostly of the file that the
 * one before it is of.
 */
#include "synth/symbol/srccode.h"

#include "decoder/base/arena.h"
#include "decoder/base/vec.h"
#include "walker/code/image_elf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct source_file {
    char *path;
    struct image_elf file; /* size 0: cannot be read */
    VEC(size_t) lines;     /* where each begins */
};

struct srccode {
    VEC(struct source_file) files; /* the one used last is the first */
    VEC(char) text;
};

pts_status srccode_new(struct srccode **out)
{
    struct srccode *c = mem_zalloc(1, sizeof(*c));
    if (!c)
        return PTS_E_NOMEM;
    *out = c;
    return PTS_OK;
}

static void source_close(struct source_file *f)
{
    image_elf_close(&f->file);
    VEC_FREE(&f->lines);
    mem_free(f->path);
}

void srccode_free(struct srccode *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->files.len; i++)
        source_close(&c->files.at[i]);
    VEC_FREE(&c->files);
    VEC_FREE(&c->text);
    mem_free(c);
}

static pts_status lines_find(struct source_file *f)
{
    for (size_t at = 0; at < f->file.size;) {
        size_t *line = VEC_PUSH(&f->lines);
        if (!line)
            return PTS_E_NOMEM;
        *line = at;
        const uint8_t *nl = memchr(f->file.base + at, '\n', f->file.size - at);
        at = nl ? (size_t)(nl - f->file.base) + 1 : f->file.size;
    }
    return PTS_OK;
}

static pts_status source_open(const char *path, size_t len, struct source_file *f)
{
    *f = (struct source_file){.path = mem_resize(NULL, len + 1, 1)};
    if (!f->path)
        return PTS_E_NOMEM;
    memcpy(f->path, path, len);
    f->path[len] = '\0';
    /* A file that is not there is kept, too, without lines: it is tried once. */
    if (image_elf_open(f->path, &f->file) != PTS_OK)
        return PTS_OK;
    pts_status st = lines_find(f);
    if (st < 0)
        source_close(f);
    return st;
}

/* Moves the file to the front, opening it if it is new. */
static pts_status source_get(struct srccode *c, const char *path, size_t len)
{
    size_t i = 0;
    while (i < c->files.len && (strncmp(c->files.at[i].path, path, len) != 0 ||
                                c->files.at[i].path[len] != '\0'))
        i++;
    struct source_file f;
    if (i < c->files.len) {
        f = c->files.at[i];
    } else {
        if (!VEC_ROOM(&c->files, 1))
            return PTS_E_NOMEM;
        pts_status st = source_open(path, len, &f);
        if (st < 0)
            return st;
        c->files.len++;
    }
    memmove(c->files.at + 1, c->files.at, i * sizeof(f));
    c->files.at[0] = f;
    return PTS_OK;
}

static pts_status line_print(struct srccode *c, uint32_t no, const char *line,
                             size_t len)
{
    enum { HEAD_MAX = 24 };
    c->text.len = 0;
    if (!VEC_ROOM(&c->text, HEAD_MAX + len))
        return PTS_E_NOMEM;
    int head = snprintf(c->text.at, HEAD_MAX, "|%-8" PRId32 " ", (int32_t)no);
    memcpy(c->text.at + head, line, len);
    c->text.len = (size_t)head + len;
    return PTS_OK;
}

pts_status srccode_line(struct srccode *c, const struct srcline_at *at,
                        struct pts_bytes *out)
{
    *out = (struct pts_bytes){0};
    pts_status st = source_get(c, at->file, at->len);
    if (st < 0)
        return st;
    const struct source_file *f = &c->files.at[0];
    if (at->line == 0 || at->line > f->lines.len)
        return PTS_OK;
    const uint8_t *line = f->file.base + f->lines.at[at->line - 1];
    const uint8_t *end = f->file.base + f->file.size;
    const uint8_t *nl = memchr(line, '\n', (size_t)(end - line));
    *out = (struct pts_bytes){line, (size_t)((nl ? nl : end) - line)};
    return PTS_OK;
}

pts_status srccode_text(struct srccode *c, const struct srcline_at *at,
                        struct srccode_last *last, const char **text, size_t *n)
{
    /* The same line again is not shown again, by thread. */
    if (last->file && last->line == at->line && last->len == at->len &&
        memcmp(last->file, at->file, at->len) == 0)
        return PTS_END;
    struct pts_bytes b;
    pts_status st = srccode_line(c, at, &b);
    if (st < 0)
        return st;
    if (!b.ptr)
        return PTS_END;
    const char *line = (const char *)b.ptr;
    st = line_print(c, at->line, line, strnlen(line, b.len));
    if (st < 0)
        return st;
    *last = (struct srccode_last){at->file, at->len, at->line};
    *text = c->text.at;
    *n = c->text.len;
    return PTS_OK;
}
