/* srcline.c - source file and line of an address, as perf script prints them.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf 6.1 keeps an addr2line running per dso and prints the file and line of its first
 * record; this gives the same answers without it:
 *
 *     the address is in no section          not found: "DSO[ADDR]"
 *     a row of a line table covers it       FILE:LINE
 *     a function begins at or before it     FILE:0 if a FILE symbol tells the file,
 *                                           else found, but nothing is printed
 *     otherwise                             not found
 *
 * A file without debug information may lead to one that has it, by build id or link.
 *
 * perf's own faults on the way are part of the answer: it cuts file names at a colon
 * (at_set), and gives up on a dso from which it never got an answer (FAILS_MAX).
 */
#include "synth/symbol/srcline.h"

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/symbol/demangle.h"
#include "synth/symbol/line_table.h"
#include "synth/symbol/sym_file.h"
#include "synth/symbol/sym_map.h"
#include "synth/symbol/sym_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILS_MAX = 123 };

/* What is at an address. */
struct inlined {
    struct place_inlined *frames;
    size_t n;
};

struct srcline {
    const struct symtab *symtab;
    const char *short_name;
    char *path; /* what perf would give to addr2line; "" for nothing */
    bool opened, off;
    unsigned fails; /* 0 once there was an answer */
    struct sym_source *source;
    struct line_table *lines; /* NULL: none */
    struct idmap known;       /* by address: number of an inlined */
    VEC(struct inlined) inlined;
    struct arena names; /* of these */
};

/* perf has no source lines for [vdso] and what JIT compilers made. */
static bool has_file(const char *path)
{
    return path[0] != '[' && !sym_is_map(path);
}

/* The file the symbols came from, or the dso's own when only .dynsym was found. */
static pts_status path_keep(struct srcline *s, const struct sym_opts *opts,
                            const struct sym_want *want)
{
    char own[PATH_MAX];
    const char *path = symtab_file(s->symtab);
    if (!path[0])
        path = has_file(want->name) && image_path_file(&opts->files, want->name, own)
                   ? own
                   : "";
    size_t n = strlen(path) + 1;
    s->path = mem_resize(NULL, n, 1);
    if (!s->path)
        return PTS_E_NOMEM;
    memcpy(s->path, path, n);
    return PTS_OK;
}

pts_status srcline_new(const struct sym_opts *opts, const struct sym_want *want,
                       const char *short_name, const struct symtab *symtab,
                       struct srcline **out)
{
    struct srcline *s = mem_zalloc(1, sizeof(*s));
    if (!s)
        return PTS_E_NOMEM;
    s->symtab = symtab;
    s->short_name = short_name;
    s->fails = 1;
    pts_status st = path_keep(s, opts, want);
    if (st < 0) {
        srcline_free(s);
        return st;
    }
    *out = s;
    return PTS_OK;
}

void srcline_free(struct srcline *s)
{
    if (!s)
        return;
    idmap_free(&s->known);
    VEC_FREE(&s->inlined);
    arena_free(&s->names);
    line_table_close(s->lines);
    sym_source_close(s->source);
    mem_free(s->path);
    mem_free(s);
}

/* Debug information of a stripped file, where addr2line looks for it: never below
 * symfs.  Symbols are that file's, too, from then on. */
static pts_status separate_open(struct srcline *s)
{
    static const enum sym_candidate order[] = {CANDIDATE_DEBUG_ID, CANDIDATE_DEBUGLINK};
    struct sym_opts opts = {0};
    struct image_elf file;
    char path[PATH_MAX];
    pts_status st = PTS_END;
    if (image_elf_open(s->path, &file) != PTS_OK)
        return PTS_END;
    struct sym_want want = {.name = s->path, .id = file.id};
    image_elf_close(&file);
    for (size_t i = 0; st == PTS_END && i < 2; i++) {
        if (sym_file_path(&opts, &want, order[i], path))
            st = line_table_open(path, &s->lines);
    }
    if (st != PTS_OK)
        return st;
    struct sym_source *source;
    st = sym_source_open(path, &source);
    if (st == PTS_OK) {
        sym_source_close(s->source);
        s->source = source;
    }
    return st;
}

