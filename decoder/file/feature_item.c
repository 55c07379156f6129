/* feature_item.c - sections that are one item, or a count and as many items.
 *
 * SPDX-License-Identifier: MIT
 *
 * Counts are believed as long as there are bytes: an item that is not all there ends
 * the section.
 *
 * A function is called for each item and gets the iterator and a cursor over what is
 * left of the section.  Its layout stands above it, as perf writes it; strings are u32
 * length, bytes.
 */
#include "decoder/file/feature_item.h"

#include "decoder/file/perf_attr.h"

/* --- One item -------------------------------------------------------------------- */

pts_status item_text(struct pts_feature_iter *it, struct cut *c,
                     struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_TEXT;
    item->u.text = cut_str(c);
    return PTS_OK;
}

pts_status item_number(struct pts_feature_iter *it, struct cut *c,
                       struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_NUMBER;
    item->u.number = cut_u64(c);
    return PTS_OK;
}

pts_status item_bytes(struct pts_feature_iter *it, struct cut *c,
                      struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_BYTES;
    item->u.bytes = cut_bytes(c, reader_left(&c->r));
    return PTS_OK;
}

pts_status item_none(struct pts_feature_iter *it, struct cut *c,
                     struct pts_feature_item *item)
{
    (void)it, (void)c, (void)item;
    return PTS_END;
}

pts_status item_cpus(struct pts_feature_iter *it, struct cut *c,
                     struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_CPUS;
    item->u.cpus.available = cut_u32(c);
    item->u.cpus.online = cut_u32(c);
    return PTS_OK;
}

pts_status item_times(struct pts_feature_iter *it, struct cut *c,
                      struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_TIMES;
    item->u.times.first = cut_u64(c);
    item->u.times.last = cut_u64(c);
    return PTS_OK;
}

/* {u32 version, type, level, ratio, bytes packed at once} */
pts_status item_compressed(struct pts_feature_iter *it, struct cut *c,
                           struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_COMPRESSED;
    item->u.compressed.version = cut_u32(c);
    item->u.compressed.type = cut_u32(c);
    item->u.compressed.level = cut_u32(c);
    item->u.compressed.ratio = cut_u32(c);
    item->u.compressed.mmap_len = cut_u32(c);
    return PTS_OK;
}

/* {u32 version 1, clock id, u64 time of day, time on that clock} */
pts_status item_clock(struct pts_feature_iter *it, struct cut *c,
                      struct pts_feature_item *item)
{
    it->stage = DONE;
    if (cut_u32(c) != 1)
        return PTS_E_UNSUPPORTED;
    item->kind = PTS_ITEM_CLOCK;
    item->u.clock.id = cut_u32(c);
    item->u.clock.time_of_day = cut_u64(c);
    item->u.clock.on_clock = cut_u64(c);
    return PTS_OK;
}

/* --- Counted items --------------------------------------------------------------- */

/* {u32 count, strings} */
pts_status item_word(struct pts_feature_iter *it, struct cut *c,
                     struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_TEXT;
    item->u.text = cut_str(c);
    return PTS_OK;
}

/* {u32 count, bytes of an attribute, {attribute, u32 ids, string name, u64 ids} ...} */
pts_status item_event(struct pts_feature_iter *it, struct cut *c,
                      struct pts_feature_item *item)
{
    bool fresh = it->stage == FRESH;
    bool more = one_more(it, c);
    /* Only in front of the first item. */
    if (fresh)
        it->extra = cut_u32(c);
    if (!more)
        return PTS_END;
    struct pts_bytes attr = cut_bytes(c, it->extra);
    uint32_t ids = cut_u32(c);
    item->kind = PTS_ITEM_EVENT;
    if (attr.ptr)
        attr_read(attr.ptr, attr.len, c->foreign, &item->u.event.attr);
    item->u.event.name = cut_str(c);
    item->u.event.ids = cut_words(c, ids);
    return PTS_OK;
}

