/* key_place.c - keys of where: file, symbol, line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_parts.h"

#include <string.h>

static uint32_t dso_words(struct key_context *c, const struct subject *i,
                          uint64_t *word)
{
    return word_of(c, i->spot.dso, word);
}

static int64_t dso_compare(const struct key_context *c, const struct subject *a,
                           const struct subject *b)
{
    (void)c;
    return spot_dso_order(&b->spot, &a->spot);
}

static void dso_cell(const struct key_context *c, const struct subject *i, size_t width,
                     struct text *t)
{
    (void)c, (void)width;
    spot_dso_put(&i->spot, t);
}

static uint32_t dso_width(const struct key_context *c, const struct subject *i)
{
    return spot_dso_width(c, &i->spot);
}

static int64_t by_name(const struct spot_of *a, const struct spot_of *b)
{
    return a->at.sym && b->at.sym ? strcmp(b->at.sym, a->at.sym)
                                  : by_presence(a->at.sym, b->at.sym);
}

static int64_t sym_rank(const struct subject *a, const struct subject *b)
{
    return by_name(&a->spot, &b->spot);
}

static void sym_cell(const struct key_context *c, const struct subject *i, size_t width,
                     struct text *t)
{
    (void)c;
    spot_full_put(&i->spot, i->level, i->spot.shown, width, t);
}

static uint32_t sym_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return spot_full_width(&i->spot);
}

static uint32_t srcline_words(struct key_context *c, const struct subject *i,
                              uint64_t *word)
{
    return word_of(c, i->srcline, word);
}

static int64_t srcline_compare(const struct key_context *c, const struct subject *a,
                               const struct subject *b)
{
    (void)c;
    return strcmp(b->srcline, a->srcline);
}

static void srcline_cell(const struct key_context *c, const struct subject *i,
                         size_t width, struct text *t)
{
    (void)c;
    text_cut(t, i->srcline, width);
}

static uint32_t srcline_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->line_skipped ? 0 : (uint32_t)strlen(i->srcline);
}

static void srcline_skip(struct subject *i, bool late)
{
    (void)late;
    i->line_skipped = !i->line_given;
}

/* perf adds this where somebody sorts by symbol. */
static void ipc_null_cell(const struct key_context *c, const struct subject *i,
                          size_t width, struct text *t)
{
    (void)c, (void)i;
    text_strl(t, "-      -", width); /* never cut */
}

const struct key key_dso = {
    .name = "dso",
    .title = "Shared Object",
    .pads = true,
    .words = dso_words,
    .compare = dso_compare,
    .cell = dso_cell,
    .width = dso_width,
};

const struct key key_symbol = {
    .name = "symbol",
    .title = "Symbol",
    .words = spot_words,
    .compare = spot_compare,
    .rank = sym_rank,
    .cell = sym_cell,
    .width = sym_width,
};

const struct key key_srcline = {
    .name = "srcline",
    .title = "Source:Line",
    .words = srcline_words,
    .compare = srcline_compare,
    .skip = srcline_skip,
    .cell = srcline_cell,
    .width = srcline_width,
};

const struct key key_ipc_null = {
    .name = "ipc_null",
    .title = "IPC   [IPC Coverage]",
    .words = key_ipc_words,
    .compare = spot_compare,
    .cell = ipc_null_cell,
    .width = key_no_width,
};