static pts_status files_open(struct srcline *s)
{
    s->opened = true;
    pts_status st = sym_source_open(s->path, &s->source);
    if (st == PTS_OK)
        st = line_table_open(s->path, &s->lines);
    if (st == PTS_END && s->source)
        st = separate_open(s);
    return st < 0 ? st : PTS_OK;
}

/* perf splits what addr2line prints at the first colon, wherever that is. */
static void at_set(struct srcline_at *at, const char *file, uint32_t line)
{
    const char *colon = file ? strchr(file, ':') : NULL;
    at->file = file ? file : "??";
    at->len = colon ? (size_t)(colon - file) : strlen(at->file);
    at->line = colon ? (uint32_t)strtoul(colon + 1, NULL, 0) : line;
}

static pts_status place_find(struct srcline *s, uint64_t addr, struct srcline_at *out)
{
    const struct line_row *row = NULL;
    struct source_func near;
    if (!s->source || !sym_source_mapped(s->source, addr))
        return PTS_END;
    pts_status st = s->lines ? line_table_find(s->lines, addr, &row) : PTS_OK;
    if (st < 0)
        return st;
    if (row)
        at_set(out, row->file, row->line);
    else if (sym_source_find(s->source, addr, &near))
        at_set(out, near.file, 0);
    else
        return PTS_END;
    return PTS_OK;
}

static uint64_t elf_addr(const struct srcline *s, const struct srcline_ask *ask)
{
    return symtab_elf_addr(s->symtab, ask->addr, ask->pgoff);
}

pts_status srcline_find(struct srcline *s, const struct srcline_ask *ask,
                        struct srcline_at *out)
{
    if (s->off)
        return PTS_END;
    pts_status st = s->opened || !s->path[0] ? PTS_OK : files_open(s);
    if (st == PTS_OK)
        st = place_find(s, elf_addr(s, ask), out);
    if (st == PTS_OK)
        s->fails = 0;
    else if (st == PTS_END && s->fails && ++s->fails > FAILS_MAX)
        s->off = true;
    return st;
}

static const char *base_name(const char *file, size_t *len)
{
    const char *slash = memrchr(file, '/', *len);
    if (!slash)
        return file;
    *len -= (size_t)(slash + 1 - file);
    return slash + 1;
}

size_t srcline_text(struct srcline *s, const struct srcline_ask *ask, bool full_path,
                    char *text, size_t n)
{
    struct srcline_at at;
    int len;
    if (srcline_find(s, ask, &at) == PTS_OK) {
        const char *file = full_path ? at.file : base_name(at.file, &at.len);
        len = snprintf(text, n, "%.*s:%" PRIu32, (int)at.len, file, at.line);
        /* Found, and nothing known of it: perf prints nothing then. */
        if (strncmp(text, "??:0", 4) == 0)
            len = snprintf(text, n, "%s", "");
    } else {
        len = snprintf(text, n, "%s[%" PRIx64 "]", s->short_name, elf_addr(s, ask));
    }
    return len < 0 ? 0 : (size_t)len < n ? (size_t)len : n - 1;
}

/* --- Inlined functions ---
 *
 * addr2line prints a function and the line in it, then what that was inlined in and the
 * line of the call there, and so on:
 *
 *     address in       min()          t.h:3     the row of the address
 *     inlined in       clamp()        t.h:9     where min was called
 *     inlined in       main()         t.c:21    where clamp was called
 */

enum { DEEPEST = 256 };

struct frame {
    const char *name; /* as the linker has it */
    struct srcline_at at;
};

/* addr2line takes the symbol's name for that of a function whose own the linker does
 * not know, and stays with it when both begin at the same place. */
