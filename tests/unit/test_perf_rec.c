/* test_perf_rec.c - bodies of records, samples, their order, AUX queues.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/open/perf_open.h"
#include "decoder/aux/auxtrace.h"
#include "decoder/file/perf_feat.h"
#include "decoder/record/perf_order.h"
#include "decoder/record/record.h"
#include "tests/lib/mkdata.h"
#include "tests/lib/open_bytes.h"
#include "tests/lib/t.h"

static struct mkdata m;

static struct perf_file *opened(void)
{
    struct perf_file *f = NULL;
    struct pts_diag why;
    mk_end(&m);
    EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
    return f;
}

static void start(void)
{
    mk_begin(&m, false);
    mk_event(&m, 6, MK_TYPE, 100);
    mk_event(&m, 1, MK_TYPE, 101);
    mk_data(&m);
}

/* A lone record with this body, without a file around it. */
static struct record lone(uint32_t type, uint16_t misc, const void *body, size_t n)
{
    static uint8_t at[1024];
    memcpy(at + 8, body, n);
    struct record r = {
        .head = {.ptr = at,
                 .type = type,
                 .misc = misc,
                 .size = (uint16_t)(8 + n),
                 .body_end = (uint16_t)(8 + n),
                 .evsel = PTS_NO_EVENT}
    };
    r.how = record_body(NULL, &r.head, &r.u);
    return r;
}

T(order_of_rounds)
{
    static const struct {
        uint64_t time; /* 0: a FINISHED_ROUND */
        unsigned place;
    } in[] = {
        {100, 3 },
        {50,  2 },
        {0,   0 },
        {120, 6 },
        {0,   1 },
        {95,  5 },
        {0,   4 },
        {7,   8 },
        {0,   7 },
        {130, 9 },
        {130, 10}
    };
    enum { N = sizeof(in) / sizeof(in[0]) };
    uint64_t off[N];
    struct perf_order o;
    struct pts_diag why;
    start();
    for (size_t i = 0; i < N; i++)
        off[i] = in[i].time ? mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, in[i].time, 101)
                            : mk_own(&m, PTS_RECORD_FINISHED_ROUND, NULL, 0);
    struct perf_file *f = opened();
    EQ(perf_order_make(f, PERF_ORDER_ROUNDS, &o, &why), PTS_OK);
    EQ(o.rec.len, N);
    EQ(o.late, 2);
    for (size_t i = 0; i < N; i++) {
        EQ(o.rec.at[in[i].place].off, off[i]);
        EQ(o.rec.at[in[i].place].time, in[i].time);
    }
    perf_order_free(&o);
    EQ(perf_order_make(f, PERF_ORDER_FILE, &o, &why), PTS_OK);
    for (size_t i = 0; i < N; i++)
        EQ(o.rec.at[i].off, off[i]);
    perf_order_free(&o);
    /* Rounds let go of nothing: they are in front of all that waits. */
    EQ(perf_order_make(f, PERF_ORDER_TIME, &o, &why), PTS_OK);
    EQ(o.late, 0);
    for (size_t i = 1; i < N; i++)
        CHECK(o.rec.at[i - 1].time <= o.rec.at[i].time);
    perf_order_free(&o);
    perf_file_close(f);
}

/* Records without a time are not held up. */
T(order_without_time)
{
    struct perf_order o;
    struct pts_diag why;
    start();
    uint64_t a = mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 10, 101);
    uint64_t b = mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 0, 101);
    uint64_t c = mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, UINT64_MAX, 101);
    struct perf_file *f = opened();
    EQ(perf_order_make(f, PERF_ORDER_ROUNDS, &o, &why), PTS_OK);
    EQ(o.rec.at[0].off, b);
    EQ(o.rec.at[1].off, c);
    EQ(o.rec.at[2].off, a);
    perf_order_free(&o);
    perf_file_close(f);
}

