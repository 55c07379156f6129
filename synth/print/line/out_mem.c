/* out_mem.c - where a sample's data came from (PTS_SAMPLE_DATA_SRC), in perf's words.
 *
 * SPDX-License-Identifier: MIT
 *
 * The value is a row of bit fields.  Each word stands for a bit; several are joined by
 * " or ".  The text is as long as perf's buffer lets it be, and the column as wide as
 * the widest text so far.
 *
 *     bit   0    5     19     24    26   33   37    38    40   43
 *           op | lvl | snoop| lock| tlb| num|remote|snoopx|blk |hops
 */
#include "synth/print/line/out_cols.h"

#include <stdio.h>
#include <string.h>

enum { MEM_TEXT = 100 };

struct mem_text {
    char at[MEM_TEXT];
    size_t len;
};

/* What is longer is cut without a word, as it is by scnprintf in perf. */
static void add(struct mem_text *m, const char *s)
{
    size_t n = strlen(s), room = sizeof(m->at) - 1 - m->len;

    n = n < room ? n : room;
    memcpy(m->at + m->len, s, n);
    m->len += n;
}

/* The words of the bits in v; returns how many are in the text now. */
static size_t add_bits(struct mem_text *m, uint64_t v, const char *const *word,
                       size_t words, size_t before)
{
    for (size_t i = 0; i < words; i++) {
        if (!(v >> i & 1) || !word[i])
            continue;
        if (before++)
            add(m, " or ");
        add(m, word[i]);
    }
    return before;
}

static void add_hit_miss(struct mem_text *m, uint64_t v)
{
    if (v & 2)
        add(m, " hit");
    if (v & 4)
        add(m, " miss");
}

/* Only the lowest bit counts: an operation is one thing. */
static void add_op(struct mem_text *m, uint64_t v)
{
    static const char *const word[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};
    size_t i = 0;

    while (i < 5 && !(v >> i & 1))
        i++;
    add(m, i < 5 ? word[i] : "No");
}

/* The newer form of the level is a number, of which the first eight are caches. */
static const char *level_name(unsigned n, char buf[4])
{
    static const char *const word[] = {"CXL", "I/O",  "Any cache", "LFB/MAB",
                                       "RAM", "PMEM", "N/A"};
    if (n >= 9)
        return word[n - 9];
    snprintf(buf, 4, "L%u", n);
    return buf;
}

static void add_level(struct mem_text *m, uint64_t v)
{
    /* Bits 1 and 2 say hit and miss. */
    static const char *const word[14] = {
        "N/A",
        NULL,
        NULL,
        "L1",
        "LFB/MAB",
        "L2",
        "L3",
        "Local RAM",
        "Remote RAM (1 hop)",
        "Remote RAM (2 hops)",
        "Remote Cache (1 hop)",
        "Remote Cache (2 hops)",
        "I/O",
        "Uncached",
    };
    /* perf's table has four words, and printf says "(null)" for the rest. */
    static const char *const hops[8] = {"",
                                        "core, same node ",
                                        "node, same socket ",
                                        "socket, same board ",
                                        "board ",
                                        "(null) ",
                                        "(null) ",
                                        "(null) "};
    uint64_t level = v >> 5 & 0x3fff;
    unsigned number = v >> 33 & 15;
    char buf[4];

    size_t start = m->len;
    if (v >> 37 & 1)
        add(m, "Remote ");
    add(m, hops[v >> 43 & 7]);
    /* Hops say it better: the bits are left out. */
    size_t n = v >> 43 & 7 ? 0 : add_bits(m, level, word, 14, 0);
    if (number) {
        if (n)
            add(m, " or ");
        add(m, level_name(number, buf));
    }
    if (m->len == start)
        add(m, "N/A");
    add_hit_miss(m, level);
}

static void add_snoop(struct mem_text *m, uint64_t v)
{
    static const char *const word[] = {"N/A", "None", "Hit", "Miss", "HitM"};
    static const char *const more[] = {"Fwd", "Peer"};

    size_t n = add_bits(m, v >> 19 & 31, word, 5, 0);
    if (!add_bits(m, v >> 38 & 3, more, 2, n))
        add(m, "N/A");
}

static void add_tlb(struct mem_text *m, uint64_t v)
{
    static const char *const word[] = {"N/A", NULL,     NULL,   "L1",
                                       "L2",  "Walker", "Fault"};
    uint64_t tlb = v >> 26 & 0x7f;

    if (!add_bits(m, tlb, word, 7, 0))
        add(m, "N/A");
    add_hit_miss(m, tlb);
}

static void add_lock(struct mem_text *m, uint64_t v)
{
    static const char *const word[] = {"No", "N/A", "Yes", "N/A"};

    add(m, word[v >> 24 & 3]);
}

/* Bit 0 is "not available".  Each word has a blank in front of it, as in perf, so there
 * are two blanks behind BLK. */
static void add_block(struct mem_text *m, uint64_t v)
{
    unsigned block = v >> 40 & 7;

    if (!block || block & 1)
        add(m, " N/A");
    else if (block & 2)
        add(m, " Data");
    if (!(block & 1) && block & 4)
        add(m, " Addr");
}

typedef void add_fn(struct mem_text *m, uint64_t v);

static const struct {
    const char *label;
    add_fn *add;
    size_t most; /* perf's buffer for it alone */
} parts[] = {
    [OUT_MEM_OP] = {"|OP ",  add_op,    0 },
    [OUT_MEM_LEVEL] = {"|LVL ", add_level, 63},
    [OUT_MEM_SNOOP] = {"|SNP ", add_snoop, 63},
    [OUT_MEM_TLB] = {"|TLB ", add_tlb,   63},
    [OUT_MEM_LOCK] = {"|LCK ", add_lock,  9 },
    [OUT_MEM_BLOCK] = {"|BLK ", add_block, 15},
};

static struct mem_text words_of(uint64_t v)
{
    struct mem_text m = {.len = 0};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        add(&m, parts[i].label);
        parts[i].add(&m, v);
    }
    return m;
}

void out_mem_part(struct text *t, uint64_t v, enum out_mem part)
{
    struct mem_text m = {.len = 0};

    parts[part].add(&m, v);
    text_put(t, m.at, m.len < parts[part].most ? m.len : parts[part].most);
}

void out_data_src_words(struct text *t, uint64_t v)
{
    const struct mem_text m = words_of(v);

    text_put(t, m.at, m.len);
}

void out_data_src(struct text *t, uint64_t v, size_t *width)
{
    const struct mem_text m = words_of(v);
    char out[MEM_TEXT];

    int n = snprintf(out, sizeof(out), "%16llx %.*s", (unsigned long long)v, (int)m.len,
                     m.at);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof(out) ? (size_t)n : sizeof(out) - 1;
    /* The column only grows: lines before are out already. */
    *width = len > *width ? len : *width;
    text_put(t, out, len);
    text_spaces(t, *width - len);
}
