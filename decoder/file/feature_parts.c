/* feature_parts.c - sections whose items are of several kinds, or not told by a count.
 *
 * SPDX-License-Identifier: MIT
 *
 * What comes next depends on what has come: it.stage says in which part the reading is.
 */
#include "decoder/file/feature_item.h"

#include <ptscript/record.h>

/* {u64 version, block size, count, {u64 number, blocks, bits, words} ...} */
pts_status item_memory(struct pts_feature_iter *it, struct cut *c,
                       struct pts_feature_item *item)
{
    if (it->stage == FRESH) {
        it->stage = OPENED;
        if (cut_u64(c) != 1)
            return PTS_E_UNSUPPORTED;
        item->kind = PTS_ITEM_MEMORY;
        item->u.memory.block_size = cut_u64(c);
        uint64_t n = item->u.memory.nodes = cut_u64(c);
        it->left = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
        return PTS_OK;
    }
    if (it->left == 0)
        return PTS_END;
    it->left--;
    item->kind = PTS_ITEM_MEMORY_NODE;
    item->u.memory_node.number = cut_u64(c);
    item->u.memory_node.blocks = cut_u64(c);
    uint64_t bits = item->u.memory_node.bits = cut_u64(c);
    item->u.memory_node.present = cut_words(c, bits / 64 + (bits % 64 != 0));
    return PTS_OK;
}

/* The caps of a PMU stand before its name: look ahead for it. */
static const char *caps_name(struct cut c, uint32_t caps)
{
    for (uint32_t i = 0; i < caps && !c.r.bad; i++) {
        cut_str(&c);
        cut_str(&c);
    }
    const char *name = cut_str(&c);
    return c.r.bad ? NULL : name;
}

/* An item for the PMU with its name, then one for each of its caps. */
pts_status item_caps(struct pts_feature_iter *it, struct cut *c,
                     struct pts_feature_item *item)
{
    if (it->stage == PART_2 && it->extra > 0) {
        it->extra--;
        item->kind = PTS_ITEM_CAP;
        item->u.cap.pmu = it->name;
        item->u.cap.name = cut_str(c);
        item->u.cap.value = cut_str(c);
        return PTS_OK;
    }
    /* The name behind the last PMU's caps: it was told already. */
    if (it->stage == PART_2)
        cut_str(c);
    if (!one_more(it, c))
        return PTS_END;
    it->stage = PART_2;
    it->extra = cut_u32(c);
    it->name = caps_name(*c, it->extra);
    if (!it->name)
        return PTS_E_RANGE;
    item->kind = PTS_ITEM_CAPS;
    item->u.caps.pmu = it->name;
    item->u.caps.count = it->extra;
    return PTS_OK;
}

/*     sockets, threads | {core, socket} of each CPU | dies | die of each CPU
 *                      ^ older perf ends here       ^ or here
 * The parts are OPENED (sockets), PART_2 (threads), PART_3 (dies) and PART_4 (CPUs). */
static void topology_part(struct pts_feature_iter *it, struct cut *c)
{
    switch (it->stage++) {
    case OPENED:
        it->left = cut_u32(c);
        return;
    case PART_2:
        if (!reader_left(&c->r))
            it->cpus = 0;
        it->cores = cut_bytes(c, (uint64_t)it->cpus * 8).ptr;
        if (reader_left(&c->r)) {
            it->left = cut_u32(c);
            return;
        }
        it->stage = PART_4;
        break;
    case PART_3:
        it->dies = cut_bytes(c, (uint64_t)it->cpus * 4).ptr;
        break;
    }
    it->left = it->cpus;
}

static void topology_cpu(const struct pts_feature_iter *it,
                         struct pts_feature_item *item)
{
    size_t i = it->cpus - it->left;
    /* CPUs are told when all parts have been seen, with what was noted on the way. */
    struct cut core = {reader_of(it->cores + 8 * i, 8), it->swap};
    item->kind = PTS_ITEM_CPU;
    item->u.cpu.core = (int32_t)cut_u32(&core);
    item->u.cpu.socket = (int32_t)cut_u32(&core);
    item->u.cpu.die = -1;
    item->u.cpu.has_die = it->dies != NULL;
    if (it->dies) {
        struct cut die = {reader_of(it->dies + 4 * i, 4), it->swap};
        item->u.cpu.die = (int32_t)cut_u32(&die);
    }
}

pts_status item_topology(struct pts_feature_iter *it, struct cut *c,
                         struct pts_feature_item *item)
{
    static const uint8_t kinds[] = {[OPENED] = PTS_ITEM_SOCKET,
                                    [PART_2] = PTS_ITEM_THREAD,
                                    [PART_3] = PTS_ITEM_DIE};
    if (it->stage == PART_4 && --it->left == 0)
        return PTS_END;
    while (it->stage != PART_4 && !c->r.bad && !one_more(it, c))
        topology_part(it, c);
    if (c->r.bad || (it->stage == PART_4 && it->left == 0))
        return PTS_END;
    if (it->stage == PART_4) {
        topology_cpu(it, item);
        return PTS_OK;
    }
    item->kind = kinds[it->stage];
    item->u.text = cut_str(c);
    return PTS_OK;
}

/* Records as HEADER_BUILD_ID, one behind the other.  perf 2.6.33 had no pid in them, by
 * which the first, which is the kernel's, gives itself away. */
pts_status item_build_id(struct pts_feature_iter *it, struct cut *c,
                         struct pts_feature_item *item)
{
    enum { HEAD = 8, PID = 4, ID = 24, SIZE_AT = 20 };
    static const char cut_name[] = "nel.kallsyms]";
    const uint8_t *p = c->r.at;
    size_t left = reader_left(&c->r);
    if (left == 0)
        return PTS_END;
    if (it->stage == FRESH) {
        it->stage = OPENED;
        it->extra = left >= HEAD + PID + ID + sizeof(cut_name) &&
                            !memcmp(p + HEAD + PID + ID, cut_name, sizeof(cut_name))
                        ? 0
                        : PID;
    }
    if (left < HEAD)
        return PTS_E_RANGE;
    /* This section is not turned around with the records, though it is made of some. */
    uint16_t misc = rd_u16(p + 4), size = rd_u16(p + 6);
    if (c->foreign) {
        misc = __builtin_bswap16(misc);
        size = __builtin_bswap16(size);
    }
    struct cut one = {reader_of(p, size <= left ? size : 0), c->foreign};
    cut_bytes(&one, HEAD);
    item->kind = PTS_ITEM_BUILD_ID;
    item->u.build_id.misc = misc;
    item->u.build_id.pid = it->extra ? (int32_t)cut_u32(&one) : -1;
    item->u.build_id.id = cut_bytes(&one, ID);
    const uint8_t *id = item->u.build_id.id.ptr;
    item->u.build_id.id.len = PTS_BUILD_ID_MAX;
    if (id && misc & PTS_MISC_BUILD_ID_SIZE && id[SIZE_AT] < PTS_BUILD_ID_MAX)
        item->u.build_id.id.len = id[SIZE_AT];
    item->u.build_id.path = (const char *)one.r.at;
    if (one.r.bad || !memchr(one.r.at, 0, reader_left(&one.r)))
        return PTS_E_RANGE;
    cut_bytes(c, size);
    return PTS_OK;
}
