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
#include "decoder/base/refused.h"
#include "synth/symbol/demangle.h"

#include <stdatomic.h>
#include <string.h>

/* A name that was made readable, or found to be so.  Whoever is first puts it there; others may be
 * at it at the same time. */
struct readable {
    struct readable *before; /* made before it */
    const char *name;
    char *own; /* NULL: the file's is as good */
};
struct readables {
    _Atomic(struct readable *) last; /* made */
    _Atomic(struct readable *) of[]; /* each symbol; NULL: nobody has asked for it */
};

struct symtab {
    struct sym *syms;
    char *names;
    struct readables *readable; /* NULL: all names are as they should be */
    size_t sym_count;
    bool params;
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

static pts_status readable_make(struct symtab *t)
{
    size_t n = 0;
    while (n < t->sym_count && !t->syms[n].raw)
        n++;
    if (n == t->sym_count)
        return PTS_OK;
    t->readable =
        mem_zalloc(1, sizeof(*t->readable) + t->sym_count * sizeof(t->readable->of[0]));
    return t->readable ? PTS_OK : PTS_E_NOMEM;
}

static void readable_free(struct readables *r)
{
    struct readable *at =
        r ? atomic_load_explicit(&r->last, memory_order_relaxed) : NULL;

    while (at) {
        struct readable *before = at->before;
        mem_free(at->own);
        mem_free(at);
        at = before;
    }
    mem_free(r);
}

/* The one that is kept. */
static const struct readable *readable_keep(struct readables *r, size_t i,
                                            struct readable *made)
{
    struct readable *there = NULL;

    if (!atomic_compare_exchange_strong(&r->of[i], &there, made)) {
        mem_free(made->own);
        mem_free(made);
        return there;
    }
    made->before = atomic_load(&r->last);
    while (!atomic_compare_exchange_weak(&r->last, &made->before, made))
        ;
    return made;
}

static pts_status table_fill(struct symtab *t, struct symtree *tree)
{
    struct symtree_ranges ranges = {0};
    pts_status st = symtree_flatten(tree, &ranges);
    VEC_FREE(&tree->nodes); /* so that what follows has their room */
    t->ranges = ranges.at;
    t->count = ranges.len;
    if (st < 0)
        return st;
    t->syms = tree->syms.at;
    t->sym_count = tree->syms.len;
    t->names = tree->names.at;
    t->params = tree->params;
    tree->syms.at = NULL; /* given to the table */
    tree->names.at = NULL;
    st = readable_make(t);
    return st < 0 ? st : index_make(t);
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
    readable_free(t->readable);
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

/* Most symbols are never asked for, and names of C++ are long in the making. */
const char *symtab_name(const struct symtab *t, const struct sym *s)
{
    const char *name = t->names + s->name;
    const size_t i = (size_t)(s - t->syms);

    if (!s->raw)
        return name;
    const struct readable *had =
        atomic_load_explicit(&t->readable->of[i], memory_order_acquire);
    if (had)
        return had->name;
    struct readable *made = mem_zalloc(1, sizeof(*made));
    if (!made)
        return name;
    const uint32_t mark = refused_mark(NULL);
    made->own = demangle(name, t->params);
    made->name = made->own ? made->own : name;
    /* What had no memory is for nobody else, whose text would be wrong without a word. */
    if (!made->own && refused_any(mark)) {
        mem_free(made);
        return name;
    }
    return readable_keep(t->readable, i, made)->name;
}

const char *symtab_file(const struct symtab *t)
{
    return t->from.file;
}

uint64_t symtab_elf_addr(const struct symtab *t, uint64_t addr, uint64_t pgoff)
{
    return t->from.is_rel ? addr - pgoff : addr + t->from.text_delta;
}

const struct build_id *symtab_id(const struct symtab *t)
{
    return &t->from.id;
}

bool symtab_is_elf(const struct symtab *t)
{
    return t->from.is_elf;
}

char symtab_letter(const struct symtab *t)
{
    return t->from.letter;
}

bool symtab_in_memory(const struct symtab *t)
{
    return t->from.in_memory;
}

bool symtab_failed(const struct symtab *t)
{
    return t->from.failed;
}
