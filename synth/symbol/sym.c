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
#include "synth/symbol/sym.h"

#include "decoder/base/arena.h"

#include <string.h>

struct symtab {
    struct sym *syms;
    char *names;
    struct symtree_range *ranges;
    uint32_t *first; /* of page i: ranges that begin before it */
    size_t count, pages;
    uint64_t base;
    unsigned shift;
    struct sym_origin from;
    char *file; /* a copy of its name */
};

/* Pages are a power of two wide, so that a look-up shifts and does not divide. */
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

static pts_status origin_keep(struct symtab *t, const struct sym_origin *from)
{
    size_t n = from->file ? strlen(from->file) + 1 : 0;

    t->from = *from;
    t->from.file = "";
    if (!n)
        return PTS_OK;
    t->file = mem_resize(NULL, n, 1);
    if (!t->file)
        return PTS_E_NOMEM;
    t->from.file = memcpy(t->file, from->file, n);
    return PTS_OK;
}

pts_status symtab_from(struct symtree *tree, const struct sym_origin *from,
                       struct symtab **out)
{
    struct symtab *t = mem_zalloc(1, sizeof(*t));
    pts_status st = t ? table_fill(t, tree) : PTS_E_NOMEM;
    symtree_free(tree);
    if (st == PTS_OK)
        st = origin_keep(t, from);
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

const char *symtab_file(const struct symtab *t)
{
    return t->from.file;
}

uint64_t symtab_elf_addr(const struct symtab *t, uint64_t addr, uint64_t pgoff)
{
    return t->from.is_rel ? addr - pgoff : addr + t->from.text_delta;
}

bool symtab_is_elf(const struct symtab *t)
{
    return t->from.is_elf;
}

bool symtab_failed(const struct symtab *t)
{
    return t->from.failed;
}
