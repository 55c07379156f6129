/* key_branch.c - keys of branches: from where, to where, and what they were like.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_parts.h"

#include <string.h>

const struct spot_of subject_nowhere;

/* --- Files and symbols -------------------------------------------------------------- */

/* Of an end without a symbol perf makes room for an address, and none for the name of its file. */
static uint32_t end_dso_width(const struct key_context *c, const struct spot_of *s)
{
    static const struct spot_of unnamed;

    return spot_dso_width(c, s->at.sym ? s : &unnamed);
}

static uint32_t dso_to_width(const struct key_context *c, const struct subject *i)
{
    return end_dso_width(c, &i->spot);
}

static uint32_t dso_from_words(struct key_context *c, const struct subject *i,
                               uint64_t *word)
{
    return word_of(c, i->from->dso, word);
}

/* The files of branches perf compares the other way around. */
static int64_t dso_from_compare(const struct key_context *c, const struct subject *a,
                                const struct subject *b)
{
    (void)c;
    return spot_dso_order(a->from, b->from);
}

static int64_t dso_to_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return spot_dso_order(&a->spot, &b->spot);
}

static void dso_from_cell(const struct key_context *c, const struct subject *i,
                          size_t width, struct text *t)
{
    (void)c, (void)width;
    spot_dso_put(i->from, t);
}

static uint32_t dso_from_width(const struct key_context *c, const struct subject *i)
{
    return end_dso_width(c, i->from);
}

static uint32_t dso_to_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    return word_of(c, i->spot.dso, word);
}

static void dso_to_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)c, (void)width;
    spot_dso_put(&i->spot, t);
}

static uint32_t sym_to_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return spot_full_width(&i->spot);
}

/* Of branches files are not looked at, and addresses are those of the process. */
static uint32_t sym_to_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    (void)c;
    return spot_sym_words(&i->spot, i->spot.at.ip, word);
}

static uint32_t sym_from_words(struct key_context *c, const struct subject *i,
                               uint64_t *word)
{
    (void)c;
    return spot_sym_words(i->from, i->from->at.ip, word);
}

static int64_t sym_branch(const struct spot_of *a, const struct spot_of *b)
{
    return !a->at.sym && !b->at.sym ? by_number(a->at.ip, b->at.ip)
                                    : spot_sym_order(a, b);
}

static int64_t sym_to_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return sym_branch(&a->spot, &b->spot);
}

static int64_t sym_from_compare(const struct key_context *c, const struct subject *a,
                                const struct subject *b)
{
    (void)c;
    return sym_branch(a->from, b->from);
}

static void sym_from_cell(const struct key_context *c, const struct subject *i,
                          size_t width, struct text *t)
{
    (void)c;
    spot_full_put(i->from, i->from->level, i->from->at.addr, width, t);
}

static void sym_to_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)c;
    spot_full_put(&i->spot, i->spot.level, i->spot.at.addr, width, t);
}

static uint32_t sym_from_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return spot_full_width(i->from);
}

/* --- What branches are like -------------------------------------------------------- */

enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORTED = 8, CYCLES_AT = 4 };

static uint64_t cycles_of(const struct subject *i)
{
    return i->flags >> CYCLES_AT & 0xffff;
}

static uint32_t cycles_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    (void)c;
    *word = cycles_of(i);
    return 1;
}

static int64_t cycles_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return (int64_t)cycles_of(a) - (int64_t)cycles_of(b);
}

static void cycles_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)c;
    if (cycles_of(i)) /* as perf shows 16 bits, never cut */
        text_intl(t, (int16_t)cycles_of(i), width);
    else
        text_strl(t, "-", width);
}

static uint32_t flag_words(const struct subject *i, uint64_t mask, uint64_t *word)
{
    *word = i->flags & mask;
    return 1;
}

/* perf only knows that they differ. */
static int64_t flag_compare(const struct subject *a, const struct subject *b,
                            uint64_t mask)
{
    return (a->flags & mask) != (b->flags & mask);
}

static uint32_t mispredict_words(struct key_context *c, const struct subject *i,
                                 uint64_t *word)
{
    (void)c;
    return flag_words(i, MISPREDICTED | PREDICTED, word);
}

