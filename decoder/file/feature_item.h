/* feature_item.h - the functions that read the next item of a feature section.
 *
 * SPDX-License-Identifier: MIT
 *
 * A string is {u32 length, bytes padded with zeros to that length}.  Most sections are
 * one item, or {u32 count, items}.  A function says what it read by item->kind, and how
 * it went by what it returns and by the reader having run dry.  Only the table in
 * feature.c calls them.
 */
#ifndef PTS_DECODER_FILE_FEATURE_ITEM_H
#define PTS_DECODER_FILE_FEATURE_ITEM_H

#include "decoder/base/bytes.h"

#include <ptscript/features.h>

/* it.stage; sections in parts go on counting. */
enum { FRESH, OPENED, PART_2, PART_3, PART_4, DONE };

/* What is left of a section, read in its byte order. */
struct cut {
    struct reader r;
    bool foreign;
};

static inline uint32_t cut_u32(struct cut *c)
{
    uint32_t v = reader_u32(&c->r);
    return c->foreign ? __builtin_bswap32(v) : v;
}

static inline uint64_t cut_u64(struct cut *c)
{
    uint64_t v = reader_u64(&c->r);
    return c->foreign ? __builtin_bswap64(v) : v;
}

static inline struct pts_bytes cut_bytes(struct cut *c, uint64_t n)
{
    if (n > reader_left(&c->r))
        c->r.bad = true;
    const uint8_t *p = reader_take(&c->r, (size_t)n);
    return (struct pts_bytes){p, p ? (size_t)n : 0};
}

static inline struct pts_words cut_words(struct cut *c, uint64_t n)
{
    if (n > reader_left(&c->r) / 8)
        c->r.bad = true;
    const uint8_t *p = reader_take(&c->r, (size_t)n * 8);
    return (struct pts_words){p, p ? n : 0, c->foreign};
}

static inline const char *cut_str(struct cut *c)
{
    struct pts_bytes b = cut_bytes(c, cut_u32(c));
    if (!b.len || !memchr(b.ptr, 0, b.len)) {
        c->r.bad = true;
        return "";
    }
    return (const char *)b.ptr;
}

/* Whether a section of {count, items} has one more. */
static inline bool one_more(struct pts_feature_iter *it, struct cut *c)
{
    if (it->stage == FRESH) {
        it->stage = OPENED;
        it->left = cut_u32(c);
    }
    if (it->left == 0)
        return false;
    it->left--;
    return true;
}

typedef pts_status item_fn(struct pts_feature_iter *it, struct cut *c,
                           struct pts_feature_item *item);

/* feature_item.c */
item_fn item_bytes, item_text, item_cpus, item_number, item_word, item_event, item_node,
    item_none, item_pmu, item_group, item_auxtrace, item_cache, item_times,
    item_bpf_program, item_bpf_btf, item_compressed, item_cap, item_clock, item_hybrid;
/* feature_parts.c */
item_fn item_build_id, item_topology, item_memory, item_caps;

#endif