/* {u32 count, {u32 number, u64 total, available, string cpus} ...} */
pts_status item_node(struct pts_feature_iter *it, struct cut *c,
                     struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_NODE;
    item->u.node.number = cut_u32(c);
    item->u.node.total = cut_u64(c);
    item->u.node.available = cut_u64(c);
    item->u.node.cpus = cut_str(c);
    return PTS_OK;
}

/* {u32 count, {u32 type, string name} ...} */
pts_status item_pmu(struct pts_feature_iter *it, struct cut *c,
                    struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_PMU;
    item->u.pmu.type = cut_u32(c);
    item->u.pmu.name = cut_str(c);
    return PTS_OK;
}

/* {u32 count, {string name, u32 leader, members} ...}: indices of events */
pts_status item_group(struct pts_feature_iter *it, struct cut *c,
                      struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_GROUP;
    item->u.group.name = cut_str(c);
    item->u.group.leader = cut_u32(c);
    item->u.group.members = cut_u32(c);
    return PTS_OK;
}

/* {u32 version 1, count, {u32 level, line, sets, ways, 3 strings} ...} */
pts_status item_cache(struct pts_feature_iter *it, struct cut *c,
                      struct pts_feature_item *item)
{
    if (it->stage == FRESH && cut_u32(c) != 1)
        return PTS_E_UNSUPPORTED;
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_CACHE;
    item->u.cache.level = cut_u32(c);
    item->u.cache.line_size = cut_u32(c);
    item->u.cache.sets = cut_u32(c);
    item->u.cache.ways = cut_u32(c);
    item->u.cache.type = cut_str(c);
    item->u.cache.size = cut_str(c);
    item->u.cache.cpus = cut_str(c);
    return PTS_OK;
}

/* {u32 count, {string pmu, cpus} ...} */
pts_status item_hybrid(struct pts_feature_iter *it, struct cut *c,
                       struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_HYBRID;
    item->u.hybrid.pmu = cut_str(c);
    item->u.hybrid.cpus = cut_str(c);
    return PTS_OK;
}

/* {u32 count, {u32 bytes of info, of data, u64 arrays, info, data} ...} */
pts_status item_bpf_program(struct pts_feature_iter *it, struct cut *c,
                            struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    uint32_t info = cut_u32(c), data = cut_u32(c);
    item->kind = PTS_ITEM_BPF_PROGRAM;
    item->u.bpf_program.arrays = cut_u64(c);
    item->u.bpf_program.info = cut_bytes(c, info);
    item->u.bpf_program.data = cut_bytes(c, data);
    return PTS_OK;
}

/* {u32 count, {u32 id, bytes, data} ...} */
pts_status item_bpf_btf(struct pts_feature_iter *it, struct cut *c,
                        struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_BPF_BTF;
    item->u.bpf_btf.id = cut_u32(c);
    item->u.bpf_btf.data = cut_bytes(c, cut_u32(c));
    return PTS_OK;
}

/* {u32 count, {string name, value} ...}, all of the PMU "cpu" */
pts_status item_cap(struct pts_feature_iter *it, struct cut *c,
                    struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_CAP;
    item->u.cap.pmu = "cpu";
    item->u.cap.name = cut_str(c);
    item->u.cap.value = cut_str(c);
    return PTS_OK;
}

/* {u64 count, {u64 offset, size} ...} */
pts_status item_auxtrace(struct pts_feature_iter *it, struct cut *c,
                         struct pts_feature_item *item)
{
    if (it->stage == FRESH) {
        it->stage = OPENED;
        uint64_t n = cut_u64(c);
        /* More than there can be bytes for; the section ends first. */
        it->left = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    }
    if (it->left == 0)
        return PTS_END;
    it->left--;
    item->kind = PTS_ITEM_AUXTRACE;
    item->u.auxtrace.offset = cut_u64(c);
    item->u.auxtrace.size = cut_u64(c);
    return PTS_OK;
}
