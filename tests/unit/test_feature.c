/* test_feature.c - feature sections: whole, cut anywhere, with counts that lie, and in
 * both byte orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/bytes.h"
#include "tests/lib/t.h"

#include <ptscript/features.h>

/* A section being written in either byte order. */
struct made {
    uint8_t at[2048];
    size_t len;
    bool foreign;
};

static void put(struct made *m, const void *p, size_t n)
{
    memcpy(m->at + m->len, p, n);
    m->len += n;
}

static void put32(struct made *m, uint32_t v)
{
    v = m->foreign ? __builtin_bswap32(v) : v;
    put(m, &v, 4);
}

static void put64(struct made *m, uint64_t v)
{
    v = m->foreign ? __builtin_bswap64(v) : v;
    put(m, &v, 8);
}

static void put_str(struct made *m, const char *s)
{
    static const char zeros[8];
    size_t n = strlen(s) + 1;
    put32(m, (uint32_t)(n + 3) & ~3u);
    put(m, s, n);
    put(m, zeros, (4 - n % 4) % 4);
}

static struct pts_feature_iter begin(const struct made *m, uint32_t id)
{
    struct pts_feature_iter it = pts_feature_begin(id, m->at, m->len, m->foreign);
    pts_feature_set_cpus(&it, 2);
    return it;
}

/* A small section of every shape; how many items it has. */
static unsigned make(struct made *m, uint32_t id, bool foreign)
{
    memset(m, 0, sizeof(*m));
    m->foreign = foreign;
    switch (id) {
    case PTS_FEAT_HOSTNAME:
        put_str(m, "host");
        return 1;
    case PTS_FEAT_NRCPUS:
        put32(m, 2);
        put32(m, 1);
        return 1;
    case PTS_FEAT_TOTAL_MEM:
        put64(m, 5);
        return 1;
    case PTS_FEAT_CMDLINE:
        put32(m, 2);
        put_str(m, "a");
        put_str(m, "b");
        return 2;
    case PTS_FEAT_EVENT_DESC:
        put32(m, 1);
        put32(m, 64);
        put32(m, 6);
        put32(m, 64);
        put64(m, 0x123456789a);
        for (int i = 0; i < 3; i++)
            put64(m, 0);
        /* disabled and sample_id_all: from the lowest bit on, or from the highest */
        put64(m, foreign ? UINT64_C(1) << 63 | UINT64_C(1) << 45 : 1 | 1 << 18);
        put64(m, 0);
        put64(m, 0);
        put32(m, 2);
        put_str(m, "pt");
        put64(m, 7);
        put64(m, 8);
        return 1;
    case PTS_FEAT_CPU_TOPOLOGY:
        put32(m, 1);
        put_str(m, "0-1");
        put32(m, 2);
        put_str(m, "0");
        put_str(m, "1");
        for (uint32_t i = 0; i < 4; i++)
            put32(m, i);
        put32(m, 1);
        put_str(m, "0-1");
        put32(m, 8);
        put32(m, 9);
        return 6;
    case PTS_FEAT_MEM_TOPOLOGY:
        put64(m, 1);
        put64(m, 16);
        put64(m, 1);
        put64(m, 3);
        put64(m, 65);
        put64(m, 65);
        put64(m, 1);
        put64(m, 1);
        return 2;
    case PTS_FEAT_PMU_CAPS:
        put32(m, 2);
        put32(m, 1);
        put_str(m, "n");
        put_str(m, "v");
        put_str(m, "cpu_core");
        put32(m, 0);
        put_str(m, "cpu_atom");
        return 3;
    case PTS_FEAT_CACHE:
        put32(m, 1);
        put32(m, 1);
        for (uint32_t i = 1; i < 5; i++)
            put32(m, i);
        put_str(m, "Data");
        put_str(m, "32K");
        put_str(m, "0");
        return 1;
    case PTS_FEAT_AUXTRACE:
        put64(m, 1);
        put64(m, 100);
        put64(m, 48);
        return 1;
    }
    return 0;
}

