/* test_out_perf.c - flags, payloads, errors and columns; texts printed by perf 6.1.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/plan/made.h"
#include "synth/print/line/out_perf.h"
#include "synth/print/line/out_synth.h"
#include "synth/print/record/rec_text.h"
#include "synth/sample/fault.h"
#include "tests/lib/t.h"

#include <ptscript/sample.h>

static struct text t;

static const char *taken(void)
{
    text_char(&t, '\0');
    t.len = 0;
    return t.at;
}

static const char *flags(uint32_t v)
{
    out_flags(&t, v);
    return taken();
}

T(flags_column)
{
    STREQ(flags(0), "                        ");
    STREQ(flags(PTS_FLAG_BRANCH | PTS_FLAG_CALL), "  call                  ");
    STREQ(flags(PTS_FLAG_BRANCH | PTS_FLAG_RETURN | PTS_FLAG_IN_TX),
          "  return            (x) ");
    STREQ(flags(PTS_FLAG_BRANCH | PTS_FLAG_TRACE_BEGIN | PTS_FLAG_INTR_OFF |
                PTS_FLAG_INTR_TOGGLE),
          "  tr strt          (Dt) ");
    STREQ(
        flags(PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_SYSCALL | PTS_FLAG_TRACE_END),
        "  tr end  syscall       ");
    STREQ(flags(PTS_FLAG_BRANCH | PTS_FLAG_ASYNC | PTS_FLAG_TRACE_END |
                PTS_FLAG_INTR_OFF),
          "  tr end  async     (D) ");
    STREQ(flags(PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_ASYNC | PTS_FLAG_INTERRUPT),
          "  hw int                ");
    STREQ(flags(PTS_FLAG_BRANCH | PTS_FLAG_TX_ABORT), "  tx abrt               ");
    STREQ(flags(PTS_FLAG_IN_TX), "  x                     ");
    STREQ(flags(PTS_FLAG_INTR_TOGGLE), "  t                     ");
}

static const char *synth(enum made_event made, const void *raw, uint32_t len)
{
    out_synth(&t, made_row(made)->config, (struct raw_bytes){raw, len});
    return taken();
}

T(payloads)
{
    static const uint8_t ptw[12] = {1, 0, 0, 0, 'H', 'e', 'l', 'l', 'o'};
    static const uint8_t ptw_bin[12] = {0, 0, 0, 0, 0x78, 0x56, 0x34, 0x12};
    static const uint8_t mwait[12] = {0, 0, 0, 0, 0x60, 0, 0, 0, 1};
    static const uint8_t pwre[12] = {0, 0, 0, 0, 0x80, 0x34};
    static const uint8_t pwrx[12] = {0, 0, 0, 0, 0x22, 0x04};
    static const uint8_t cbr[12] = {29, 0, 12, 0, 0xa0, 0x40, 0x2c};
    static const uint8_t psb[12] = {0};
    static const uint8_t evt[20] = {0x81, 14, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 7};
    static const uint8_t evt_no_name[4] = {30, 5, 0, 0};
    static const uint8_t iflag[12] = {3};
    STREQ(synth(MADE_PTWRITE, ptw, 12), " IP: 1 payload: 0x6f6c6c6548 Hello ");
    STREQ(synth(MADE_PTWRITE, ptw_bin, 12), " IP: 0 payload: 0x12345678        ");
    STREQ(synth(MADE_MWAIT, mwait, 12), " hints: 0x60 extensions: 0x1      ");
    STREQ(synth(MADE_PWRE, pwre, 12), " hw: 1 cstate: 3 sub-cstate: 4    ");
    STREQ(synth(MADE_EXSTOP, ptw, 4), " IP: 1                            ");
    STREQ(synth(MADE_PWRX, pwrx, 12),
          " deepest cstate: 2 last cstate: 2 wake reason: 0x4 ");
    STREQ(synth(MADE_CBR, cbr, 12), " cbr: 29 freq: 2900 MHz (242%)    ");
    STREQ(synth(MADE_PSB, psb, 12), " psb offs: 0                      ");
    STREQ(synth(MADE_EVT, evt, 20), " cfe: INTR IP: 1 vector: 14 EVD_5: 0x7");
    STREQ(synth(MADE_EVT, evt_no_name, 4), " cfe: 30 IP: 0 vector: 5          ");
    STREQ(synth(MADE_IFLAG, iflag, 12), " IFLAG: 0->1 via branch           ");
    STREQ(synth(MADE_PSB, psb, 11), "");
}

T(errors)
{
    const char *text = fault_text(5);
    struct pts_auxtrace_error e = {
        .type = 1,
        .code = 5,
        .fmt = 1,
        .cpu = 3,
        .pid = 3174,
        .tid = 3174,
        .ip = 0xffffffffb960d302,
        .time = 641256845844,
        .msg = {(const uint8_t *)text, strlen(text)},
    };
    rec_text_error(&t, &e);
    STREQ(
        taken(),
        " instruction trace error type 1 time 641.256845844 cpu 3 pid 3174 tid 3174 ip "
        "0xffffffffb960d302 code 5: Failed to get instruction\n");
    e.fmt = 0;
    e.ip = 0;
    e.type = 2;
    e.cpu = -1;
    rec_text_error(&t, &e);
    STREQ(taken(),
          " unknown AUX error type 2 time 0 cpu -1 pid 3174 tid 3174 ip 0 code 5: "
          "Failed to get instruction\n");
}

/* --- Whole lines --- */

