/* test_file_lies.c - a file's header and its sections, where they are not true.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records that lie are in test_rec_lies.c, counts of other sections in test_feature.c,
 * packed records and directories in test_container.c.
 *
 *     lies about                                   test
 *     sizes and offsets in the header              header_words, what_is_refused
 *     size of attributes, section of their ids     attribute_sizes, id_sections
 *     table of feature sections                    feature_table
 *     index of the trace: count, offsets, sizes    trace_index
 *     items of sections with 64-bit counts         section_words, build_id_sizes
 *     AUXTRACE_INFO: words, length of the filter   trace_info
 */
#include "decoder/open/perf_open.h"
#include "decoder/aux/auxtrace.h"
#include "decoder/file/perf_feat.h"
#include "decoder/record/perf_order.h"
#include "tests/lib/mkdata.h"
#include "tests/lib/open_bytes.h"
#include "tests/lib/t.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct mkdata m;
static uint64_t attrs_at, table_at, trace_at;
static const uint8_t psb[16] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
                                2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};
static const uint8_t arch[] = {8, 0, 0, 0, 'x', '8', '6', '_', '6', '4', 0, 0};
static const uint64_t everywhere[] = {0,
                                      1,
                                      7,
                                      8,
                                      16,
                                      63,
                                      104,
                                      1000,
                                      1u << 16,
                                      1u << 31,
                                      UINT64_C(1) << 32,
                                      UINT64_C(1) << 60,
                                      UINT64_C(1) << 61,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX - 103,
                                      UINT64_MAX - 7,
                                      UINT64_MAX};

/* Two events, trace, an index of it and a string. */
static void make(void)
{
    static uint64_t index[3] = {1, 0, 48};
    mk_begin(&m, false);
    mk_event(&m, 6, MK_TYPE, 100);
    mk_event(&m, 1, MK_TYPE, 101);
    mk_data(&m);
    attrs_at = PERF_FILE_HEADER + 16;
    index[1] = trace_at = mk_auxtrace(&m, 3, 2, psb, sizeof(psb));
    mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 5, 101);
    mk_feature(&m, PTS_FEAT_ARCH, arch, sizeof(arch));
    mk_feature(&m, PTS_FEAT_AUXTRACE, index, sizeof(index));
    table_at = m.len;
    mk_end(&m);
}

static uint64_t get(uint64_t at)
{
    uint64_t v;
    memcpy(&v, m.at + at, 8);
    return v;
}

static void set(uint64_t at, uint64_t v)
{
    memcpy(m.at + at, &v, 8);
}

static void use_features(const struct perf_file *f)
{
    for (uint32_t id = 0; id < PTS_FEAT_END; id++) {
        struct pts_feature_iter it = perf_feature_begin(f, id);
        struct pts_feature_item item;
        unsigned n = 0;
        while (pts_feature_next(&it, &item) == PTS_OK)
            n++;
        CHECK(n <= MK_CAP);
    }
}

/* Opens what there is and reads all of it; a refusal must have a text. */
static pts_status use(uint32_t *odd)
{
    struct perf_file *f = NULL;
    struct pts_diag why = {0};
    struct perf_order order;
    struct aux_queues q;
    pts_status st = open_bytes(m.at, m.len, &f, &why);
    if (st != PTS_OK) {
        CHECK(why.text[0] && why.status == st);
        return st;
    }
    *odd = f->damage.odd;
    use_features(f);
    EQ(perf_order_make(f, PERF_ORDER_ROUNDS, &order, &why), PTS_OK);
    EQ(order.rec.len, f->data.count);
    perf_order_free(&order);
    if (aux_queues_make(f, &(struct aux_how){0}, &q, &why) == PTS_OK)
        aux_queues_free(&q);
    perf_file_close(f);
    return PTS_OK;
}

/* Each of these values in this word, and those around the size of the file. */
static void try_all(uint64_t at)
{
    uint32_t odd;
    uint64_t was = get(at);
    for (size_t i = 0; i < COUNT(everywhere); i++) {
        set(at, everywhere[i]);
        (void)!use(&odd);
        set(at, everywhere[i] << 32 | (was & UINT32_MAX));
        (void)!use(&odd);
    }
    for (uint64_t near = m.len - 20; near <= m.len + 1; near++) {
        set(at, near);
        (void)!use(&odd);
    }
    set(at, was);
}

