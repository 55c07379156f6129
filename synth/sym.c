/* sym.c - the symbol of an address.
 *
 * SPDX-License-Identifier: MIT
 *
 * A finished table is the flattened tree: ranges in ascending order, each with its
 * symbol. The first index splits the span of all ranges into equal pages, about two per
 * range, and says which ranges begin in each; a look-up then has one or two ranges to
 * compare.
 *
 *     first[]   0     0     2     2     3     5
 *     pages   |     |     |     |     |     |
 *     ranges     0  1        2     3 4
 */
#include "synth/sym_load.h"

#include "decoder/arena.h"

#include <elf.h>
#include <string.h>

struct symtab {
    struct sym *syms;
    char *names;
    struct symtree_range *ranges;
    uint32_t *first; /* of page i: ranges that begin before it */
    size_t count, pages;
    uint64_t base;
    unsigned shift;
    bool failed, is_elf;
    bool is_rel;         /* ET_REL: addresses are those within the map */
    uint64_t text_delta; /* ELF address - file offset, for code */
    char *file;
};

static pts_status index_make(struct symtab *t)
{
    if (t->count == 0)
        return PTS_OK;
    t->base = t->ranges[0].lo;
    uint64_t span = t->ranges[t->count - 1].lo - t->base;
    while (span >> t->shift > 2 * (uint64_t)t->count)
        t->shift++;
    t->pages = (size_t)(span >> t->shift) + 1;
    t->first = mem_resize(NULL, t->pages + 1, sizeof(*t->first));
    if (!t->first)
        return PTS_E_NOMEM;
    size_t at = 0;
    for (size_t page = 0; page < t->pages; page++) {
        while (at < t->count && (t->ranges[at].lo - t->base) >> t->shift < page)
            at++;
        t->first[page] = (uint32_t)at;
    }
    t->first[t->pages] = (uint32_t)t->count;
    return PTS_OK;
}

static pts_status table_fill(struct symtab *t, struct symtree *tree)
{
    struct symtree_ranges ranges = {0};
    pts_status st = symtree_flatten(tree, &ranges);
    t->ranges = ranges.at;
    t->count = ranges.len;
    if (st < 0)
        return st;
    t->syms = tree->syms.at;
    t->names = tree->names.at;
    tree->syms.at = NULL; /* given to the table */
    tree->names.at = NULL;
    return index_make(t);
}

pts_status symtab_from(struct symtree *tree, struct symtab **out)
{
    struct symtab *t = mem_zalloc(1, sizeof(*t));
    pts_status st = t ? table_fill(t, tree) : PTS_E_NOMEM;
    symtree_free(tree);
    if (st == PTS_OK)
        *out = t;
    else
        symtab_free(t);
    return st;
}

void symtab_free(struct symtab *t)
{
    if (!t)
        return;
    mem_free(t->syms);
    mem_free(t->names);
    mem_free(t->ranges);
    mem_free(t->first);
    mem_free(t->file);
    mem_free(t);
}

const struct sym *symtab_find(const struct symtab *t, uint64_t addr)
{
    if (t->count == 0 || addr < t->base)
        return NULL;
    uint64_t page = (addr - t->base) >> t->shift;
    if (page >= t->pages)
        page = t->pages - 1;
    /* Ranges [0, lo) begin at or before addr, [hi, count) behind it. */
    size_t lo = t->first[page], hi = t->first[page + 1];
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->ranges[mid].lo <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0 || addr > t->ranges[lo - 1].last)
        return NULL;
    return &t->syms[t->ranges[lo - 1].sym];
}

const char *symtab_name(const struct symtab *t, const struct sym *s)
{
    return t->names + s->name;
}

size_t symtab_count(const struct symtab *t)
{
    return t->count;
}

const char *symtab_file(const struct symtab *t)
{
    return t->file ? t->file : "";
}

uint64_t symtab_elf_addr(const struct symtab *t, uint64_t addr, uint64_t pgoff)
{
    return t->is_rel ? addr - pgoff : addr + t->text_delta;
}

bool symtab_is_elf(const struct symtab *t)
{
    return t->is_elf;
}

