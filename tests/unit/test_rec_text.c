/* test_rec_text.c - records in perf's words.
 *
 * SPDX-License-Identifier: MIT
 *
 * The texts were printed by perf 6.1 for the same bytes.
 */
#include "decoder/open/perf_open.h"
#include "synth/print/dump/out_dump.h"
#include "tests/lib/mkdata.h"
#include "tests/lib/open_bytes.h"
#include "tests/lib/t.h"

#include <stdlib.h>
#include <sys/mman.h>

static struct mkdata m;

/* w: 32-bit words, q: 64-bit, h: 16-bit, b: bytes in hex, s: string padded to 8. */
static size_t body_of(const char *how, uint8_t *out)
{
    size_t n = 0;
    while (*how) {
        char kind = *how++, *end = NULL;
        uint64_t v;
        if (kind == ' ')
            continue;
        if (kind == 's') {
            size_t len = strcspn(how, " "), room = (len + 8) & ~(size_t)7;
            memset(out + n, 0, room);
            memcpy(out + n, how, len);
            how += len;
            n += room;
            continue;
        }
        v = strtoull(how, &end, 0);
        how = end;
        size_t size = kind == 'q' ? 8 : kind == 'w' ? 4 : kind == 'h' ? 2 : 1;
        memcpy(out + n, &v, size);
        n += size;
    }
    return n;
}

/* clang-format off */
static const struct {
    uint32_t type;
    uint16_t misc;
    const char *body, *text;
} kernel[] = {
    {PTS_RECORD_COMM, 0, "w4242 w4242 st", ": t:4242/4242\n"},
    {PTS_RECORD_COMM, 1 << 13, "w4242 w4242 sexe", " exec: exe:4242/4242\n"},
    {PTS_RECORD_MMAP, 2, "w4242 w4242 q0x400000 q0x1000 q0 s/bin/t",
     " 4242/4242: [0x400000(0x1000) @ 0]: x /bin/t\n"},
    {PTS_RECORD_MMAP, 2 | 1 << 13, "w4242 w4242 q0x500000 q0x1000 q0x10 s/bin/d",
     " 4242/4242: [0x500000(0x1000) @ 0x10]: r /bin/d\n"},
    {PTS_RECORD_MMAP2, 2, "w4242 w4242 q0x401000 q0x1000 q0 w8 w1 q77 q3 w5 w2 s/bin/t",
     " 4242/4242: [0x401000(0x1000) @ 0 08:01 77 3]: r-xp /bin/t\n"},
    {PTS_RECORD_MMAP2, 2 | 1 << 14,
     "w4242 w4242 q0x403000 q0x1000 q0 b8 b0 h0 q0x1716151413121110 q0 w0 w7 w1 s/bin/t3",
     " 4242/4242: [0x403000(0x1000) @ 0 <1011121314151617>]: rwxs /bin/t3\n"},
    {PTS_RECORD_FORK, 0, "w4243 w4242 w4243 w4242 q5", "(4243:4243):(4242:4242)\n"},
    {PTS_RECORD_AUX, 0, "q0 q0x20 q0", " offset: 0 size: 0x20 flags: 0 []\n"},
    {PTS_RECORD_AUX, 0, "q0x1000 q0x20 q0x10f",
     " offset: 0x1000 size: 0x20 flags: 0x10f [TOP]\n"},
    {PTS_RECORD_ITRACE_START, 0, "w4242 w4242", " pid: 4242 tid: 4242\n"},
    {PTS_RECORD_LOST, 0, "q100 q5", ": id:100: lost:5\n"},
    {PTS_RECORD_LOST_SAMPLES, 0, "q7", ": id:101: lost samples :7\n"},
    {PTS_RECORD_SWITCH, 0, "", " IN         \n"},
    {PTS_RECORD_SWITCH, 1 << 13, "", " OUT        \n"},
    {PTS_RECORD_SWITCH, 3 << 13, "", " OUT preempt\n"},
    {PTS_RECORD_SWITCH, 1 << 14, "", " IN         \n"},
    {PTS_RECORD_SWITCH_CPU_WIDE, 0, "w1 w4247", " IN           prev pid/tid:     1/4247 \n"},
    {PTS_RECORD_SWITCH_CPU_WIDE, 3 << 13, "w1 w4247",
     " OUT preempt  next pid/tid:     1/4247 \n"},
    {PTS_RECORD_SWITCH_CPU_WIDE, 1 << 13, "w0xffffffff w0xffffffff",
     " OUT          next pid/tid:    -1/-1   \n"},
    {PTS_RECORD_NAMESPACES, 0, "w4242 w4242 q0", " 4242/4242 - nr_namespaces: 0\n\t\t["},
    {PTS_RECORD_NAMESPACES, 0,
     "w4242 w4242 q5 q3 q0xf0000000 q3 q0xf0000001 q3 q0xf0000002 q3 q0xf0000003 q3 "
     "q0xf0000004",
     " 4242/4242 - nr_namespaces: 5\n\t\t[0/net: 3/0xf0000000, 1/uts: 3/0xf0000001, "
     "2/ipc: 3/0xf0000002, 3/pid: 3/0xf0000003, \n\t\t 4/user: 3/0xf0000004]\n"},
    {PTS_RECORD_KSYMBOL, 0, "q0xffffffffc0000000 w0x80 h1 h1 sbpf_prog_1",
     " addr ffffffffc0000000 len 128 type 1 flags 0x1 name bpf_prog_1\n"},
    {PTS_RECORD_BPF_EVENT, 0, "h1 h0 w9 q0", " type 1, flags 0, id 9\n"},
    {PTS_RECORD_CGROUP, 0, "q99 s/sys/x", " cgroup: 99 /sys/x\n"},
    {PTS_RECORD_TEXT_POKE, 1, "q0xffffffff81000010 h0 h20 q0x0706050403020100 "
                            "q0x0f0e0d0c0b0a0908 w0x13121110",
     " ffffffff81000010 sym+0x0 old len 0 new len 20\n"
     "            New bytes: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
     "            New bytes: 10 11 12 13\n"},
    {PTS_RECORD_AUX_OUTPUT_HW_ID, 0, "q3", " hw_id: 0x3\n"},
    {PTS_RECORD_AUX_OUTPUT_HW_ID, 0, "q0", " hw_id: 0\n"},
    {PTS_RECORD_THROTTLE, 0, "q1 q100 q100", ""},
    {PTS_RECORD_READ, 0, "w4242 w4242 q55 q56 q57 q104",
     ": 4242 4242 page-faults:u 55\n: unhandled!\n"},
};