T(order_sorts_long_runs)
{
    enum { N = 500 };
    struct perf_order o;
    struct pts_diag why;
    uint64_t seed = 12345, last = 0;
    start();
    for (unsigned i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 1 + (seed >> 33) % 40, 101);
    }
    struct perf_file *f = opened();
    EQ(perf_order_make(f, PERF_ORDER_ROUNDS, &o, &why), PTS_OK);
    EQ(o.rec.len, N);
    for (size_t i = 0; i < o.rec.len; i++) {
        CHECK(o.rec.at[i].time >= last);
        CHECK(i == 0 || o.rec.at[i].time > last ||
              o.rec.at[i].off > o.rec.at[i - 1].off);
        last = o.rec.at[i].time;
    }
    perf_order_free(&o);
    perf_file_close(f);
}

T(event_of_record)
{
    struct perf_rec r;
    start();
    uint64_t known = mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 10, 101);
    uint64_t zero = mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 10, 0);
    uint64_t unknown = mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 10, 999);
    uint64_t small = mk_own(&m, PTS_RECORD_SWITCH, "1234567", 7);
    struct perf_file *f = opened();
    EQ(perf_rec_at(f, known, &r), PTS_OK);
    EQ(r.evsel, 1);
    EQ(perf_rec_at(f, zero, &r), PTS_OK);
    EQ(r.evsel, 0);
    EQ(perf_rec_at(f, unknown, &r), PTS_OK);
    EQ(r.evsel, PTS_NO_EVENT);
    EQ(r.id.pid, -1);
    EQ(r.id.time, UINT64_MAX);
    CHECK(perf_rec_at(f, small, &r) != PTS_OK || r.evsel == PTS_NO_EVENT);
    perf_file_close(f);
}

T(mmap2_with_build_id)
{
    struct {
        uint32_t pid, tid;
        uint64_t addr, len, pgoff;
        uint8_t id_len, zero[3], id[20];
        uint32_t prot, flags;
        char name[8];
    } b = {
        1, 2, 0x400000, 0x1000, 0x10, 99, {0    },
              { 0xab, 0xcd},
              5, 1, "/bin/x"
    };
    struct record r = lone(PTS_RECORD_MMAP2, PTS_MISC_MMAP_BUILD_ID, &b, sizeof(b));
    EQ(r.how, PTS_RECORD_WHOLE);
    EQ(r.u.mmap.build_id_len, 20);
    EQ(r.u.mmap.build_id[0], 0xab);
    STREQ(r.u.mmap.name, "/bin/x");
    r = lone(PTS_RECORD_MMAP2, 0, &b, sizeof(b));
    EQ(r.how, PTS_RECORD_WHOLE);
    CHECK(!r.u.mmap.build_id && r.u.mmap.maj == 99);
    memset(b.name, 'x', sizeof(b.name));
    EQ(lone(PTS_RECORD_MMAP2, 0, &b, sizeof(b)).how, PTS_RECORD_DAMAGED);
}

/* Each body as short as it may be, and then by one byte shorter. */
T(short_bodies)
{
    static const uint8_t zeros[640];
    static const struct {
        uint32_t type;
        size_t least;
    } bodies[] = {
        {PTS_RECORD_MMAP,               33},
        {PTS_RECORD_LOST,               16},
        {PTS_RECORD_COMM,               9 },
        {PTS_RECORD_EXIT,               24},
        {PTS_RECORD_THROTTLE,           24},
        {PTS_RECORD_UNTHROTTLE,         24},
        {PTS_RECORD_FORK,               24},
        {PTS_RECORD_MMAP2,              65},
        {PTS_RECORD_AUX,                24},
        {PTS_RECORD_ITRACE_START,       8 },
        {PTS_RECORD_LOST_SAMPLES,       8 },
        {PTS_RECORD_SWITCH_CPU_WIDE,    8 },
        {PTS_RECORD_NAMESPACES,         16},
        {PTS_RECORD_KSYMBOL,            17},
        {PTS_RECORD_BPF_EVENT,          16},
        {PTS_RECORD_CGROUP,             9 },
        {PTS_RECORD_TEXT_POKE,          12},
        {PTS_RECORD_AUX_OUTPUT_HW_ID,   8 },
        {PTS_RECORD_CALLCHAIN_DEFERRED, 16},
        {PTS_RECORD_BUILD_ID,           29},
        {PTS_RECORD_ID_INDEX,           8 },
        {PTS_RECORD_AUXTRACE_INFO,      8 },
        {PTS_RECORD_AUXTRACE,           36},
        {PTS_RECORD_AUXTRACE_ERROR,     32},
        {PTS_RECORD_THREAD_MAP,         8 },
        {PTS_RECORD_STAT_CONFIG,        8 },
        {PTS_RECORD_STAT,               40},
        {PTS_RECORD_STAT_ROUND,         16},
        {PTS_RECORD_EVENT_UPDATE,       16},
        {PTS_RECORD_TIME_CONV,          24},
        {PTS_RECORD_FEATURE,            8 },
        {PTS_RECORD_SCHEDSTAT_CPU,      16},
        {PTS_RECORD_SCHEDSTAT_DOMAIN,   16}
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        uint32_t type = bodies[i].type;
        EQ(lone(type, 0, zeros, bodies[i].least).how, PTS_RECORD_WHOLE);
        struct record r = lone(type, 0, zeros, bodies[i].least - 1);
        EQ(r.how, PTS_RECORD_DAMAGED);
        EQ(r.u.bytes.len, bodies[i].least - 1);
    }
    EQ(lone(PTS_RECORD_SWITCH, 0, zeros, 0).how, PTS_RECORD_WHOLE);
    EQ(lone(PTS_RECORD_SAMPLE, 0, zeros, 64).how, PTS_RECORD_DAMAGED);
    EQ(lone(PTS_RECORD_READ, 0, zeros, 64).how, PTS_RECORD_DAMAGED);
    EQ(lone(PTS_RECORD_TYPES, 0, zeros, 64).how, PTS_RECORD_UNKNOWN);
    EQ(lone(0, 0, zeros, 64).how, PTS_RECORD_UNKNOWN);
    EQ(lone(UINT32_MAX, 0, zeros, 64).how, PTS_RECORD_UNKNOWN);
}

