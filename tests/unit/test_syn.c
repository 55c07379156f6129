/* test_syn.c - events of the decoder to lines; the lines are perf 6.1's for such a
 * trace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/ipflags.h"
#include "synth/out_synth.h"
#include "synth/synth.h"
#include "tests/lib/t.h"
#include "walker/ild.h"

/* What all lines begin with, and the two kinds of event column. */
#define AT   "               t  4242 [001]   641.257928"
#define B    ":          1           branches:u: "
#define TX   ":          1         transactions: "
#define NOIP "                0 [unknown] ([unknown])"

static struct text t;
static struct synth *s;
static char said[1024];
static const struct who task = {.pid = 4242, .tid = 4242, .cpu = 1, .thread = 1};

static void place(void *ctx, const struct who *w, uint8_t cpumode, uint64_t ip,
                  struct place *out)
{
    static const struct {
        const char *name;
        uint64_t start, end;
    } syms[] = {
        {"_start", 0x401000, 0x401023},
        {"f",      0x401023, 0x401025},
        {"g",      0x401025, 0x40102b},
        {"f2",     0x40102b, 0x40102d},
        {"f3",     0x40102d, 0x40102f}
    };
    (void)ctx;
    (void)w;
    if (cpumode != CPUMODE_USER || ip < 0x401000 || ip >= 0x402000)
        return;
    out->dso = "/build/t";
    out->dso_short = "t";
    for (size_t i = 0; i < sizeof(syms) / sizeof(syms[0]); i++)
        if (ip >= syms[i].start && ip < syms[i].end) {
            out->sym = syms[i].name;
            out->sym_off = ip - syms[i].start;
        }
}

static const char *comm(void *ctx, const struct who *w)
{
    (void)ctx;
    (void)w;
    return "t";
}

static void message(void *ctx, enum pts_message_kind kind, const char *text)
{
    (void)ctx;
    (void)kind;
    strncat(said, text, sizeof(said) - strlen(said) - 1);
}

/* A recording of one intel_pt event, with everything in its config. */
static pts_status start_why(const struct pts_option *options, size_t count,
                            struct pts_diag *why)
{
    static const uint64_t ids[] = {100, 101};
    static const uint64_t flags = 1 << 1 | 1 << 5 | 1 << 6 | 1 << 18;
    static const struct evl_attr attrs[] = {
        {.type = 6,
         .config = 0x8300f633,
         .sample_type = 0x10087,
         .flags = flags,
         .sample_period = 1,
         .ids = &ids[0],
         .id_count = 1},
        {.type = 1,
         .config = 9,
         .sample_type = 0x10087,
         .flags = flags,
         .sample_period = 1,
         .ids = &ids[1],
         .id_count = 1}
    };
    static const uint64_t aux[] = {6,   31,    1789569706, 18446744041015200657u,
                                   1,   0x400, 0x800,      3,
                                   0,   1,     0x200,      0x3c000,
                                   100, 2,     2,          12,
                                   0,   1};
    static const struct lookup look = {.place = place, .comm = comm};
    struct options o;
    options_init(&o, message, NULL);
    said[0] = '\0';
    pts_status st = options_parse(&o, options, count, why);
    struct synth_setup u = {.options = &o,
                            .attr = attrs,
                            .attr_count = 2,
                            .check = {.has_auxtrace = true},
                            .cpus_available = 4,
                            .native = true,
                            .aux = aux,
                            .aux_count = 18,
                            .look = &look};
    return st == PTS_OK ? synth_new(&u, &s, why) : st;
}

static void start(const char *itrace, const char *fields)
{
    struct pts_option o[] = {
        {"itrace", itrace},
        {"fields", fields},
        {"ns",     NULL  }
    };
    struct pts_diag why = {0};
    EQ(start_why(o, 3, &why), PTS_OK);
    STREQ(why.text, "");
}

static const char *finish(void)
{
    static char out[8192];
    struct run_counts none = {0};
    synth_finish(s, &none);
    synth_free(s);
    s = NULL;
    text_char(&t, '\0');
    snprintf(out, sizeof(out), "%s", t.at);
    t.len = 0;
    return out;
}