T(header_words)
{
    uint32_t odd;
    make();
    EQ(use(&odd), PTS_OK);
    EQ(odd, 0);
    for (uint64_t at = 8; at < PERF_FILE_HEADER; at += 8)
        try_all(at);
}

/* What makes no sense at all, and what is read as far as it goes. */
T(what_is_refused)
{
    static const struct {
        uint64_t at, value;
        pts_status want;
        uint32_t odd;
    } lies[] = {
        {8,  0,              PTS_E_FORMAT, 0               },
        {8,  UINT64_MAX,     PTS_E_FORMAT, 0               },
        {16, 0,              PTS_E_FORMAT, 0               },
        {16, 79,             PTS_E_FORMAT, 0               },
        {24, UINT64_MAX - 8, PTS_E_FORMAT, 0               },
        {24, MK_CAP,         PTS_E_FORMAT, 0               },
        {32, UINT64_MAX,     PTS_E_FORMAT, 0               },
        {40, UINT64_MAX,     PTS_E_FORMAT, 0               },
        {40, 0,              PTS_E_FORMAT, 0               },
        {48, 0,              PTS_OK,       PERF_ODD_NO_SIZE},
        {48, UINT64_MAX,     PTS_OK,       PERF_ODD_CUT    },
        {56, UINT64_MAX,     PTS_OK,       0               },
        {64, UINT64_MAX,     PTS_OK,       0               },
    };
    for (size_t i = 0; i < COUNT(lies); i++) {
        uint32_t odd = 0;
        make();
        set(lies[i].at, lies[i].value);
        EQ(use(&odd), lies[i].want);
        EQ(odd & lies[i].odd, lies[i].odd);
    }
}

T(attribute_sizes)
{
    static const uint32_t sizes[] = {1, 63, 4096, 1u << 16, 1u << 31, UINT32_MAX};
    uint32_t odd;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        make();
        memcpy(m.at + attrs_at + 4, &sizes[i], 4);
        CHECK(use(&odd) < 0);
    }
    make();
    try_all(attrs_at);
}

T(id_sections)
{
    uint64_t ids = attrs_at + MK_ATTR;
    uint32_t odd;
    make();
    try_all(ids);
    try_all(ids + 8);
    set(ids, m.len - 4);
    EQ(use(&odd), PTS_OK);
    CHECK(odd & PERF_ODD_IDS);
    make();
    set(ids + 8, UINT64_MAX - 103); /* wraps around to the beginning */
    EQ(use(&odd), PTS_OK);
    CHECK(odd & PERF_ODD_IDS);
}

T(feature_table)
{
    static const struct {
        uint64_t word, value;
    } lies[] = {
        {0, UINT64_MAX    },
        {0, MK_CAP        },
        {8, MK_CAP        },
        {8, UINT64_MAX    },
        {8, UINT64_MAX - 7}
    };
    uint32_t odd;
    for (size_t i = 0; i < COUNT(lies); i++) {
        make();
        set(table_at + lies[i].word, lies[i].value);
        EQ(use(&odd), PTS_OK);
        CHECK(odd & PERF_ODD_FEATURE);
    }
    make();
    for (uint64_t at = table_at; at < m.len; at += 8)
        try_all(at);
    memset(m.at + 72, 0xff, PERF_FEATURE_BYTES); /* more of them than there is table */
    EQ(use(&odd), PTS_OK);
    CHECK(odd & PERF_ODD_FEATURE);
}

/* However the index lies, the trace is found. */
T(trace_index)
{
    uint64_t index = 0;
    make();
    index = get(table_at + PERF_SECTION);
    for (uint64_t at = index; at < index + 24; at += 8) {
        for (size_t i = 0; i < COUNT(everywhere); i++) {
            struct perf_file *f = NULL;
            struct aux_queues q;
            struct pts_diag why;
            set(at, everywhere[i]);
            EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
            EQ(aux_queues_make(f, &(struct aux_how){0}, &q, &why), PTS_OK);
            EQ(q.at.len, 1);
            EQ(q.at.at[0].buf.len, 1);
            EQ(q.at.at[0].buf.at[0].len, sizeof(psb));
            aux_queues_free(&q);
            perf_file_close(f);
            make();
        }
    }
    set(index + 8, trace_at + 48); /* the trace, not its record */
    try_all(index + 16);
}