/* Counts that claim more than there is. */
T(lying_counts)
{
    uint64_t huge[6] = {1, UINT64_MAX, 1, 2, 3, 4};
    struct record r = lone(PTS_RECORD_NAMESPACES, 0, huge, sizeof(huge));
    EQ(r.how, PTS_RECORD_WHOLE);
    EQ(r.u.namespaces.count, 2);
    huge[0] = UINT64_MAX / 32 + 1;
    EQ(lone(PTS_RECORD_ID_INDEX, 0, huge, sizeof(huge)).how, PTS_RECORD_DAMAGED);
    EQ(lone(PTS_RECORD_THREAD_MAP, 0, huge, sizeof(huge)).how, PTS_RECORD_DAMAGED);
}

/* One sample with most fields; then cut at every word, and with every count too large.
 */
T(sample_fields)
{
    uint64_t type = PTS_SAMPLE_IDENTIFIER | PTS_SAMPLE_IP | PTS_SAMPLE_PERIOD |
                    PTS_SAMPLE_READ | PTS_SAMPLE_CALLCHAIN | PTS_SAMPLE_BRANCH_STACK |
                    PTS_SAMPLE_REGS_USER | PTS_SAMPLE_STACK_USER | PTS_SAMPLE_AUX;
    const uint64_t body[] = {100, 0x401000, 7,           /* id ip period */
                             55,                         /* read */
                             2,   0x11,     0x22,        /* callchain */
                             1,   0xa,      0xb,    0xc, /* branch stack */
                             2,   0x1111,   0x2222,      /* user registers */
                             8,   0x3333,   4,           /* user stack */
                             8,   0x4444};               /* AUX data */
    static const size_t counts[] = {4, 7, 14, 17};
    const uint64_t mask = 5;
    struct record r;
    mk_begin(&m, false);
    mk_event(&m, 0, type, 100);
    memcpy(m.attr[0] + 80, &mask, 8);
    mk_data(&m);
    uint64_t off = mk_own(&m, PTS_RECORD_SAMPLE, body, sizeof(body));
    struct perf_file *f = opened();
    EQ(record_read(f, off, &r), PTS_OK);
    EQ(r.how, PTS_RECORD_WHOLE);
    EQ(r.head.id.id, 100);
    const struct pts_sample s = r.u.sample;
    EQ(s.ip, 0x401000);
    EQ(s.period, 7);
    EQ(s.read.one.value, 55);
    EQ(s.callchain.count, 2);
    EQ(pts_word(&s.callchain, 1), 0x22);
    EQ(s.branch_count, 1);
    EQ(rd_u64(s.branches + 8), 0xb);
    EQ(s.user.abi, 2);
    EQ(pts_word(&s.user.val, 1), 0x2222);
    EQ(s.stack.len, 4);
    EQ(s.aux.len, 8);
    EQ(rd_u64(s.aux.ptr), 0x4444);
    for (size_t n = 1; n < sizeof(body) / 8; n++) {
        struct perf_rec cut = r.head;
        cut.size = cut.body_end = (uint16_t)(8 + 8 * n);
        EQ(record_body(f, &cut, &r.u), PTS_RECORD_DAMAGED);
    }
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        uint64_t huge = UINT64_MAX / 8;
        uint8_t *at = (uint8_t *)(uintptr_t)f->in.ptr + off + 8 + 8 * counts[i];
        uint64_t was = rd_u64(at);
        memcpy(at, &huge, 8);
        EQ(record_body(f, &r.head, &r.u), PTS_RECORD_DAMAGED);
        memcpy(at, &was, 8);
    }
    EQ(record_body(f, &r.head, &r.u), PTS_RECORD_WHOLE);
    perf_file_close(f);
}