static void place(void *ctx, const struct who *w, uint8_t cpumode, uint64_t ip,
                  struct place *out)
{
    (void)ctx;
    (void)w;
    if (cpumode != PTS_MODE_USER || ip < 0x401000 || ip > 0x402000)
        return;
    bool f = ip >= 0x401023;
    *out = (struct place){.sym = f ? "f" : "_start",
                          .sym_off = ip - (f ? 0x401023 : 0x401000),
                          .dso = "/build/t",
                          .dso_short = "t",
                          .dso_path = "/build/t"};
}

static const char *comm(void *ctx, const struct who *w)
{
    (void)ctx;
    return w->tid == 4242 ? "t" : ":-1";
}

static pts_status srcline(void *ctx, const struct place_query *q, const char **text,
                          size_t *n)
{
    (void)ctx;
    *text = "t.S:17";
    *n = q->ip ? strlen(*text) : 0;
    return PTS_OK;
}

static const struct lookup look = {.place = place, .comm = comm, .srcline = srcline};
static struct evlist l;
static struct fields f;
static struct places *places;

static void setup(const char *fields_str)
{
    struct evl_attr a = {.type = PTS_TYPE_HARDWARE,
                         .config = 4,
                         .sample_type = PTS_SAMPLE_IP | PTS_SAMPLE_TID |
                                        PTS_SAMPLE_TIME | PTS_SAMPLE_CPU |
                                        PTS_SAMPLE_ADDR,
                         .flags = 1 << 5 | 1 << 6,
                         .sample_period = 1};
    struct evl_attr pt = {.type = 6};
    if (!places)
        EQ(places_new(&look, &places), PTS_OK);
    evl_free(&l);
    EQ(evl_add(&l, &a), PTS_OK);
    EQ(evl_add(&l, &pt), PTS_OK);
    fields_init(&f);
    if (fields_str)
        EQ(fields_parse(&f, fields_str, NULL, NULL, NULL), PTS_OK);
}

static const struct sample branch = {
    .who = {4242, 4242, 1, 0, 0, 0},
    .ip = 0x401024,
    .addr = 0x401005,
    .time = 641257928673,
    .period = 1,
    .insn_cnt = 3,
    .cyc_cnt = 20,
    .flags = PTS_FLAG_BRANCH | PTS_FLAG_RETURN,
    .cpumode = PTS_MODE_USER,
    .insn_len = 1,
    .insn = {0xc3  },
    .depth = 1,
};