static const struct {
    uint32_t type;
    const char *body, *text;
} own[] = {
    {PTS_RECORD_TIME_CONV, "q31 q1789569706 q18446744041015200657",
     "\n... Time Shift      31\n... Time Muliplier  1789569706\n"
     "... Time Zero       18446744041015200657\n: unhandled!\n"},
    {PTS_RECORD_TIME_CONV, "q31 q5 q6 q1 q2 b1 b1 h0 w0",
     "\n... Time Shift      31\n... Time Muliplier  5\n... Time Zero       6\n"
     "... Time Cycles     1\n... Time Mask       0x2\n... Cap Time Zero   1\n"
     "... Cap Time Short  1\n: unhandled!\n"},
    {PTS_RECORD_THREAD_MAP, "q2 q4242 q0 q0 q4243 q0 q0", " nr: 2 threads: 4242, 4243\n"},
    {PTS_RECORD_CPU_MAP, "h0 h2 h1 h3", ": 1,3\n"},
    {PTS_RECORD_CPU_MAP, "h0 h6 h0xffff h5 h6 h7 h3 h3", ": -1,5-7,3,3\n"},
    {PTS_RECORD_CPU_MAP, "h1 h2 h4 w0x35 w1", ": 0,2,4-5,32\n"},
    {PTS_RECORD_CPU_MAP, "h2 b0 b0 h1 h6", ": 1-6\n"},
    {PTS_RECORD_CPU_MAP, "h2 b1 b0 h1 h6", ": -1,1-6\n"},
    {PTS_RECORD_CPU_MAP, "h9 h0 h0 h0", ": failed to get cpumap from event\n"},
    {PTS_RECORD_EVENT_UPDATE, "q0 q100 sunit", "\n... id:    100\n... unit:  unit\n"},
    {PTS_RECORD_EVENT_UPDATE, "q1 q100 q0x4004000000000000",
     "\n... id:    100\n... scale: 2.500000\n"},
    {PTS_RECORD_EVENT_UPDATE, "q2 q100 sname", "\n... id:    100\n... name:  name\n"},
    {PTS_RECORD_EVENT_UPDATE, "q3 q101 h0 h2 h1 h3", "\n... id:    101\n... 1,3\n"},
    {PTS_RECORD_FINISHED_INIT, "", ": unhandled!\n"},
    {PTS_RECORD_FINISHED_ROUND, "", "\n"},
    {PTS_RECORD_AUXTRACE_ERROR,
     "w1 w5 w3 w4242 w4242 w1 q0 q641256845844 sFailed q0 q0 q0 q0 q0 q0 q0",
     " instruction trace error type 1 time 641.256845844 cpu 3 pid 4242 tid 4242 ip 0 code "
     "5: Failed\n"},
    {PTS_RECORD_AUXTRACE_ERROR, "w7 w5 w0xffffffff w1 w2 w0 q0x10 sx q0 q0 q0 q0 q0 q0 q0",
     " unknown AUX error type 7 time 0 cpu -1 pid 1 tid 2 ip 0x10 code 5: x\n"},
    {PTS_RECORD_AUXTRACE_ERROR,
     "w1 w5 w0xffffffff w1 w2 w2 q0x10 q5 sx q0 q0 q0 q0 q0 q0 q0 w44 w1",
     " instruction trace error type 1 time 0.000000005 machine_pid 44 vcpu 1 cpu -1 pid 1 "
     "tid 2 ip 0x10 code 5: x\n"},
    {PTS_RECORD_ID_INDEX, "q1 q103 q0 q1 q-1 q77 q3",
     " nr: 1\n ... id: 103  idx: 0  cpu: 1  tid: -1  machine_pid: 77  vcpu: 3\n"},
    {PTS_RECORD_BUILD_ID, "w0 q0 q0 q0 sx", ""},
};

