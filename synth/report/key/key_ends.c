/* key_ends.c - keys of branches: the lines and the addresses of their ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_parts.h"

#include <string.h>

/* --- Lines ------------------------------------------------------------------------- */

/* What perf prints of a line that it did not look for, as no row was compared by it. */
#define NOT_LOOKED "(null)"

static uint32_t line_from_words(struct key_context *c, const struct subject *i,
                                uint64_t *word)
{
    return word_of(c, i->srcline_from, word);
}

static uint32_t line_to_words(struct key_context *c, const struct subject *i,
                              uint64_t *word)
{
    return word_of(c, i->srcline_to, word);
}

static void line_from_skip(struct subject *i, bool late)
{
    i->line_from_late = late;
    if (!late)
        i->srcline_from = NULL;
}

static void line_to_skip(struct subject *i, bool late)
{
    i->line_to_late = late;
    if (!late)
        i->srcline_to = NULL;
}

static int64_t line_from_compare(const struct key_context *c, const struct subject *a,
                                 const struct subject *b)
{
    (void)c;
    return strcmp(b->srcline_from, a->srcline_from);
}

static int64_t line_to_compare(const struct key_context *c, const struct subject *a,
                               const struct subject *b)
{
    (void)c;
    return strcmp(b->srcline_to, a->srcline_to);
}

static void line_from_cell(const struct key_context *c, const struct subject *i,
                           size_t width, struct text *t)
{
    (void)c;
    text_cut(t, i->srcline_from ? i->srcline_from : NOT_LOOKED, width);
}

static void line_to_cell(const struct key_context *c, const struct subject *i,
                         size_t width, struct text *t)
{
    (void)c;
    text_cut(t, i->srcline_to ? i->srcline_to : NOT_LOOKED, width);
}

static uint32_t line_from_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->srcline_from && !i->line_from_late ? (uint32_t)strlen(i->srcline_from)
                                                 : 0;
}

static uint32_t line_to_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->srcline_to && !i->line_to_late ? (uint32_t)strlen(i->srcline_to) : 0;
}

const struct key key_srcline_from = {
    .name = "srcline_from",
    .title = "From Source:Line",
    .branch = true,
    .pads = true,
    .words = line_from_words,
    .compare = line_from_compare,
    .skip = line_from_skip,
    .cell = line_from_cell,
    .width = line_from_width,
};

const struct key key_srcline_to = {
    .name = "srcline_to",
    .title = "To Source:Line",
    .branch = true,
    .pads = true,
    .words = line_to_words,
    .compare = line_to_compare,
    .skip = line_to_skip,
    .cell = line_to_cell,
    .width = line_to_width,
};

/* --- Addresses --------------------------------------------------------------------- */

/* perf looks at the files first, in the order of dso_from and dso_to. */
static uint32_t addr_words(struct key_context *c, const struct spot_of *s,
                           uint64_t *word)
{
    word[0] = s->at.ip;
    return word_of(c, s->dso, &word[1]) ? 2 : 0;
}

static int64_t addr_order(const struct spot_of *a, const struct spot_of *b)
{
    int64_t dso = spot_dso_order(a, b);

    return dso ? dso : by_number(a->at.ip, b->at.ip);
}

static uint32_t addr_from_words(struct key_context *c, const struct subject *i,
                                uint64_t *word)
{
    return addr_words(c, i->from, word);
}

static uint32_t addr_to_words(struct key_context *c, const struct subject *i,
                              uint64_t *word)
{
    return addr_words(c, &i->spot, word);
}

static int64_t addr_from_compare(const struct key_context *c, const struct subject *a,
                                 const struct subject *b)
{
    (void)c;
    return addr_order(a->from, b->from);
}

static int64_t addr_to_compare(const struct key_context *c, const struct subject *a,
                               const struct subject *b)
{
    (void)c;
    return addr_order(&a->spot, &b->spot);
}

/* [.] SYMBOL+0xOFFSET, which the column need not be wide enough for. */
static void addr_put(const struct spot_of *s, char level, size_t width, struct text *t)
{
    uint64_t off = s->at.addr - s->at.sym_start;

    spot_sym_put(s, level, s->at.addr, width, t);
    if (s->at.sym && !s->at.sym_data && off)
        text_fmt(t, "+0x%llx", (unsigned long long)off);
}

static void addr_from_cell(const struct key_context *c, const struct subject *i,
                           size_t width, struct text *t)
{
    (void)c;
    addr_put(i->from, i->level, width, t);
}

static void addr_to_cell(const struct key_context *c, const struct subject *i,
                         size_t width, struct text *t)
{
    (void)c;
    addr_put(&i->spot, i->level, width, t);
}

static uint32_t addr_from_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->from->at.sym ? 0 : spot_sym_width(i->from);
}

static uint32_t addr_to_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->spot.at.sym ? 0 : spot_sym_width(&i->spot);
}

const struct key key_addr_from = {
    .name = "addr_from",
    .title = "Source Address",
    .branch = true,
    .words = addr_from_words,
    .compare = addr_from_compare,
    .cell = addr_from_cell,
    .width = addr_from_width,
};

const struct key key_addr_to = {
    .name = "addr_to",
    .title = "Target Address",
    .branch = true,
    .words = addr_to_words,
    .compare = addr_to_compare,
    .cell = addr_to_cell,
    .width = addr_to_width,
};
