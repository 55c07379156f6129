/* key_mem.c - keys of accesses to memory: --mem-mode.
 *
 * SPDX-License-Identifier: MIT
 *
 *     bit of the source   5       19       24     26    40      (out_mem.c)
 *                         level   snoop    lock   tlb   blocked
 */
#include "synth/report/key/key_parts.h"

#include "synth/print/line/out_cols.h"
#include "walker/sideband/sideband.h"

#include <string.h>

enum {
    LEVEL_WIDTH = 24,
    SNOOP_WIDTH = 12,
    TLB_WIDTH = 22,
    LOCK_WIDTH = 6,
    BLOCK_WIDTH = 10,
    ADDRESS_WIDTH = ADDRESS_DIGITS + 6
};

/* The words and the order of a key that is a number of i. */
#define NUMBER(what, of)                                                               \
    static uint64_t what##_number(const struct subject *i)                             \
    {                                                                                  \
        return of;                                                                     \
    }                                                                                  \
    static uint32_t what##_words(struct key_context *c, const struct subject *i,       \
                                 uint64_t *word)                                       \
    {                                                                                  \
        (void)c;                                                                       \
        *word = what##_number(i);                                                      \
        return 1;                                                                      \
    }                                                                                  \
    static int64_t what##_compare(const struct key_context *c,                         \
                                  const struct subject *a, const struct subject *b)    \
    {                                                                                  \
        (void)c;                                                                       \
        return by_number(what##_number(a), what##_number(b));                          \
    }

/* --- Places ------------------------------------------------------------------------ */

static uint32_t spot_width(const struct spot_of *s)
{
    return s->at.sym ? (uint32_t)strlen(s->at.sym) + s->at.sym_tail + ADDRESS_WIDTH
                     : ADDRESS_WIDTH;
}

/* A symbol of an access. */
#define SYMBOL(what, spot, name_, title_)                                              \
    NUMBER(what, i->mem->spot.shown)                                                   \
    static void what##_cell(const struct key_context *c, const struct subject *i,      \
                            size_t width, struct text *t)                              \
    {                                                                                  \
        (void)c;                                                                       \
        spot_full_put(&i->mem->spot, i->level, i->mem->spot.shown, width, t);          \
    }                                                                                  \
    static uint32_t what##_width(const struct key_context *c, const struct subject *i) \
    {                                                                                  \
        (void)c;                                                                       \
        return spot_width(&i->mem->spot);                                              \
    }                                                                                  \
    const struct key key_##what = {.name = (name_),                                    \
                                   .title = (title_),                                  \
                                   .mem = true,                                        \
                                   .words = what##_words,                              \
                                   .compare = what##_compare,                          \
                                   .cell = what##_cell,                                \
                                   .width = what##_width}

SYMBOL(symbol_daddr, data, "symbol_daddr", "Data Symbol");
SYMBOL(symbol_iaddr, code, "symbol_iaddr", "Code Symbol");

static uint32_t object_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    return word_of(c, i->mem->data.dso, word);
}

static int64_t object_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return spot_dso_order(&a->mem->data, &b->mem->data);
}

static void object_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)c, (void)width;
    spot_dso_put(&i->mem->data, t);
}

static uint32_t object_width(const struct key_context *c, const struct subject *i)
{
    const struct spot_of *s = &i->mem->data;

    return s->dso ? (uint32_t)strlen(s->dso) : c->narrow ? 0 : ADDRESS_DIGITS;
}

const struct key key_dso_daddr = {
    .name = "dso_daddr",
    .title = "Data Object",
    .mem = true,
    .pads = true,
    .words = object_words,
    .compare = object_compare,
    .cell = object_cell,
    .width = object_width,
};

/* --- Lines of the cache -------------------------------------------------------------- */

static uint64_t line_of(const struct subject *i)
{
    const uint64_t bytes = 64; /* of all processors with PT */

    return i->mem->data.at.addr & ~(bytes - 1);
}

/* Memory of one process alone. */
static bool is_private(const struct subject *i)
{
    const struct place *p = &i->mem->data.at;

    return i->mem->cpumode != PTS_MODE_KERNEL && !(p->map_prot & AS_SHARED) &&
           !sb_dso_has_inode(p->of_dso);
}

static int64_t by_file(const struct subject *a, const struct subject *b)
{
    const struct sb_dso *x = a->mem->data.at.of_dso, *y = b->mem->data.at.of_dso;

    if (!x || !y)
        return by_presence(x, y);
    int64_t order = sb_dso_compare(x, y);
    return order || !is_private(a)
               ? order
               : (b->mem->pid > a->mem->pid) - (b->mem->pid < a->mem->pid);
}

static int64_t line_compare(const struct key_context *c, const struct subject *a,
                            const struct subject *b)
{
    int64_t order = (int64_t)b->mem->cpumode - a->mem->cpumode;

    (void)c;
    order = order ? order : by_file(a, b);
    return order ? order : (line_of(b) > line_of(a)) - (line_of(b) < line_of(a));
}

/* Rows are found by the order: files without a generation are those of any. */
static uint32_t line_words(struct key_context *c, const struct subject *i,
                           uint64_t *word)
{
    (void)c;
    *word = line_of(i);
    return 1;
}

