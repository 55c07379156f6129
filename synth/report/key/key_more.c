/* key_more.c - keys of what few samples have: weights, transactions, sizes of pages, cgroups;
 * and of the machine's sockets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_parts.h"

#include "decoder/record/record.h"
#include "synth/print/line/out_cols.h"
#include "synth/report/key/around.h"

#include <stdio.h>
#include <string.h>

enum {
    WEIGHT_WIDTH = 12,
    LATENCY_WIDTH = 13,
    SOCKET_WIDTH = 6,
    SOCKET_DIGITS = 3,
    CGROUP_ID_WIDTH = 20,
    TRANSACTION_WIDTH = 32
};

static uint32_t one_word(uint64_t v, uint64_t *word)
{
    *word = v;
    return 1;
}

static void number_cell(uint64_t v, size_t width, struct text *t)
{
    text_fmt(t, "%-*llu", (int)width, (unsigned long long)v);
}

/* --- Weights and latencies --------------------------------------------------------- */

static uint32_t weight_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    (void)c;
    return one_word(i->more->weight, word);
}

static int64_t weight_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return by_number(b->more->weight, a->more->weight);
}

static void local_weight_cell(const struct key_context *c, const struct subject *i,
                              size_t width, struct text *t)
{
    (void)c;
    number_cell(i->more->weight, width, t);
}

static void weight_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)c;
    number_cell(i->more->weight * i->more->samples, width, t);
}

static uint32_t weight_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return WEIGHT_WIDTH;
}

const struct key key_local_weight = {
    .name = "local_weight",
    .title = "Local Weight",
    .more = true,
    .words = weight_words,
    .compare = weight_compare,
    .cell = local_weight_cell,
    .width = weight_width,
};

const struct key key_weight = {
    .name = "weight",
    .title = "Weight",
    .more = true,
    .counts = true,
    .words = weight_words,
    .compare = weight_compare,
    .cell = weight_cell,
    .width = weight_width,
};

static uint32_t latency_words(struct key_context *c, const struct subject *i,
                              uint64_t *word)
{
    (void)c;
    return one_word(i->more->latency, word);
}

static int64_t latency_compare(const struct key_context *c, const struct subject *a,
                               const struct subject *b)
{
    (void)c;
    return (int64_t)a->more->latency - b->more->latency;
}

static void local_latency_cell(const struct key_context *c, const struct subject *i,
                               size_t width, struct text *t)
{
    (void)c;
    number_cell(i->more->latency, width, t);
}

static void latency_cell(const struct key_context *c, const struct subject *i,
                         size_t width, struct text *t)
{
    (void)c;
    number_cell((uint32_t)(i->more->latency * i->more->samples), width, t);
}

static uint32_t latency_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return LATENCY_WIDTH;
}

const struct key key_local_ins_lat = {
    .name = "local_ins_lat",
    .title = "Local INSTR Latency",
    .more = true,
    .words = latency_words,
    .compare = latency_compare,
    .cell = local_latency_cell,
    .width = latency_width,
};

const struct key key_ins_lat = {
    .name = "ins_lat",
    .title = "INSTR Latency",
    .more = true,
    .counts = true,
    .words = latency_words,
    .compare = latency_compare,
    .cell = latency_cell,
    .width = latency_width,
};

/* Of samples of other processors only. */
static uint32_t stage_words(struct key_context *c, const struct subject *i,
                            uint64_t *word)
{
    (void)c, (void)i;
    return one_word(0, word);
}

static int64_t stage_compare(const struct key_context *c, const struct subject *a,
                             const struct subject *b)
{
    (void)c, (void)a, (void)b;
    return 0;
}

static void stage_cell(const struct key_context *c, const struct subject *i,
                       size_t width, struct text *t)
{
    (void)c, (void)i;
    number_cell(0, width, t);
}

const struct key key_local_p_stage_cyc = {
    .name = "local_p_stage_cyc",
    .title = "Local Pipeline Stage Cycle",
    .words = stage_words,
    .compare = stage_compare,
    .cell = stage_cell,
    .width = latency_width,
};

const struct key key_p_stage_cyc = {
    .name = "p_stage_cyc",
    .title = "Pipeline Stage Cycle",
    .words = stage_words,
    .compare = stage_compare,
    .cell = stage_cell,
    .width = latency_width,
};

/* --- Transactions ------------------------------------------------------------------ */

static uint32_t transaction_words(struct key_context *c, const struct subject *i,
                                  uint64_t *word)
{
    (void)c;
    return one_word(i->more->transaction, word);
}

static int64_t transaction_compare(const struct key_context *c, const struct subject *a,
                                   const struct subject *b)
{
    (void)c;
    return by_number(b->more->transaction, a->more->transaction);
}

static void transaction_cell(const struct key_context *c, const struct subject *i,
                             size_t width, struct text *t)
{
    static const char *const bits[] = {"EL ",    "TX ",  "SYNC ",      "ASYNC ",
                                       "RETRY ", "CON ", "CAP-WRITE ", "CAP-READ "};
    const uint64_t v = i->more->transaction, sync = 1 << 2 | 1 << 3;
    const size_t from = t->len;

    (void)c;
    for (size_t k = 0; k < sizeof(bits) / sizeof(bits[0]); k++)
        if (v >> k & 1)
            text_str(t, bits[k]);
    if (v && !(v & sync))
        text_str(t, "NEITHER ");
    if (v >> 32)
        text_fmt(t, ":%llx ", (unsigned long long)(v >> 32));
    text_spaces(t, t->len - from < width ? width - (t->len - from) : 0);
}