static uint64_t tsc_at(uint64_t ns)
{
    return time_in_ticks((struct time_range){ns, 0}, &synth_needs(s)->conv).start;
}

static void feed(struct pt_event ev, const struct pt_extra *x)
{
    ev.tsc = tsc_at(ev.tsc);
    ev.extra = x != NULL;
    struct pt_payload payload = {.extra = x};
    EQ(synth_event(s, 0, &ev, payload, &task, &t), PTS_OK);
}

static struct pt_event branch(uint64_t ns, uint64_t from, uint64_t to,
                              enum insn_class cls)
{
    return (struct pt_event){.what = EV_BRANCH,
                             .tsc = ns,
                             .from = from,
                             .to = to,
                             .cls = (uint8_t)cls,
                             .flags = EVF_FROM_IF | EVF_TO_IF,
                             .trace_nr = 1};
}

T(calls_with_counts)
{
    struct pt_extra x = {.cbr = 0x1d};
    start("bep", "+flags,+ipc");
    feed((struct pt_event){.what = EV_PSB | EV_CBR, .tsc = 641257928663}, &x);
    struct pt_event ev = branch(641257928666, 0, 0x401000, INSN_OTHER);
    ev.what |= EV_TRACE_BEGIN;
    feed(ev, NULL);
    feed(branch(641257928666, 0x401000, 0x401023, INSN_CALL), NULL);
    ev = branch(641257928673, 0x401024, 0x401005, INSN_RET);
    ev.flags |= EVF_IPC;
    ev.ninsn = 3;
    ev.ncyc = 20;
    feed(ev, NULL);
    ev = branch(641257928674, 0x40100c, 0x401025, INSN_CALL);
    ev.flags |= EVF_IPC;
    ev.ninsn = 5;
    ev.ncyc = 25;
    feed(ev, NULL);
    STREQ(finish(), AT
          "663:                  psb:                          psb offs: 0            "
          "          " NOIP "\n" AT
          "663:                  cbr:                          cbr: 29 freq: 2900 MHz "
          "(242%)    " NOIP "\n" AT "666" B "  tr strt               " NOIP "\n" AT
          "666" B "  call                             401000 _start+0x0 (/build/t)\n" AT
          "673" B "  return                           401024 f+0x1 (/build/t) \t IPC: "
          "0.15 (3/20) \n" AT "674" B
          "  call                             40100c _start+0xc (/build/t) \t "
          "IPC: 0.40 (2/5) \n");
}

static void feed_flags_and_events(void)
{
    struct pt_extra x = {.cfe_type = 1, .cfe_vector = 14};
    struct pt_event ev = branch(641257928666, 0, 0x401000, INSN_OTHER);
    ev.what |= EV_TRACE_BEGIN | EV_IFLAG;
    ev.flags = EVF_TO_IF;
    feed(ev, NULL);
    ev = branch(641257928666, 0x401023, 0, INSN_OTHER);
    ev.what = EV_TX;
    ev.flags |= EVF_IN_TX;
    feed(ev, NULL);
    ev = branch(641257928666, 0x401025, 0x40100e, INSN_OTHER);
    ev.what |= EV_TX;
    ev.flags |= EVF_TX_ABORT;
    feed(ev, NULL);
    ev = branch(641257928666, 0x401013, 0, INSN_OTHER);
    ev.what = EV_CFE;
    ev.flags |= EVF_FUP_IP;
    feed(ev, &x);
    feed((struct pt_event){.what = EV_ERROR,
                           .err = FAULT_MISMATCH,
                           .tsc = 641257928671,
                           .from = 0x401015},
         NULL);
    ev = branch(641257928671, 0x401013, 0, INSN_OTHER);
    ev.what = EV_IFLAG;
    ev.flags = EVF_FROM_IF;
    feed(ev, NULL);
    x.ptwrite = 0x41424344;
    ev.what = EV_PTWRITE;
    ev.flags = 0;
    feed(ev, &x);
    ev = branch(641257928671, 0x40101c, 0, INSN_OTHER);
    ev.flags = EVF_ASYNC;
    feed(ev, NULL);
}