static pts_status read_info(const uint64_t *words, size_t n, struct aux_info *info,
                            struct pts_diag *why)
{
    struct record r = lone(PTS_RECORD_AUXTRACE_INFO, 0, words, 8 * n);
    return aux_info_read(&r, info, why);
}

T(auxtrace_info_sizes)
{
    uint64_t w[24] = {1, 6, 31,    1789569706, 99,  1, 0x400, 0x800, 3,
                      0, 1, 0x200, 0x3c000,    100, 2, 2,     12};
    struct aux_info info;
    struct pts_diag why;
    EQ(read_info(w, 10, &info, &why), PTS_E_RANGE);
    EQ(read_info(w, 11, &info, &why), PTS_OK);
    CHECK(!info.has_mtc && !info.has_max_ratio && info.per_cpu &&
          info.tsc_bit == 0x400);
    EQ(read_info(w, 16, &info, &why), PTS_OK);
    CHECK(info.has_mtc && !info.has_max_ratio && info.cyc_bit == 2 &&
          info.tsc_ctc_n == 100);
    EQ(read_info(w, 17, &info, &why), PTS_OK);
    CHECK(info.has_max_ratio && info.max_ratio == 12 && !info.has_filter_len);
    EQ(read_info(w, 18, &info, &why), PTS_OK);
    CHECK(info.has_filter_len && !info.has_event_trace);
    STREQ(info.filter, "");
    w[18] = 1;
    EQ(read_info(w, 19, &info, &why), PTS_OK);
    CHECK(info.has_event_trace && info.event_trace == 1);
    w[17] = 11;
    memcpy(&w[18], "filter 0x12", 12);
    memset((uint8_t *)&w[18] + 11, 0, 5);
    w[20] = 1;
    EQ(read_info(w, 21, &info, &why), PTS_OK);
    STREQ(info.filter, "filter 0x12");
    EQ(info.event_trace, 1);
    w[17] = 12;
    EQ(read_info(w, 21, &info, &why), PTS_E_RANGE);
    STREQ(why.text, "filter string not null terminated");
    w[17] = 1000;
    EQ(read_info(w, 21, &info, &why), PTS_E_RANGE);
    STREQ(why.text, "bad filter string length");
}

static bool not_cpu_2(const void *ctx, int32_t cpu)
{
    (void)ctx;
    return cpu != 2;
}