static const char *name_at(struct srcline *s, uint64_t addr, struct line_func *f)
{
    struct source_func near;

    if (f && f->is_linkage)
        return f->name;
    if (!sym_source_find(s->source, addr, &near))
        return f && f->name ? f->name : "??";
    if (f && near.addr == f->low)
        f->name = near.name;
    if (f)
        f->is_linkage = f->name != NULL;
    return near.name;
}

/* From the innermost function outwards.  Each frame's line is where the one inside
 * it was called. */
static pts_status frames_find(struct srcline *s, uint64_t addr, struct frame *out,
                              size_t most, size_t *n)
{
    const struct line_row *row = NULL;
    struct line_func *f = NULL;
    pts_status st = place_find(s, addr, &out[0].at);

    if (st == PTS_OK && s->lines)
        st = line_table_find(s->lines, addr, &row);
    if (st == PTS_OK && row)
        st = line_table_function(s->lines, addr, &f);
    if (st != PTS_OK)
        return st < 0 ? st : PTS_OK;
    out[(*n)++].name = name_at(s, addr, f);
    while (f && f->is_inlined && *n < most) {
        struct frame *next = &out[*n];
        at_set(&next->at, f->call_file, f->call_line);
        f = line_table_caller(s->lines, f);
        if (!f)
            break;
        next->name = f->name ? f->name : "??";
        ++*n;
    }
    return PTS_OK;
}

static const char *readable(struct srcline *s, const struct srcline_style *style,
                            const char *name)
{
    char *text = style->demangle ? demangle(name, style->params) : NULL;
    const char *from = text ? text : name;
    const char *kept = arena_strndup(&s->names, from, strlen(from));

    mem_free(text);
    return kept;
}

static const char *line_text(struct srcline *s, const struct srcline_style *style,
                             const struct srcline_at *at)
{
    size_t len = at->len;
    const char *file = style->full_path ? at->file : base_name(at->file, &len);
    size_t room = len + 16;
    char *text = arena_alloc(&s->names, room);

    if (text)
        (void)snprintf(text, room, "%.*s:%" PRIu32, (int)len, file, at->line);
    return text;
}

/* As it is shown, for the life of s: the same addresses are unwound again and again. */
static pts_status frames_keep(struct srcline *s, const struct srcline_style *style,
                              const struct frame *from, size_t n, struct inlined *to)
{
    to->frames = arena_alloc(&s->names, (n + 1) * sizeof(*to->frames));
    if (!to->frames)
        return PTS_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        struct place_inlined *f = &to->frames[i];
        f->name = readable(s, style, from[i].name);
        f->srcline = line_text(s, style, &from[i].at);
        if (!f->name || !f->srcline)
            return PTS_E_NOMEM;
    }
    to->n = n;
    return PTS_OK;
}

static pts_status inlined_find(struct srcline *s, const struct srcline_ask *ask,
                               const struct srcline_style *style, struct inlined *to)
{
    struct frame found[DEEPEST];
    size_t n = 0;
    pts_status st = s->opened || !s->path[0] ? PTS_OK : files_open(s);

    if (st == PTS_OK)
        st = frames_find(s, elf_addr(s, ask), found, DEEPEST, &n);
    return st == PTS_OK ? frames_keep(s, style, found, n, to) : st;
}

pts_status srcline_inlined(struct srcline *s, const struct srcline_ask *ask,
                           const struct srcline_style *style,
                           const struct place_inlined **frames, size_t *n)
{
    uint32_t i = idmap_get(&s->known, ask->addr);

    if (i == IDMAP_NONE) {
        struct inlined *to = VEC_PUSH(&s->inlined);
        if (!to)
            return PTS_E_NOMEM;
        *to = (struct inlined){0};
        i = (uint32_t)s->inlined.len - 1;
        pts_status st = inlined_find(s, ask, style, to);
        if (st < 0 || !idmap_set(&s->known, ask->addr, i))
            return st < 0 ? st : PTS_E_NOMEM;
    }
    *frames = s->inlined.at[i].frames;
    *n = s->inlined.at[i].n;
    return PTS_OK;
}