bool symtab_failed(const struct symtab *t)
{
    return t->failed;
}

/* The files of a dso: which has the names, which was mapped; both may be the same. */
struct sources {
    struct sym_elf *syms, *runtime;
    char syms_path[PATH_MAX];
    bool found, is_rel;
    uint64_t text_delta;
};

static void sources_close(struct sources *src)
{
    if (src->runtime != src->syms)
        sym_elf_close(src->runtime);
    sym_elf_close(src->syms);
}

/* Uses a candidate for what is still missing; it is closed when it is of no use. */
static void sources_offer(struct sources *src, struct sym_elf *e, const char *path)
{
    bool used = false;
    if (!src->syms && sym_elf_has_symtab(e)) {
        src->syms = e;
        memcpy(src->syms_path, path, strlen(path) + 1);
        used = true;
    }
    if (!src->runtime && sym_elf_has_dynsym(e)) {
        src->runtime = e;
        used = true;
    }
    if (!used)
        sym_elf_close(e);
}

static pts_status sources_open(const struct sym_opts *opts, const struct sym_want *want,
                               struct sources *src)
{
    for (int place = 0; place < PLACE_COUNT; place++) {
        char path[PATH_MAX];
        struct sym_elf *e;
        if (!sym_place_path(opts, want, (enum sym_place)place, path))
            continue;
        pts_status st = sym_elf_open(path, &want->id, &e);
        if (st < 0)
            return st;
        if (st == PTS_END)
            continue;
        sources_offer(src, e, path);
        if (src->syms && src->runtime)
            break;
    }
    if (!src->syms)
        src->syms = src->runtime;
    if (!src->runtime)
        src->runtime = src->syms;
    return src->syms ? PTS_OK : PTS_END;
}

/* A dso without a build id gets that of its own file - but only if the recorded path is
 * a file of this machine too, as perf looks for it without symfs. */
static struct build_id own_id(const struct sym_opts *opts, const struct sym_want *want)
{
    char path[PATH_MAX];
    struct image_elf file;
    struct build_id id = want->id;
    if (id.len == 0 && sym_is_file(want->name) &&
        image_path_symfs(&opts->files, want->name, path) &&
        image_elf_open(path, &file) == PTS_OK) {
        id = file.id;
        image_elf_close(&file);
    }
    return id;
}

static pts_status elf_load(const struct sym_opts *opts, const struct sym_want *want,
                           struct symtree *tree, struct sources *src)
{
    struct sym_want full = {.name = want->name, .id = own_id(opts, want)};
    pts_status st = sources_open(opts, &full, src);
    src->found = st == PTS_OK;
    if (src->found) {
        uint16_t type = sym_elf_type(src->runtime);
        bool moved = type == ET_EXEC || type == ET_DYN || type == ET_REL;
        src->is_rel = moved && sym_elf_type(src->syms) == ET_REL;
        src->text_delta = moved ? sym_elf_text_delta(src->runtime) : 0;
        st = sym_elf_read(src->syms, src->runtime, opts, tree);
    }
    sources_close(src);
    return st == PTS_END ? PTS_OK : st;
}

pts_status symtab_load(const struct sym_opts *opts, const struct sym_want *want,
                       struct symtab **out)
{
    struct sources src = {0};
    struct symtree tree;
    struct symtab *t;
    symtree_init(&tree);
    pts_status st = sym_is_map(want->name) ? sym_map_read(opts, want->name, &tree)
                                           : elf_load(opts, want, &tree, &src);
    bool failed = st == PTS_E_FORMAT;
    if (st < 0 && !failed) {
        symtree_free(&tree);
        return st;
    }
    st = symtab_from(&tree, &t);
    if (st != PTS_OK)
        return st;
    size_t n = strlen(src.syms_path) + 1;
    t->failed = failed;
    t->is_elf = src.found;
    t->is_rel = src.is_rel;
    t->text_delta = src.text_delta;
    t->file = mem_resize(NULL, n, 1);
    if (!t->file) {
        symtab_free(t);
        return PTS_E_NOMEM;
    }
    memcpy(t->file, src.syms_path, n);
    *out = t;
    return PTS_OK;
}