T(interrupts_transactions_and_faults)
{
    start("bexwI", "+flags,+addr");
    feed_flags_and_events();
    synth_lost(s, 1, 4242, 4242, 641257970329, &t);
    STREQ(
        finish(), AT
        "666:                iflag:   tr strt          (Dt)  IFLAG: 0->1 via branch    "
        "                 401000" NOIP "\n" AT "666" B "  tr strt          (Dt) " NOIP
        " =>           401000 _start+0x0 "
        "(/build/t)\n" AT "666" TX
        "  x                                    0           401023 f+0x0 "
        "(/build/t)\n" AT "666" TX
        "  tx abrt                         40100e           401025 g+0x0 "
        "(/build/t)\n" AT "666" B
        "  tx abrt                          401025 g+0x0 (/build/t) =>       "
        "    40100e _start+0xe (/build/t)\n" AT
        "666:                  evt:                          cfe: INTR IP: 1 vector: 14"
        "                      0           401013 _start+0x13 (/build/t)\n"
        " instruction trace error type 1 time 641.257928671 cpu 1 pid 4242 tid 4242 ip "
        "0x401015 code 6: Trace doesn't match instruction\n" AT
        "671:                iflag:   t                      IFLAG: 1->0 non branch    "
        "                      0           401013 _start+0x13 (/build/t)\n" AT
        "671:              ptwrite:   D                      IP: 0 payload: 0x41424344 "
        "DCBA                  0           401013 _start+0x13 (/build/t)\n" AT "671" B
        "  tr end  async     (D)            40101c _start+0x1c (/build/t) =>  "
        "              0 [unknown] ([unknown])\n"
        " instruction trace error type 1 time 641.257970329 cpu 1 pid 4242 tid 4242 ip "
        "0 "
        "code 8: Lost trace data\n");
    STREQ(said, "Warning:\n2 instruction trace errors\n");
}

T(letters_choose)
{
    start("cre-o-l", "ip");
    feed(branch(641257928666, 0x401000, 0x401023, INSN_CALL), NULL);
    feed(branch(641257928666, 0x401015, 0x401013, INSN_JCC), NULL);
    feed(branch(641257928666, 0x401024, 0x401005, INSN_RET), NULL);
    feed(
        (struct pt_event){.what = EV_ERROR, .err = FAULT_OVERFLOW, .tsc = 641257928671},
        NULL);
    synth_lost(s, 1, 4242, 4242, 641257970329, &t);
    CHECK(!(synth_needs(s)->want_classes & 1u << INSN_JCC));
    CHECK(synth_needs(s)->want_classes & 1u << INSN_CALL);
    STREQ(finish(), "           401000\n           401024\n");
    STREQ(said, "");
}

T(first_samples_are_skipped)
{
    start("bs2", "ip");
    for (uint64_t i = 0; i < 4; i++)
        feed(branch(641257928666, 0x401000 + i, 0x401023, INSN_CALL), NULL);
    STREQ(finish(), "           401002\n           401003\n");
}

T(periods_are_differences)
{
    start("i2i", "period,ip");
    EQ(synth_needs(s)->period_unit, PERIOD_INSNS);
    EQ(synth_needs(s)->period, 2);
    for (uint64_t i = 1; i < 4; i++)
        feed(
            (struct pt_event){
                .what = EV_INSN, .tsc = 641257928666, .from = 0x401000, .ninsn = i * i},
            NULL);
    STREQ(finish(), "         1            401000\n         3            401000\n"
                    "         5            401000\n");
}

T(power_events_and_ratio)
{
    struct pt_extra x = {
        .mwait = 0x100000060, .pwre = 0x3480, .pwrx = 0x422, .cbr = 16};
    start("p", "event,synth");
    feed((struct pt_event){.what = EV_MWAIT | EV_PWRE | EV_EXSTOP | EV_PWRX | EV_CBR,
                           .tsc = 641257928666,
                           .from = 0x401000,
                           .flags = EVF_FUP_IP},
         &x);
    feed((struct pt_event){.what = EV_PSB | EV_CBR, .tsc = 641257928666}, &x);
    STREQ(finish(),
          "                 cbr:  cbr: 16 freq: 1600 MHz (133%)    \n"
          "               mwait:  hints: 0x60 extensions: 0x1      \n"
          "                pwre:  hw: 1 cstate: 3 sub-cstate: 4    \n"
          "              exstop:  IP: 1                            \n"
          "                pwrx:  deepest cstate: 2 last cstate: 2 wake reason: "
          "0x4 \n"
          "                 psb:  psb offs: 0                      \n");
}