/* clang-format on */

static const char *event_name(void *ctx, uint32_t evsel)
{
    (void)ctx;
    return evsel == 1 ? "page-faults:u" : "?";
}

static void symbol_name(void *ctx, uint64_t addr, struct text *t)
{
    (void)ctx, (void)addr;
    text_str(t, "sym+0x0");
}

static const struct rec_names names = {.event = event_name, .symbol = symbol_name};

/* The first record of a pipe, or the one at `at`, of no event. */
static struct record lone(const uint8_t *at, uint32_t type, size_t size)
{
    struct record r = {
        .head = {.ptr = at ? at : m.at + PERF_PIPE_HEADER,
                 .type = type,
                 .size = (uint16_t)size,
                 .body_end = (uint16_t)size,
                 .evsel = PTS_NO_EVENT}
    };
    r.how = record_body(NULL, &r.head, &r.u);
    return r;
}

static void check_text(struct text *t, const char *want)
{
    text_char(t, '\0');
    STREQ(t->at, want);
    t->len = 0;
}

T(kernel_records)
{
    struct text t = {0};
    for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++) {
        uint8_t body[256];
        struct perf_file *f = NULL;
        struct pts_diag why;
        struct record r;
        mk_begin(&m, false);
        mk_event(&m, 6, MK_TYPE, 100);
        mk_event(&m, 1, MK_TYPE, 101);
        mk_data(&m);
        size_t n = body_of(kernel[i].body, body);
        uint64_t off = mk_rec(&m, kernel[i].type, kernel[i].misc, body, n, 5, 101);
        mk_end(&m);
        EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
        EQ(record_read(f, off, &r), PTS_OK);
        rec_text_dump(&t, f, &r, &names);
        check_text(&t, kernel[i].text);
        perf_file_close(f);
    }
    text_free(&t);
}

T(own_records)
{
    struct text t = {0};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        mk_begin(&m, true);
        uint8_t body[256];
        size_t n = body_of(own[i].body, body);
        mk_own(&m, own[i].type, body, n);
        const struct record r = lone(NULL, own[i].type, 8 + n);
        rec_text_dump(&t, NULL, &r, &names);
        check_text(&t, own[i].text);
    }
    text_free(&t);
}

/* Records of newer kernels and perfs, which perf 6.1 does not know: the texts are those
 * of newer perf, read in its source. */
T(newer_records)
{
    static uint8_t rec[PERF_REC_HEADER + PERF_BPF_NAME + 8 + 2 * PERF_BPF_ENTRY];
    static const uint64_t chain[4] = {0x1234, 2, UINT64_C(-512), 0x401000};
    const uint64_t entries = 3; /* one more than there is */
    struct text t = {0};
    uint8_t *meta = rec + PERF_REC_HEADER;
    memcpy(meta, "bpf_prog_1_x", 12);
    memcpy(meta + PERF_BPF_NAME, &entries, 8);
    memcpy(meta + PERF_BPF_NAME + 8, "version", 7);
    memcpy(meta + PERF_BPF_NAME + 8 + PERF_BPF_KEY, "1.5", 3);
    memset(meta + PERF_BPF_NAME + 8 + PERF_BPF_ENTRY, 'k', PERF_BPF_KEY);
    struct record r = lone(rec, PTS_RECORD_BPF_METADATA, sizeof(rec));
    rec_text_dump(&t, NULL, &r, &names);
    check_text(&t, " prog bpf_prog_1_x\n  entry 0:              version = 1.5\n"
                   "  entry 1: kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
                   "kkkkkkkk = \n");
    mk_begin(&m, true);
    mk_own(&m, PTS_RECORD_CALLCHAIN_DEFERRED, chain, sizeof(chain));
    r = lone(NULL, PTS_RECORD_CALLCHAIN_DEFERRED, 8 + sizeof(chain));
    r.head.misc = 2;
    r.head.id = (struct pts_sample_id){.pid = 7, .tid = 8};
    rec_text_dump(&t, NULL, &r, &names);
    check_text(&t, "(IP, 0x2): 7/8: 0x1234\n... FP chain: nr:2\n"
                   ".....  0: fffffffffffffe00\n.....  1: 0000000000401000\n");
    STREQ(rec_type_name(PTS_RECORD_SCHEDSTAT_DOMAIN), "SCHEDSTAT_DOMAIN");
    text_free(&t);
}

