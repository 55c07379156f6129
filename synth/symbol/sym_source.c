/* sym_source.c - the source file of code without line numbers.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf asks addr2line, and where there are no line numbers that takes the closest
 * symbol before the address and the FILE symbol in front of it: "crtstuff.c:?", which
 * perf makes "crtstuff.c:0".  The linker writes a symbol table file by file, and what
 * is global at its end:
 *
 *     FILE crt1.c   local ...   FILE main.c   local   local ...   global   global ...
 *     '--- crt1.c ----------'   '--- main.c ----------------'    whose? not known
 *
 * so a global symbol belongs to a file only if there is but one.
 */
#include "synth/symbol/sym_source.h"

#include "decoder/base/arena.h"
#include "decoder/base/vec.h"
#include "synth/symbol/sym_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct source_sym {
    uint64_t value, size;
    const char *name, *file; /* file NULL: not known */
    uint32_t order;          /* in the symbol table */
    uint16_t section;
};

struct sym_source {
    struct sym_elf *elf;
    VEC(struct source_sym) syms;   /* by section, value, order */
    const struct source_sym *last; /* answer, NULL: none yet */
};

static bool is_code(const struct sym_raw *s)
{
    bool mark = s->size == 0 && s->bind == STB_LOCAL && s->type == STT_NOTYPE &&
                s->visibility == STV_HIDDEN;
    return s->type != STT_SECTION && s->type != STT_FILE && s->type != STT_OBJECT &&
           s->type != STT_COMMON && s->type != STT_TLS && !mark &&
           s->shndx != SHN_UNDEF && s->shndx < SHN_LORESERVE;
}

static pts_status symbols_read(struct sym_source *n, const struct sym_raws *raws)
{
    const char *file = NULL;
    bool any = false, several = false; /* a symbol was seen; a file after it */
    struct sym_raw raw;
    for (size_t i = 1; sym_elf_raw(raws, i, &raw); i++) {
        if (raw.type == STT_FILE) {
            file = raw.name;
            several |= any;
            continue;
        }
        any = true;
        if (!is_code(&raw))
            continue;
        struct source_sym *s = VEC_PUSH(&n->syms);
        if (!s)
            return PTS_E_NOMEM;
        bool known = raw.bind == STB_LOCAL || !several;
        *s = (struct source_sym){.value = raw.value,
                                 .size = raw.size ? raw.size : 1,
                                 .name = raw.name,
                                 .file = known ? file : NULL,
                                 .order = (uint32_t)i,
                                 .section = raw.shndx};
    }
    return PTS_OK;
}

static int by_place(const void *pa, const void *pb)
{
    const struct source_sym *a = pa, *b = pb;
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

pts_status sym_source_open(const char *path, struct sym_source **out)
{
    static const struct build_id any;
    struct sym_raws raws;
    struct sym_source *n = mem_zalloc(1, sizeof(*n));
    pts_status st = n ? sym_elf_open(path, &any, &n->elf) : PTS_E_NOMEM;
    if (st == PTS_OK && sym_elf_raw_open(n->elf, &raws))
        st = symbols_read(n, &raws);
    if (st != PTS_OK) {
        sym_source_close(n);
        return st;
    }
    if (n->syms.len > 0)
        qsort(n->syms.at, n->syms.len, sizeof(*n->syms.at), by_place);
    *out = n;
    return PTS_OK;
}

void sym_source_close(struct sym_source *n)
{
    if (!n)
        return;
    sym_elf_close(n->elf);
    VEC_FREE(&n->syms);
    mem_free(n);
}

bool sym_source_mapped(const struct sym_source *n, uint64_t addr)
{
    return sym_elf_section_at(n->elf, addr, 0) != 0;
}

/* Symbols [0, result) are in a section before this one or begin at or before addr. */
static size_t upper_bound(const struct sym_source *n, uint16_t section, uint64_t addr)
{
    size_t lo = 0, hi = n->syms.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct source_sym *s = &n->syms.at[mid];
        if (s->section < section || (s->section == section && s->value <= addr))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The closest function in section sec, of several at one place the largest.  addr2line
 * asks itself first whether its last answer still holds, so a function that is inside of
 * another is not found behind it. */
static const struct source_sym *closest(struct sym_source *n, uint16_t sec,
                                        uint64_t addr)
{
    const struct source_sym *best = n->last;
    if (best && best->section == sec && addr - best->value < best->size)
        return best;
    size_t end = upper_bound(n, sec, addr), first = end;
    n->last = NULL;
    if (end == 0 || n->syms.at[end - 1].section != sec)
        return NULL;
    uint64_t value = n->syms.at[end - 1].value;
    while (first > 0 && n->syms.at[first - 1].section == sec &&
           n->syms.at[first - 1].value == value)
        first--;
    best = &n->syms.at[first];
    for (size_t i = first + 1; i < end; i++) {
        if (n->syms.at[i].size > best->size)
            best = &n->syms.at[i];
    }
    n->last = best;
    return best;
}

bool sym_source_find(struct sym_source *n, uint64_t addr, struct source_func *out)
{
    size_t sec = 0;
    while ((sec = sym_elf_section_at(n->elf, addr, sec)) != 0 && sec < SHN_LORESERVE) {
        const struct source_sym *best = closest(n, (uint16_t)sec, addr);
        if (!best)
            continue;
        *out = (struct source_func){best->name, best->value, best->file};
        return true;
    }
    return false;
}