/* s: data that others share; X: it is in no map. */
static char line_level(const struct subject *i)
{
    const struct place *p = &i->mem->data.at;
    const bool shared = i->mem->cpumode != PTS_MODE_KERNEL && p->of_dso &&
                        (p->map_prot & (AS_SHARED | AS_EXECUTE)) == AS_SHARED &&
                        sb_dso_has_inode(p->of_dso);

    return shared ? 's' : p->of_dso ? i->level : 'X';
}

static void line_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    struct spot_of spot = i->mem->data;

    (void)c;
    spot.asked = line_of(i);
    spot.at.in_memory = false;
    spot_full_put(&spot, line_level(i), line_of(i), width, t);
}

static uint32_t line_width(const struct key_context *c, const struct subject *i)
{
    const struct spot_of *s = &i->mem->data;

    (void)c;
    return spot_width(s) + (s->at.sym != NULL);
}

const struct key key_dcacheline = {
    .name = "dcacheline",
    .title = "Data Cacheline",
    .mem = true,
    .vague = true,
    .words = line_words,
    .compare = line_compare,
    .cell = line_cell,
    .width = line_width,
};

/* --- Numbers --------------------------------------------------------------------------- */

NUMBER(phys, i->mem->phys)

static void phys_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    (void)c, (void)width;
    text_char(t, '[');
    text_char(t, i->level);
    text_str(t, i->mem->phys ? "] 0x" : "] ");
    text_fmt(t, "%016llx", (unsigned long long)i->mem->phys);
}

static uint32_t address_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return ADDRESS_WIDTH;
}

const struct key key_phys_daddr = {
    .name = "phys_daddr",
    .title = "Data Physical Address",
    .mem = true,
    .pads = true,
    .words = phys_words,
    .compare = phys_compare,
    .cell = phys_cell,
    .width = address_width,
};

NUMBER(page, i->mem->page_size)

static void page_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    struct text size = {0};

    (void)c;
    out_page_size(&size, i->mem->page_size);
    t->failed |= size.failed;
    if (!size.failed)
        text_put(t, size.at + 1, size.len - 1); /* it has a space in front */
    text_spaces(t, size.len < width + 1 ? width + 1 - size.len : 0);
    text_free(&size);
}

const struct key key_data_page_size = {
    .name = "data_page_size",
    .title = "Data Page Size",
    .mem = true,
    .words = page_words,
    .compare = page_compare,
    .cell = page_cell,
    .width = address_width,
};

/* --- Where data came from ---------------------------------------------------------- */

static uint64_t part_of(const struct subject *i, enum out_mem part)
{
    static const struct {
        unsigned shift;
        uint64_t mask;
    } parts[] = {
        [OUT_MEM_LEVEL] = {5,  0x3fff},
          [OUT_MEM_SNOOP] = {19, 0x1f  },
        [OUT_MEM_TLB] = {26, 0x7f  },
          [OUT_MEM_LOCK] = {24, 3     },
        [OUT_MEM_BLOCK] = {40, 7     },
    };

    return i->mem->source >> parts[part].shift & parts[part].mask;
}

static void part_cell(const struct subject *i, enum out_mem part, size_t width,
                      struct text *t)
{
    const size_t from = t->len;

    out_mem_part(t, i->mem->source, part);
    if (t->len - from < width)
        text_spaces(t, width - (t->len - from));
}

/* The same without blanks behind it, and cut. */
static void part_cell_cut(const struct subject *i, enum out_mem part, size_t width,
                          struct text *t)
{
    const size_t from = t->len;

    out_mem_part(t, i->mem->source, part);
    if (t->len - from > width)
        t->len = from + width;
}

#define PART(what, name_, title_, part, put, wide)                                     \
    NUMBER(what, part_of(i, part))                                                     \
    static void what##_cell(const struct key_context *c, const struct subject *i,      \
                            size_t width, struct text *t)                              \
    {                                                                                  \
        (void)c;                                                                       \
        put(i, part, width, t);                                                        \
    }                                                                                  \
    static uint32_t what##_width(const struct key_context *c, const struct subject *i) \
    {                                                                                  \
        (void)c, (void)i;                                                              \
        return wide;                                                                   \
    }                                                                                  \
    const struct key key_##what = {.name = (name_),                                    \
                                   .title = (title_),                                  \
                                   .mem = true,                                        \
                                   .words = what##_words,                              \
                                   .compare = what##_compare,                          \
                                   .cell = what##_cell,                                \
                                   .width = what##_width}

PART(locked, "locked", "Locked", OUT_MEM_LOCK, part_cell_cut, LOCK_WIDTH);
PART(tlb, "tlb", "TLB access", OUT_MEM_TLB, part_cell, TLB_WIDTH);
PART(mem, "mem", "Memory access", OUT_MEM_LEVEL, part_cell, LEVEL_WIDTH);
PART(snoop, "snoop", "Snoop", OUT_MEM_SNOOP, part_cell, SNOOP_WIDTH);
PART(blocked, "blocked", "Blocked", OUT_MEM_BLOCK, part_cell_cut, BLOCK_WIDTH);
