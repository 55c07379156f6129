/* key_size.c - keys of how much and from where: sizes, addresses, source files, parents.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_parts.h"

#include <string.h>

enum { ADDRESS_WIDTH = ADDRESS_DIGITS + 2 };

/* --- Sizes ------------------------------------------------------------------------- */

static uint64_t symbol_size(const struct subject *i)
{
    return i->spot.at.sym ? i->spot.at.sym_end - i->spot.at.sym_start : 0;
}

static uint64_t dso_size(const struct subject *i)
{
    return i->spot.at.dso ? i->spot.at.map_end - i->spot.at.map_start : 0;
}

static uint32_t one_word(uint64_t v, uint64_t *word)
{
    *word = v;
    return 1;
}

static int64_t by_size(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static void size_put(bool known, uint64_t size, size_t width, struct text *t)
{
    if (known)
        text_dec(t, (uint32_t)size, width);
    else
        text_strw(t, "unknown", width);
}

static uint32_t symbol_size_words(struct key_context *c, const struct subject *i,
                                  uint64_t *word)
{
    (void)c;
    return one_word(symbol_size(i), word);
}

static int64_t symbol_size_compare(const struct key_context *c, const struct subject *a,
                                   const struct subject *b)
{
    (void)c;
    return by_size(symbol_size(b), symbol_size(a));
}

static void symbol_size_cell(const struct key_context *c, const struct subject *i,
                             size_t width, struct text *t)
{
    (void)c;
    size_put(i->spot.at.sym, symbol_size(i), width, t);
}

const struct key key_symbol_size = {
    .name = "symbol_size",
    .title = "Symbol size",
    .words = symbol_size_words,
    .compare = symbol_size_compare,
    .cell = symbol_size_cell,
    .width = key_no_width,
};

static uint32_t dso_size_words(struct key_context *c, const struct subject *i,
                               uint64_t *word)
{
    (void)c;
    return one_word(dso_size(i), word);
}

static int64_t dso_size_compare(const struct key_context *c, const struct subject *a,
                                const struct subject *b)
{
    (void)c;
    return by_size(dso_size(b), dso_size(a));
}

static void dso_size_cell(const struct key_context *c, const struct subject *i,
                          size_t width, struct text *t)
{
    (void)c;
    size_put(i->spot.at.dso, dso_size(i), width, t);
}

const struct key key_dso_size = {
    .name = "dso_size",
    .title = "DSO size",
    .words = dso_size_words,
    .compare = dso_size_compare,
    .cell = dso_size_cell,
    .width = key_no_width,
};

/* --- Addresses --------------------------------------------------------------------- */

/* Of frames and branches perf takes the address for one within the file, and adds where
 * that is mapped once more. */
static uint64_t address_of(const struct subject *i)
{
    const struct place *p = &i->spot.at;

    return i->spot.absolute && p->dso ? p->ip + (p->ip - p->addr) : p->ip;
}

static uint32_t addr_words(struct key_context *c, const struct subject *i,
                           uint64_t *word)
{
    (void)c;
    return one_word(address_of(i), word);
}

static int64_t addr_compare(const struct key_context *c, const struct subject *a,
                            const struct subject *b)
{
    (void)c;
    return by_number(address_of(a), address_of(b));
}

static void addr_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    (void)c;
    text_fmt(t, "%-#*llx", (int)width, (unsigned long long)address_of(i));
}

static uint32_t addr_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return ADDRESS_WIDTH;
}

const struct key key_addr = {
    .name = "addr",
    .title = "Address",
    .words = addr_words,
    .compare = addr_compare,
    .cell = addr_cell,
    .width = addr_width,
};

/* --- Source files and parents ------------------------------------------------------ */

static uint32_t srcfile_words(struct key_context *c, const struct subject *i,
                              uint64_t *word)
{
    return word_of(c, i->srcfile, word);
}

static int64_t srcfile_compare(const struct key_context *c, const struct subject *a,
                               const struct subject *b)
{
    (void)c;
    return strcmp(b->srcfile, a->srcfile);
}

static void srcfile_cell(const struct key_context *c, const struct subject *i,
                         size_t width, struct text *t)
{
    (void)c;
    text_cut(t, i->srcfile, width);
}

static uint32_t srcfile_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->file_skipped ? 0 : (uint32_t)strlen(i->srcfile);
}

static void srcfile_skip(struct subject *i, bool late)
{
    (void)late;
    i->file_skipped = true;
}

const struct key key_srcfile = {
    .name = "srcfile",
    .title = "Source File",
    .words = srcfile_words,
    .compare = srcfile_compare,
    .skip = srcfile_skip,
    .cell = srcfile_cell,
    .width = srcfile_width,
};

static uint32_t parent_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    return word_of(c, i->parent, word);
}

static int64_t parent_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return a->parent && b->parent ? strcmp(b->parent, a->parent)
                                  : by_presence(a->parent, b->parent);
}

static void parent_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->parent ? i->parent : "[other]");
}

static uint32_t parent_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->parent ? (uint32_t)strlen(i->parent) : 0;
}

const struct key key_parent = {
    .name = "parent",
    .title = "Parent symbol",
    .pads = true,
    .words = parent_words,
    .compare = parent_compare,
    .cell = parent_cell,
    .width = parent_width,
};