static const uint32_t shapes[] = {
    PTS_FEAT_HOSTNAME,     PTS_FEAT_NRCPUS,     PTS_FEAT_TOTAL_MEM,
    PTS_FEAT_CMDLINE,      PTS_FEAT_EVENT_DESC, PTS_FEAT_CPU_TOPOLOGY,
    PTS_FEAT_MEM_TOPOLOGY, PTS_FEAT_PMU_CAPS,   PTS_FEAT_CACHE,
    PTS_FEAT_AUXTRACE,
};

static pts_status count_items(struct pts_feature_iter it, unsigned *n)
{
    struct pts_feature_item item;
    pts_status st;
    *n = 0;
    while ((st = pts_feature_next(&it, &item)) == PTS_OK)
        ++*n;
    return st;
}

T(whole_sections_in_both_byte_orders)
{
    struct made m;
    unsigned n;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (int foreign = 0; foreign < 2; foreign++) {
            unsigned want = make(&m, shapes[i], foreign);
            EQ(count_items(begin(&m, shapes[i]), &n), PTS_END);
            EQ(n, want);
        }
    }
}

/* The items in front of the cut stay, there are no more, and it is told. */
T(sections_cut_anywhere)
{
    struct made m;
    unsigned n, before;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        unsigned want = make(&m, shapes[i], false);
        before = 0;
        for (size_t len = m.len, cut = 0; cut < len; cut++) {
            m.len = cut;
            pts_status st = count_items(begin(&m, shapes[i]), &n);
            /* a topology may end behind the threads, as in older files */
            CHECK(st == PTS_E_RANGE ||
                  (shapes[i] == PTS_FEAT_CPU_TOPOLOGY && st == PTS_END));
            CHECK(n >= before && n <= want);
            before = st == PTS_END ? before : n;
        }
    }
}

T(items_hold_what_was_written)
{
    struct made m;
    struct pts_feature_item item;
    for (int foreign = 0; foreign < 2; foreign++) {
        make(&m, PTS_FEAT_EVENT_DESC, foreign);
        struct pts_feature_iter it = begin(&m, PTS_FEAT_EVENT_DESC);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        EQ(item.kind, PTS_ITEM_EVENT);
        STREQ(item.u.event.name, "pt");
        EQ(item.u.event.ids.count, 2);
        EQ(pts_word(&item.u.event.ids, 1), 8);

        make(&m, PTS_FEAT_CPU_TOPOLOGY, foreign);
        it = begin(&m, PTS_FEAT_CPU_TOPOLOGY);
        for (int i = 0; i < 4; i++)
            EQ(pts_feature_next(&it, &item), PTS_OK);
        EQ(item.kind, PTS_ITEM_DIE);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        EQ(item.kind, PTS_ITEM_CPU);
        EQ(item.index, 1);
        EQ(item.u.cpu.core, 2);
        EQ(item.u.cpu.socket, 3);
        EQ(item.u.cpu.die, 9);

        make(&m, PTS_FEAT_PMU_CAPS, foreign);
        it = begin(&m, PTS_FEAT_PMU_CAPS);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        STREQ(item.u.caps.pmu, "cpu_core");
        EQ(pts_feature_next(&it, &item), PTS_OK);
        STREQ(item.u.cap.pmu, "cpu_core");
        STREQ(item.u.cap.value, "v");
        EQ(pts_feature_next(&it, &item), PTS_OK);
        EQ(item.u.caps.count, 0);

        make(&m, PTS_FEAT_MEM_TOPOLOGY, foreign);
        it = begin(&m, PTS_FEAT_MEM_TOPOLOGY);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        EQ(item.u.memory.block_size, 16);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        EQ(item.u.memory_node.bits, 65);
        EQ(pts_word(&item.u.memory_node.present, 1), 1);
    }
}

/* The attributes of events are swapped with the rest. */
T(attributes_of_either_order)
{
    struct made m;
    struct pts_feature_item item;
    for (int foreign = 0; foreign < 2; foreign++) {
        make(&m, PTS_FEAT_EVENT_DESC, foreign);
        struct pts_feature_iter it = begin(&m, PTS_FEAT_EVENT_DESC);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        EQ(item.u.event.attr.type, 6);
        EQ(item.u.event.attr.size, 64);
        EQ(item.u.event.attr.config, 0x123456789a);
        EQ(item.u.event.attr.flags, 1 | 1 << 18);
    }
}