static int64_t mispredict_compare(const struct key_context *c, const struct subject *a,
                                  const struct subject *b)
{
    (void)c;
    return flag_compare(a, b, MISPREDICTED | PREDICTED);
}

static void mispredict_cell(const struct key_context *c, const struct subject *i,
                            size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->flags & PREDICTED ? "N" : i->flags & MISPREDICTED ? "Y" : "N/A");
}

static uint32_t in_tx_words(struct key_context *c, const struct subject *i,
                            uint64_t *word)
{
    (void)c;
    return flag_words(i, IN_TX, word);
}

static int64_t in_tx_compare(const struct key_context *c, const struct subject *a,
                             const struct subject *b)
{
    (void)c;
    return flag_compare(a, b, IN_TX);
}

static void in_tx_cell(const struct key_context *c, const struct subject *i,
                       size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->flags & IN_TX ? "T" : ".");
}

static uint32_t abort_words(struct key_context *c, const struct subject *i,
                            uint64_t *word)
{
    (void)c;
    return flag_words(i, ABORTED, word);
}

static int64_t abort_compare(const struct key_context *c, const struct subject *a,
                             const struct subject *b)
{
    (void)c;
    return flag_compare(a, b, ABORTED);
}

static void abort_cell(const struct key_context *c, const struct subject *i,
                       size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->flags & ABORTED ? "A" : ".");
}

static void ipc_lbr_cell(const struct key_context *c, const struct subject *i,
                         size_t width, struct text *t)
{
    (void)c;
    text_strl(t, i->spot.at.sym ? "0.00  [  0.0%]" : "-", width);
}

const struct key key_dso_from = {
    .name = "dso_from",
    .title = "Source Shared Object",
    .branch = true,
    .pads = true,
    .words = dso_from_words,
    .compare = dso_from_compare,
    .cell = dso_from_cell,
    .width = dso_from_width,
};

const struct key key_dso_to = {
    .name = "dso_to",
    .title = "Target Shared Object",
    .branch = true,
    .pads = true,
    .words = dso_to_words,
    .compare = dso_to_compare,
    .cell = dso_to_cell,
    .width = dso_to_width,
};

const struct key key_symbol_from = {
    .name = "symbol_from",
    .title = "Source Symbol",
    .branch = true,
    .words = sym_from_words,
    .compare = sym_from_compare,
    .cell = sym_from_cell,
    .width = sym_from_width,
};

const struct key key_symbol_to = {
    .name = "symbol_to",
    .title = "Target Symbol",
    .branch = true,
    .words = sym_to_words,
    .compare = sym_to_compare,
    .cell = sym_to_cell,
    .width = sym_to_width,
};

const struct key key_mispredict = {
    .name = "mispredict",
    .title = "Branch Mispredicted",
    .branch = true,
    .pads = true,
    .vague = true,
    .words = mispredict_words,
    .compare = mispredict_compare,
    .cell = mispredict_cell,
    .width = key_no_width,
};

const struct key key_in_tx = {
    .name = "in_tx",
    .title = "Branch in transaction",
    .branch = true,
    .pads = true,
    .vague = true,
    .words = in_tx_words,
    .compare = in_tx_compare,
    .cell = in_tx_cell,
    .width = key_no_width,
};

const struct key key_abort = {
    .name = "abort",
    .title = "Transaction abort",
    .branch = true,
    .pads = true,
    .vague = true,
    .words = abort_words,
    .compare = abort_compare,
    .cell = abort_cell,
    .width = key_no_width,
};

const struct key key_cycles = {
    .name = "cycles",
    .title = "Basic Block Cycles",
    .branch = true,
    .words = cycles_words,
    .compare = cycles_compare,
    .cell = cycles_cell,
    .width = key_no_width,
};

const struct key key_ipc_lbr = {
    .name = "ipc_lbr",
    .title = "IPC   [IPC Coverage]",
    .branch = true,
    .words = key_ipc_words,
    .compare = spot_compare,
    .cell = ipc_lbr_cell,
    .width = key_no_width,
};