static const char *line(const struct out_opts *opts, const struct sample *s)
{
    struct out_perf *o;
    EQ(out_perf_new(&f, &l, places, opts, &o), PTS_OK);
    out_perf_sample(o, s, &t);
    size_t first = t.len;
    out_perf_sample(o, s, &t); /* again, from what is kept */
    EQ(t.len, 2 * first);
    EQ(memcmp(t.at, t.at + first, first), 0);
    t.len = first;
    out_perf_free(o);
    return taken();
}

T(branches)
{
    static const struct out_opts plain = {0}, ns = {.ns = true};
    setup(NULL);
    STREQ(line(&plain, &branch),
          "               t  4242 [001]   641.257928:          1           branches:u: "
          "     "
          "      401024 f+0x1 (/build/t) =>           401005 _start+0x5 (/build/t)\n");
    setup("+flags,+ipc");
    STREQ(line(&ns, &branch), "               t  4242 [001]   641.257928673:          "
                              "1           branches:u:   "
                              "return                           401024 f+0x1 "
                              "(/build/t) \t IPC: 0.15 (3/20) \n");
    setup("+insn,-event,-period,+ipc,+insnlen,+srcline");
    STREQ(line(&ns, &branch), "               t  4242 [001]   641.257928673:           "
                              " 401024 f+0x1 (/build/t) "
                              "\t IPC: 0.15 (3/20) \n  t.S:17 ilen: 1 insn: c3\n");
    setup("ip,addr");
    struct sample begin = branch;
    begin.ip = 0;
    begin.addr = 0x401000;
    STREQ(line(&plain, &begin), "                0 =>           401000\n");
    setup("comm,pid,tid,cpu");
    begin.who = (struct who){.pid = -1, .tid = -1, .cpu = -1, .thread = UINT32_MAX};
    STREQ(line(&plain, &begin), "             :-1    -1/-1    [-01] \n");
}

T(call_indentation)
{
    static const struct out_opts trace = {.ns = true, .pad_dso = 50};
    static const struct out_opts ns = {.ns = true};
    setup("-ip,-addr,-event,-period,+callindent");
    struct sample call = branch;
    call.flags = PTS_FLAG_BRANCH | PTS_FLAG_CALL;
    call.ip = 0x401000;
    call.addr = 0x401023;
    STREQ(line(&trace, &call), "               t  4242 [001]   641.257928673: "
                               "(/build/t                           "
                               "               )\t    f                           \n");
    setup("-ip,-addr,-event,-period,+callindent,+flags");
    STREQ(line(&ns, &branch),
          "               t  4242 [001]   641.257928673:   return         "
          "       (/build/t)\t    f                           \n");
    struct sample end = branch;
    end.flags = PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_SYSCALL | PTS_FLAG_TRACE_END;
    end.addr = 0;
    struct out_perf *o;
    EQ(out_perf_new(&f, &l, places, &ns, &o), PTS_OK);
    out_perf_sample(o, &branch, &t);
    t.len = 0;
    out_perf_sample(o, &end, &t);
    STREQ(taken(),
          "               t  4242 [001]   641.257928673:   tr end  syscall       "
          "(/build/t)\t                                \n");
    out_perf_free(o);
}