static uint32_t transaction_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->more->transaction ? TRANSACTION_WIDTH : 0;
}

const struct key key_transaction = {
    .name = "transaction",
    .title = "Transaction                ",
    .more = true,
    .words = transaction_words,
    .compare = transaction_compare,
    .cell = transaction_cell,
    .width = transaction_width,
};

/* --- Pages ------------------------------------------------------------------------- */

static uint32_t page_words(struct key_context *c, const struct subject *i,
                           uint64_t *word)
{
    (void)c;
    return one_word(i->more->page_size, word);
}

static int64_t page_compare(const struct key_context *c, const struct subject *a,
                            const struct subject *b)
{
    (void)c;
    return by_number(a->more->page_size, b->more->page_size);
}

static void page_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    struct text size = {0};

    (void)c;
    out_page_size(&size, i->more->page_size);
    if (size.failed)
        t->failed = true;
    else
        text_put(t, size.at + 1, size.len - 1); /* it has a space in front */
    text_spaces(t, size.len < width + 1 ? width + 1 - size.len : 0);
    text_free(&size);
}

const struct key key_code_page_size = {
    .name = "code_page_size",
    .title = "Code Page Size",
    .more = true,
    .words = page_words,
    .compare = page_compare,
    .cell = page_cell,
    .width = key_no_width,
};

/* --- Cgroups ----------------------------------------------------------------------- */

static uint32_t cgroup_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    (void)c;
    return one_word(i->more->cgroup, word);
}

static int64_t cgroup_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return by_number(a->more->cgroup, b->more->cgroup);
}

static const char *cgroup_name(const struct key_context *c, const struct subject *i)
{
    const char *name = around_cgroup(c->around, i->more->cgroup);

    return !i->more->cgroup ? "N/A" : name ? name : "unknown";
}

static void cgroup_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)width;
    text_str(t, cgroup_name(c, i));
}

static uint32_t cgroup_width(const struct key_context *c, const struct subject *i)
{
    return i->more->cgroup ? (uint32_t)strlen(cgroup_name(c, i)) : 0;
}

const struct key key_cgroup = {
    .name = "cgroup",
    .title = "Cgroup",
    .more = true,
    .words = cgroup_words,
    .compare = cgroup_compare,
    .cell = cgroup_cell,
    .width = cgroup_width,
};

static uint32_t cgroup_id_words(struct key_context *c, const struct subject *i,
                                uint64_t *word)
{
    (void)c;
    word[0] = i->more->cgroup_dev;
    word[1] = i->more->cgroup_ino;
    return 2;
}

static int64_t cgroup_id_compare(const struct key_context *c, const struct subject *a,
                                 const struct subject *b)
{
    (void)c;
    return a->more->cgroup_dev != b->more->cgroup_dev
               ? by_number(a->more->cgroup_dev, b->more->cgroup_dev)
               : by_number(a->more->cgroup_ino, b->more->cgroup_ino);
}

static void cgroup_id_cell(const struct key_context *c, const struct subject *i,
                           size_t width, struct text *t)
{
    (void)c, (void)width;
    text_fmt(t, "%llu/0x%llx", (unsigned long long)i->more->cgroup_dev,
             (unsigned long long)i->more->cgroup_ino);
}

static uint32_t cgroup_id_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return CGROUP_ID_WIDTH;
}

const struct key key_cgroup_id = {
    .name = "cgroup_id",
    .title = "cgroup id (dev/inode)",
    .more = true,
    .words = cgroup_id_words,
    .compare = cgroup_id_compare,
    .cell = cgroup_id_cell,
    .width = cgroup_id_width,
};

/* --- Sockets ----------------------------------------------------------------------- */

static uint32_t socket_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    (void)c;
    return one_word((uint32_t)i->more->socket, word);
}

static int64_t socket_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return (int64_t)b->more->socket - a->more->socket;
}

static size_t digits_of(uint64_t v)
{
    size_t n = 0;

    for (; v; v /= 10)
        n++;
    return n;
}

/* As %*.*d of the width and three less: digits with zeros in front, none of a 0 in three columns,
 * and where there are fewer columns a number as usual.  The sign comes in addition. */
static void socket_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    const int64_t v = i->more->socket;
    const size_t digits = width > SOCKET_DIGITS ? width - SOCKET_DIGITS : 0;
    const size_t own = digits_of((uint64_t)(v < 0 ? -v : v));
    const size_t shown = (own > digits ? own : digits) + (v < 0);

    (void)c;
    if (width < SOCKET_DIGITS) {
        text_int(t, v, width);
        return;
    }
    text_spaces(t, width > shown ? width - shown : 0);
    if (v < 0)
        text_char(t, '-');
    for (size_t n = own; n < digits; n++)
        text_char(t, '0');
    if (own)
        text_dec(t, (uint64_t)(v < 0 ? -v : v), 0);
}

static uint32_t socket_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return SOCKET_WIDTH;
}

const struct key key_socket = {
    .name = "socket",
    .title = "Socket",
    .more = true,
    .words = socket_words,
    .compare = socket_compare,
    .cell = socket_cell,
    .width = socket_width,
};