T(aux_queues)
{
    static uint64_t index[5];
    struct aux_queues q;
    struct pts_diag why;
    start();
    mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 10, 101);
    uint64_t a = mk_auxtrace(&m, 7, 2, "12345678", 8);
    uint64_t b = mk_auxtrace(&m, 1, 0, "abcdefgh", 8);
    mk_auxtrace(&m, 7, 2, "87654321", 8);
    struct perf_file *f = opened();
    EQ(aux_queues_make(f, &(struct aux_how){0}, &q, &why), PTS_OK);
    EQ(q.at.len, 2);
    EQ(q.at.at[0].idx, 1);
    EQ(q.at.at[1].idx, 7);
    EQ(q.at.at[1].buf.len, 2);
    EQ(q.at.at[1].buf.at[1].nr, 2);
    aux_queues_free(&q);
    EQ(aux_queues_make(f, &(struct aux_how){.keep = not_cpu_2}, &q, &why), PTS_OK);
    EQ(q.at.len, 1);
    aux_queues_free(&q);
    perf_file_close(f);
    /* What the index names is all there is, and in its order; one that lies is not
     * believed. */
    for (int lie = 0; lie < 2; lie++) {
        start();
        mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 10, 101);
        mk_auxtrace(&m, 7, 2, "12345678", 8);
        mk_auxtrace(&m, 1, 0, "abcdefgh", 8);
        mk_auxtrace(&m, 7, 2, "87654321", 8);
        memcpy(index, (uint64_t[]){2, b, 48, lie ? a - 8 : a, 48}, sizeof(index));
        mk_feature(&m, PTS_FEAT_AUXTRACE, index, sizeof(index));
        f = opened();
        EQ(aux_queues_make(f, &(struct aux_how){0}, &q, &why), PTS_OK);
        EQ(q.bufs, lie ? 3 : 2);
        EQ(q.at.at[0].buf.at[0].nr, lie ? 1 : 0);
        aux_queues_free(&q);
        perf_file_close(f);
    }
}

T(aux_queue_conflict)
{
    struct aux_queues q;
    struct pts_diag why;
    start();
    mk_auxtrace(&m, 1, 2, "12345678", 8);
    mk_auxtrace(&m, 1, 3, "12345678", 8);
    struct perf_file *f = opened();
    EQ(aux_queues_make(f, &(struct aux_how){0}, &q, &why), PTS_OK);
    EQ(q.at.at[0].buf.len, 2);
    EQ(q.at.at[0].cpu, 2);
    EQ(q.mixed, q.at.at[0].buf.at[1].off);
    aux_queues_free(&q);
    perf_file_close(f);
}

T(feature_sections)
{
    static const uint8_t cmdline[] = {2, 0, 0, 0, 4, 0, 0,   0, 'p', 0,
                                      0, 0, 4, 0, 0, 0, 'q', 0, 0,   0};
    static const uint8_t unended[] = {2, 0, 0, 0, 'a', 'b'};
    static const uint8_t pmus[] = {1, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 'p', 't', 0, 0};
    static const uint32_t cpus[] = {8, 4};
    uint32_t avail = 0, online = 0;
    start();
    mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 10, 101);
    mk_feature(&m, PTS_FEAT_HOSTNAME, unended, sizeof(unended));
    mk_feature(&m, PTS_FEAT_NRCPUS, cpus, sizeof(cpus));
    mk_feature(&m, PTS_FEAT_CMDLINE, cmdline, sizeof(cmdline));
    mk_feature(&m, PTS_FEAT_PMU_MAPPINGS, pmus, sizeof(pmus));
    struct perf_file *f = opened();
    CHECK(!perf_feat_string(f, PTS_FEAT_HOSTNAME));
    CHECK(!perf_feat_string(f, PTS_FEAT_ARCH));
    CHECK(perf_feat_nrcpus(f, &avail, &online) && avail == 8 && online == 4);
    struct pts_feature_iter it = perf_feature_begin(f, PTS_FEAT_CMDLINE);
    struct pts_feature_item item;
    EQ(pts_feature_next(&it, &item), PTS_OK);
    STREQ(item.u.text, "p");
    EQ(pts_feature_next(&it, &item), PTS_OK);
    STREQ(item.u.text, "q");
    EQ(pts_feature_next(&it, &item), PTS_END);
    it = perf_feature_begin(f, PTS_FEAT_PMU_MAPPINGS);
    EQ(pts_feature_next(&it, &item), PTS_OK);
    EQ(item.u.pmu.type, 8);
    STREQ(item.u.pmu.name, "pt");
    perf_file_close(f);
}

T_RUN(T_CASE(order_of_rounds), T_CASE(order_without_time),
      T_CASE(order_sorts_long_runs), T_CASE(event_of_record),
      T_CASE(mmap2_with_build_id), T_CASE(short_bodies), T_CASE(lying_counts),
      T_CASE(sample_fields), T_CASE(auxtrace_info_sizes), T_CASE(aux_queues),
      T_CASE(aux_queue_conflict), T_CASE(feature_sections))