/* A count that the bytes cannot hold ends the section, it does not fill memory. */
T(huge_counts)
{
    static const uint32_t counted[] = {
        PTS_FEAT_CMDLINE,         PTS_FEAT_EVENT_DESC,   PTS_FEAT_CPU_TOPOLOGY,
        PTS_FEAT_NUMA_TOPOLOGY,   PTS_FEAT_PMU_MAPPINGS, PTS_FEAT_GROUP_DESC,
        PTS_FEAT_BPF_PROG_INFO,   PTS_FEAT_BPF_BTF,      PTS_FEAT_CPU_PMU_CAPS,
        PTS_FEAT_HYBRID_TOPOLOGY, PTS_FEAT_PMU_CAPS,     PTS_FEAT_HOSTNAME};
    unsigned n;
    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
        for (size_t extra = 0; extra < 3; extra++) {
            struct made m = {.len = 0};
            put32(&m, UINT32_MAX);
            for (size_t k = 0; k < extra; k++)
                put32(&m, UINT32_MAX);
            EQ(count_items(begin(&m, counted[i]), &n), PTS_E_RANGE);
            EQ(n, 0);
        }
    }
}

T(versions_not_known)
{
    static const uint32_t versioned[] = {PTS_FEAT_CACHE, PTS_FEAT_CLOCK_DATA,
                                         PTS_FEAT_MEM_TOPOLOGY};
    unsigned n;
    for (size_t i = 0; i < 3; i++) {
        struct made m = {.len = 0};
        put64(&m, 2);
        put64(&m, 0);
        EQ(count_items(begin(&m, versioned[i]), &n), PTS_E_UNSUPPORTED);
        EQ(n, 0);
    }
}

/* Sections nobody knows are carried as bytes. */
T(unknown_sections)
{
    struct made m = {.len = 0};
    struct pts_feature_item item;
    put32(&m, 77);
    struct pts_feature_iter it = begin(&m, 200);
    EQ(pts_feature_next(&it, &item), PTS_OK);
    EQ(item.kind, PTS_ITEM_BYTES);
    EQ(item.u.bytes.len, 4);
    CHECK(item.u.bytes.ptr == m.at);
    EQ(pts_feature_next(&it, &item), PTS_END);
    CHECK(!pts_feature_name(200));
    STREQ(pts_feature_name(PTS_FEAT_PMU_CAPS), "PMU_CAPS");
}

/* {header, pid, id, path}; the first perf had no pid. */
T(build_ids_of_old_and_new)
{
    static const char kernel[] = "[kernel.kallsyms]";
    for (int old = 0; old < 2; old++) {
        struct made m = {.len = 0};
        struct pts_feature_item item;
        uint8_t id[24] = {0xab};
        uint16_t half[2] = {1, (uint16_t)(8 + (old ? 0 : 4) + 24 + 24)};
        put32(&m, 0);
        put(&m, half, 4);
        if (!old)
            put32(&m, UINT32_MAX);
        put(&m, id, sizeof(id));
        put(&m, kernel, sizeof(kernel));
        m.len += 24 - sizeof(kernel);
        struct pts_feature_iter it = begin(&m, PTS_FEAT_BUILD_ID);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        STREQ(item.u.build_id.path, kernel);
        EQ(item.u.build_id.pid, -1);
        EQ(item.u.build_id.id.len, 20);
        EQ(item.u.build_id.id.ptr[0], 0xab);
        EQ(pts_feature_next(&it, &item), PTS_END);
    }
}

T_RUN(T_CASE(whole_sections_in_both_byte_orders), T_CASE(sections_cut_anywhere),
      T_CASE(items_hold_what_was_written), T_CASE(attributes_of_either_order),
      T_CASE(huge_counts), T_CASE(versions_not_known), T_CASE(unknown_sections),
      T_CASE(build_ids_of_old_and_new))