/* In the lines of --show-lost-events a LOST reads otherwise than in the dump. */
T(lost_outside_the_dump)
{
    static const uint64_t body[2] = {100, 5};
    struct text t = {0};
    mk_begin(&m, true);
    mk_own(&m, PTS_RECORD_LOST, body, sizeof(body));
    const struct record r = lone(NULL, PTS_RECORD_LOST, 24);
    rec_text(&t, &r, &names);
    check_text(&t, " lost 5\n");
    text_free(&t);
}

/* Packets come out the same in one go and in steps, and take up zeros behind them. */
T(packets)
{
    static const uint8_t pt[] = {
        2,    0x82, 2, 0x82, 2, 0x82, 2,    0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
        0x99, 1,    2, 0x23, 0, 6,    0xd9, 0,    1, 0xff, 2, 0,    0, 0,    0, 0};
    static const char want[] =
        ".  00000000:  02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82 PSB\n"
        ".  00000010:  99 01                                           MODE.Exec IF:0 "
        "64\n"
        ".  00000012:  02 23 00                                        PSBEND\n"
        ".  00000015:  06                                              TNT T (1)\n"
        ".  00000016:  d9                                              Bad packet!\n"
        ".  00000017:  00                                              PAD\n"
        ".  00000018:  01                                              TIP.PGD no ip\n"
        ".  00000019:  ff 02 00 00 00 00 00                            CYC 0x3f\n";
    struct text t = {0};
    struct dump d = {.aux = pts_pkt_cursor_of(pt, sizeof(pt)), .aux_start = pt};
    dump_packets(&d, &t);
    CHECK(!dump_has_packets(&d));
    check_text(&t, want);
    text_free(&t);
}

/* Offsets have more than eight digits behind 4 GiB. */
T(packets_far_behind)
{
    static const size_t gib4 = (size_t)1 << 32, page = 4096;
    static const char want[] =
        ".  fffffffe:  06                                              TNT T (1)\n"
        ".  ffffffff:  2d 01 02                                        TIP 0x201\n"
        ".  100000002:  0b                                              CYC 0x1\n"
        ".  100000003:  08                                              TNT NN (2)\n";
    static const uint8_t pt[] = {6, 0x2d, 1, 2, 0x0b, 8};
    uint8_t *all = mmap(NULL, gib4 + page, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint8_t *at = all + gib4 - 2;
    struct text t = {0};

    CHECK(all != MAP_FAILED);
    EQ(mprotect(all + gib4 - page, 2 * page, PROT_READ | PROT_WRITE), 0);
    memcpy(at, pt, sizeof(pt));
    struct dump d = {.aux = pts_pkt_cursor_of(at, sizeof(pt)), .aux_start = all};
    dump_packets(&d, &t);
    CHECK(!dump_has_packets(&d));
    check_text(&t, want);
    text_free(&t);
    munmap(all, gib4 + page);
}

T(packets_in_steps)
{
    enum { N = 3000, LINE = 64 + 6 };
    static uint8_t pt[N];
    struct text t = {0};
    struct dump d = {.aux = pts_pkt_cursor_of(pt, N), .aux_start = pt};
    size_t total = 0, steps = 0;
    memset(pt, 0x0b, sizeof(pt));
    for (; dump_has_packets(&d) && steps < N; steps++) {
        dump_packets(&d, &t);
        CHECK(t.len < 70000);
        total += t.len;
        t.len = 0;
    }
    EQ(total, N * LINE);
    CHECK(steps > 1);
    text_free(&t);
}

T_RUN(T_CASE(kernel_records), T_CASE(own_records), T_CASE(newer_records),
      T_CASE(lost_outside_the_dump), T_CASE(packets), T_CASE(packets_far_behind),
      T_CASE(packets_in_steps))