/* What is kept of one line is not that of another which differs in any one thing. */
T(kept_parts_are_those_of_the_line)
{
    static const struct out_opts ns = {.ns = true}, us = {0};
    static const char *const fields[] = {"-ip,-addr,-event,-period,+callindent,+flags",
                                         "-ip,-addr,+callindent", "+insn", "+addr"};
    struct sample s[13];

    for (size_t i = 0; i < sizeof(s) / sizeof(s[0]); i++)
        s[i] = branch;
    s[1].time += 7;
    s[2].time += UINT64_C(3000000000);
    s[3].time = 5;
    s[4].depth = 9;
    s[5].flags = PTS_FLAG_BRANCH | PTS_FLAG_CALL;
    s[6].flags = PTS_FLAG_BRANCH | PTS_FLAG_CALL;
    s[6].addr = 0x401023;
    s[7].flags = PTS_FLAG_BRANCH;
    s[8].ip = 0x500000; /* in no map */
    s[9].who.cpu = 2;
    s[10].who.pid = 1;
    s[11].period = 2;
    s[12].insn_len = 0;
    for (size_t i = 0; i < 4 * sizeof(s) / sizeof(s[0]); i++) {
        const struct out_opts *opts = i % 2 ? &us : &ns;
        const struct sample *of = &s[i / 4];
        struct out_perf *o;
        setup(fields[i % 4]);
        EQ(out_perf_new(&f, &l, places, opts, &o), PTS_OK);
        for (size_t k = 0; k < sizeof(s) / sizeof(s[0]);
             k++) { /* those that are kept */
            out_perf_sample(o, &s[k], &t);
            out_perf_sample(o, &branch, &t);
        }
        t.len = 0;
        const struct out_indent wide = {1, {64}};
        *out_perf_indent(o) = wide;
        out_perf_sample(o, of, &t);
        size_t kept = t.len;
        out_perf_free(o);
        EQ(out_perf_new(&f, &l, places, opts, &o), PTS_OK);
        *out_perf_indent(o) = wide;
        out_perf_sample(o, of, &t);
        EQ(t.len, 2 * kept);
        EQ(memcmp(t.at, t.at + kept, kept), 0);
        out_perf_free(o);
        t.len = 0;
    }
}

/* A name so long that what is kept of it is soon full. */
static void long_place(void *ctx, const struct who *w, uint8_t mode, uint64_t ip,
                       struct place *out)
{
    static char name[400];

    place(ctx, w, mode, 0x401024, out);
    memset(name, 'n', sizeof(name) - 1);
    out->sym = name;
    out->sym_off = ip & 0xfff;
}

static struct sample another(uint32_t i)
{
    struct sample s = branch;

    s.ip = 0x401000 + i * 7919 % 1009;
    s.addr = i % 3 ? 0x401000 + i * 31 % 5 : 0x401000 + i * 104729 % 1013;
    s.time += (uint64_t)i * (i % 2 ? 123456789 : 1000);
    if (i % 97 < 2)
        s.time = i % 97 ? i : UINT64_MAX - i % 3;
    s.period = 1 + (i % 11 == 0) * (uint64_t)i;
    s.who.thread = i / 50 % 3;
    s.who.tid += (int32_t)s.who.thread;
    s.who.epoch = s.who.space = i / 100 % 7;
    s.event = i / 5 % 2;
    s.insn_len = (uint8_t)(i % 16);
    return s;
}

/* Whatever was printed before, a line is that of a printer which has printed nothing.  A new
   printer for each line takes a sanitizer 8 ms. */
#ifdef __SANITIZE_ADDRESS__
enum { KEPT_LINES = 800 };
#else
enum { KEPT_LINES = 8000 };
#endif

T(kept_lines)
{
    static const char *const of[] = {
        "comm,tid,cpu,time,event,period,ip,addr,sym,symoff",
        "tid,time,ip,sym,symoff,insn"};
    static const struct lookup long_look = {.place = long_place, .comm = comm};
    struct places *shared = places, *own;
    EQ(places_new(&long_look, &own), PTS_OK);
    for (unsigned n = 0; n < 2; n++) {
        const struct out_opts opts = {.ns = n};
        struct out_perf *o;
        setup(of[n]);
        EQ(out_perf_new(&f, &l, own, &opts, &o), PTS_OK);
        places = own;
        for (uint32_t i = 0; i < KEPT_LINES; i++) {
            const struct sample s = another(i);
            char kept[2048];
            out_perf_sample(o, &s, &t);
            snprintf(kept, sizeof(kept), "%s", taken());
            STREQ(line(&opts, &s), kept);
        }
        places = shared;
        out_perf_free(o);
    }
    places_free(own);
}