/* The items that a section has before it turns out to lie. */
T(section_words)
{
    static const struct {
        uint32_t feat, items;
        uint64_t word[6];
        size_t words;
    } all[] = {
        {PTS_FEAT_CACHE,        0, {1 | UINT64_C(0xffffffff) << 32},    1},
        {PTS_FEAT_MEM_TOPOLOGY, 1, {1, 16, UINT64_MAX},                 3},
        {PTS_FEAT_MEM_TOPOLOGY, 1, {1, 16, 1, 0, 1, UINT64_MAX},        6},
        {PTS_FEAT_MEM_TOPOLOGY, 1, {1, 16, 1, 0, 1, 1},                 6},
        {PTS_FEAT_AUXTRACE,     0, {UINT64_MAX},                        1},
        {PTS_FEAT_AUXTRACE,     2, {3, 100, 48, 200, 48, 300},          6},
        {PTS_FEAT_COMPRESSED,   0, {UINT64_MAX, UINT64_MAX},            2},
        {PTS_FEAT_CLOCK_DATA,   0, {1, UINT64_MAX},                     2},
        {PTS_FEAT_SAMPLE_TIME,  0, {UINT64_MAX},                        1},
        {PTS_FEAT_BPF_BTF,      0, {1 | UINT64_C(7) << 32, UINT32_MAX}, 2}
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        struct pts_feature_iter it =
            pts_feature_begin(all[i].feat, all[i].word, 8 * all[i].words, 0);
        struct pts_feature_item item;
        pts_status st;
        unsigned n = 0;
        while ((st = pts_feature_next(&it, &item)) == PTS_OK)
            n++;
        EQ(st, PTS_E_RANGE);
        EQ(n, all[i].items);
    }
}

T(build_id_sizes)
{
    static const uint16_t sizes[] = {0, 7, 8, 12, 35, 36, 37, 53, 0x7fff, 0xffff};
    uint8_t raw[52] = {0};
    memset(raw + 36, 'x', 16); /* a path without end */
    for (size_t i = 0; i <= COUNT(sizes); i++) {
        struct pts_feature_item item;
        uint16_t size = i < COUNT(sizes) ? sizes[i] : sizeof(raw);
        memcpy(raw + 6, &size, 2);
        struct pts_feature_iter it =
            pts_feature_begin(PTS_FEAT_BUILD_ID, raw, sizeof(raw), 0);
        EQ(pts_feature_next(&it, &item), PTS_E_RANGE);
    }
    raw[51] = '\0';
    for (size_t id_size = 0; id_size < 256; id_size += 5) {
        struct pts_feature_item item;
        raw[4] = 0, raw[5] = 0x80; /* the size of the id stands behind it */
        raw[12 + 20] = (uint8_t)id_size;
        struct pts_feature_iter it =
            pts_feature_begin(PTS_FEAT_BUILD_ID, raw, sizeof(raw), 0);
        EQ(pts_feature_next(&it, &item), PTS_OK);
        CHECK(item.u.build_id.id.len <= 20);
        EQ(pts_feature_next(&it, &item), PTS_END);
    }
}

/* Fewer words than there should be, and a filter longer than the record. */
T(trace_info)
{
    static const uint64_t lengths[] = {
        1, 8, 9, 4096, UINT32_MAX, UINT64_MAX - 7, UINT64_MAX};
    for (size_t words = 0; words < 20; words++) {
        for (size_t i = 0; i < COUNT(lengths); i++) {
            uint64_t body[20] = {1};
            struct record r;
            struct aux_info info;
            body[words < 17 ? words : 17] = lengths[i];
            body[0] = 1;
            make();
            uint64_t off = mk_own(&m, PTS_RECORD_AUXTRACE_INFO, body, 8 * words);
            struct pts_bytes bytes = {m.at + off, 8 + 8 * words};
            EQ(perf_rec_parse(bytes, off, false, &r.head), PTS_OK);
            r.how = record_body(NULL, &r.head, &r.u);
            if (aux_info_read(&r, &info, NULL) == PTS_OK && info.has_filter_len)
                CHECK(strlen(info.filter) <= 8 * words);
        }
    }
}

T_RUN(T_CASE(header_words), T_CASE(what_is_refused), T_CASE(attribute_sizes),
      T_CASE(id_sections), T_CASE(feature_table), T_CASE(trace_index),
      T_CASE(section_words), T_CASE(build_id_sizes), T_CASE(trace_info))