T(depth_and_graph_function)
{
    struct pts_option o[] = {
        {"call-ret-trace", NULL                   },
        {"graph-function", "f2,g"                 },
        {"fields",         "-comm,-tid,-cpu,-time"}
    };
    struct pts_diag why = {0};
    EQ(start_why(o, 3, &why), PTS_OK);
    feed(branch(641257928666, 0x401000, 0x401023, INSN_CALL), NULL);
    feed(branch(641257928666, 0x40100c, 0x401025, INSN_CALL), NULL);
    feed(branch(641257928666, 0x401025, 0x401023, INSN_CALL), NULL);
    STREQ(finish(),
          "  call                  (/build/t)\t        g                       \n"
          "  call                  (/build/t)\t            f                   \n");
}

T(time_and_cpu_filters)
{
    struct pts_option o[] = {
        {"itrace", "b"                          },
        {"fields", "ip"                         },
        {"time",   "641.257928667,641.257928668"},
        {"cpu",    "1"                          }
    };
    struct pts_diag why = {0};
    EQ(start_why(o, 4, &why), PTS_OK);
    EQ(synth_needs(s)->range_count, 1);
    EQ(tsc_to_ns(synth_needs(s)->range[0].end, &synth_needs(s)->conv), 641257928668);
    for (uint64_t i = 0; i < 4; i++)
        feed(branch(641257928666 + i, 0x401000 + i, 0x401023, INSN_CALL), NULL);
    STREQ(finish(), "           401001\n           401002\n");
}

T(what_is_wrong_is_said)
{
    static const struct {
        struct pts_option o;
        pts_status st;
        const char *text;
    } cases[] = {
        {{"itrace", "k"},       PTS_E_USAGE,       "Bad Instruction Tracing options 'k'"                    },
        {{"itrace", "bd"},
         PTS_E_UNSUPPORTED,                        "--itrace: the letter d is not supported yet"            },
        {{"time", "641"},       PTS_E_RANGE,       "Invalid time string"                                    },
        {{"cpu", "9"},
         PTS_E_FORMAT,                             "Requested CPU 9 too large. Consider raising MAX_NR_CPUS"},
        {{"insn-trace", "foo"}, PTS_E_USAGE,       "Only accept raw|disasm"                                 },
        {{"addr-range", "x"},
         PTS_E_USAGE,                              " Error: option `addr-range' expects a numerical value"  },
        {{"nonsense", NULL},    PTS_E_USAGE,       " Error: unknown option `nonsense'"                      },
        {{"dlarg", NULL},       PTS_E_UNSUPPORTED, "--dlarg is not supported yet"                           },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pts_diag why = {0};
        EQ(start_why(&cases[i].o, 1, &why), cases[i].st);
        STREQ(why.text, cases[i].text);
    }
    struct pts_option both[] = {
        {"reltime",   NULL},
        {"deltatime", NULL}
    };
    struct pts_diag why = {0};
    EQ(start_why(both, 2, &why), PTS_E_FORMAT);
    struct pts_option pid = {"pid", "x"};
    EQ(start_why(&pid, 1, &why), PTS_END);
    STREQ(said, "problems parsing pid list\n");
    text_free(&t);
}

T_RUN(T_CASE(calls_with_counts), T_CASE(interrupts_transactions_and_faults),
      T_CASE(letters_choose), T_CASE(first_samples_are_skipped),
      T_CASE(periods_are_differences), T_CASE(power_events_and_ratio),
      T_CASE(depth_and_graph_function), T_CASE(time_and_cpu_filters),
      T_CASE(what_is_wrong_is_said))