/* Calls that go up and down, with names of all lengths: some are not kept at all. */
static void call_place(void *ctx, const struct who *w, uint8_t mode, uint64_t ip,
                       struct place *out)
{
    static char names[700][600];
    const size_t n = ip % 700;

    place(ctx, w, mode, 0x401024, out);
    memset(names[n], 'a' + (int)(n % 26), n % 7 ? n % 90 : n * 6 / 7);
    out->sym = names[n];
}

static uint32_t series_of(struct brief *at, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = from + i;
        at[i] = (struct brief){
            .ip = 0x401000 + n % 31,
            .addr = 0x401000 + (uint64_t)n * n % 2003,
            .time = branch.time + (uint64_t)n * (n % 53 ? 11 : 99999999),
            .flags = PTS_FLAG_BRANCH | (n % 3 ? PTS_FLAG_CALL : PTS_FLAG_RETURN),
            .depth = n * n / 17 % 40,
            .insn_len = (uint8_t)(n % 16)};
        if (n % 101 == 0)
            at[i].ip |= UINT64_C(0xffff800000000000); /* the kernel's */
    }
    return count;
}

/* Lines of a series are those of its samples, each for itself. */
T(lines_in_a_row)
{
    static const struct lookup call_look = {.place = call_place, .comm = comm};
    static const char *const of[] = {"-ip,-addr,-event,-period,+callindent,+flags",
                                     "-ip,-addr,+callindent", "+insn", "+addr",
                                     "+flags"};
    static struct brief brief[300];
    struct out_perf *row, *single;
    struct places *own;
    uint32_t kept = 0;

    EQ(places_new(&call_look, &own), PTS_OK);
    for (unsigned n = 0; n < 5; n++) {
        const struct out_opts opts = {.ns = n % 2};
        struct series series = {branch, brief, 0};
        setup(of[n]);
        EQ(out_perf_new(&f, &l, own, &opts, &row), PTS_OK);
        EQ(out_perf_new(&f, &l, own, &opts, &single), PTS_OK);
        for (uint32_t k = 0; k < 40; k++) {
            struct sample one = branch;
            series.count = series_of(brief, k % 8 * 97, 1 + k * 7);
            for (uint32_t i = 0; i < series.count; i++) {
                const uint32_t some = out_perf_kept(row, &series, i, &t);
                kept += some;
                i += some;
                series_sample(&one, &brief[i < series.count ? i : 0]);
                if (i < series.count)
                    out_perf_sample(row, &one, &t);
            }
            const size_t len = t.len;
            for (uint32_t i = 0; i < series.count; i++) {
                series_sample(&one, &brief[i]);
                out_perf_sample(single, &one, &t);
            }
            EQ(t.len, 2 * len);
            EQ(memcmp(t.at, t.at + len, len), 0);
            t.len = 0;
        }
        out_perf_free(row);
        out_perf_free(single);
    }
    CHECK(kept > 10000);
    places_free(own);
}

T(records)
{
    static const struct out_opts plain = {0};
    struct out_perf *o;
    setup("+misc");
    EQ(out_perf_new(&f, &l, places, &plain, &o), PTS_OK);
    struct sample s = branch;
    s.misc = 2 | 1 << 13;
    out_perf_start(o, &s, 3, &t);
    STREQ(taken(), "               t  4242 [001] UE      641.257928: ");
    s.misc = 1 << 13 | 1 << 14;
    out_perf_start(o, &s, 15, &t);
    STREQ(taken(), "               t  4242 [001] Sp      641.257928: ");
    out_perf_free(o);
    places_free(places);
    evl_free(&l);
    text_free(&t);
}

T_RUN(T_CASE(flags_column), T_CASE(payloads), T_CASE(errors), T_CASE(branches),
      T_CASE(call_indentation), T_CASE(kept_parts_are_those_of_the_line),
      T_CASE(kept_lines), T_CASE(lines_in_a_row), T_CASE(records))
