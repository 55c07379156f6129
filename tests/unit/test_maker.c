/* test_maker.c - events of the decoder to lines; the lines are perf 6.1's for such a
 * trace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/line/out_perf.h"
#include "synth/print/record/rec_text.h"
#include "synth/run/counts.h"
#include "synth/sample/maker.h"
#include "tests/lib/t.h"
#include "walker/code/ild.h"

#include <ptscript/sample.h>

/* What all lines begin with, and the two kinds of event column. */
#define AT   "               t  4242 [001]   641.257928"
#define B    ":          1           branches:u: "
#define TX   ":          1         transactions: "
#define NOIP "                0 [unknown] ([unknown])"

static struct text t;
static struct options opt;
static struct plan *plan;
static struct maker *maker;
static struct delivery made;
static struct places *places;
static struct out_perf *lines;
static struct fields shown;
static const struct fields_check check = {.has_auxtrace = true};
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
    if (cpumode != PTS_MODE_USER || ip < 0x401000 || ip >= 0x402000)
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

static uint32_t wants_all(void *ctx, enum out_class class)
{
    (void)ctx;
    (void)class;
    return shown.of[class].on & F_(CALLINDENT) ? UINT32_MAX
                                               : UINT32_MAX & ~(uint32_t)WANT_DEPTH;
}

static pts_status check_file(void *ctx, const struct evlist *l, struct pts_diag *why)
{
    (void)ctx;
    return fields_check_all(&shown, l, &check, why);
}

static void begin(void)
{
    static const struct lookup look = {.place = place, .comm = comm};
    const struct text_options *o = &opt.text;
    struct out_opts oo = {.ns = o->ns, .native = true, .pad_dso = o->pad_dso};
    EQ(delivery_init(&made, plan, &look), PTS_OK);
    EQ(maker_new(plan, &made, &maker), PTS_OK);
    EQ(places_new(&look, &places), PTS_OK);
    EQ(out_perf_new(&shown, &plan->evl, places, &oo, &lines), PTS_OK);
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
    static const struct aux_info aux = {
        .type = PTS_AUXTRACE_INTEL_PT,
        .pmu_type = 6,
        .conv = {18446744041015200657u, 1789569706, 31},
        .cap_user_time_zero = true,
        .tsc_bit = 0x400,
        .noretcomp_bit = 0x800,
        .per_cpu = true,
        .max_ratio = 12,
        .event_trace = 1,
    };
    static const struct wants wants = {.of_class = wants_all, .check_file = check_file};
    const struct plan_facts facts = {
        .attr = attrs, .attr_count = 2, .cpus_available = 4, .aux = &aux};
    struct plan_failed failed;
    options_init(&opt, message, NULL);
    said[0] = '\0';
    pts_status st = options_parse(&opt, options, count, why);
    shown = opt.text.fields;
    if (st == PTS_OK)
        st = plan_new(&facts, &opt, &wants, &plan, &failed, why);
    if (st == PTS_OK)
        begin();
    return st;
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

/* What has been made so far, as text. */
static void print(void)
{
    for (size_t i = 0; i < made.batch.item.len; i++) {
        const struct item *item = &made.batch.item.at[i];
        if (item->kind == ITEM_ERROR)
            rec_text_error(&t, item->error);
        else
            out_perf_sample(lines, &item->sample, &t);
    }
}

static const char *finish(void)
{
    static char out[8192];
    struct run_counts counts = {.trace_errors = maker_errors(maker)};
    print();
    counts_warn(&counts, plan);
    out_perf_free(lines);
    places_free(places);
    maker_free(maker);
    delivery_free(&made);
    plan_free(plan);
    plan = NULL;
    made = (struct delivery){0};
    text_char(&t, '\0');
    snprintf(out, sizeof(out), "%s", t.at);
    t.len = 0;
    return out;
}

static uint64_t tsc_at(uint64_t ns)
{
    return time_in_ticks((struct time_range){ns, 0}, &plan->decode.clock).start;
}

static void lose(uint64_t ns)
{
    const struct pts_sample_id id = {.cpu = 1, .pid = 4242, .tid = 4242, .time = ns};
    EQ(maker_lost(maker, &id), PTS_OK);
}

static void feed_counted(struct pt_event ev, uint64_t ninsn, uint64_t ncyc,
                         const struct pt_extra *x)
{
    const struct pt_more more = {.ninsn = ninsn, .ncyc = ncyc, .extra = x != NULL};

    ev.tsc = tsc_at(ev.tsc);
    ev.more = 1;
    const struct event_batch batch = {.at = &ev, .count = 1, .more = &more, .extra = x};
    EQ(maker_event(maker, 0, &ev, &batch, &(struct whose){task, task, task, false}),
       PTS_OK);
}

static void feed(struct pt_event ev, const struct pt_extra *x)
{
    feed_counted(ev, 0, 0, x);
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
    struct pt_extra x = {.value[EV_NR_CBR] = 0x1d};
    start("bep", "+flags,+ipc");
    feed((struct pt_event){.what = EV_PSB | EV_CBR, .tsc = 641257928663}, &x);
    struct pt_event ev = branch(641257928666, 0, 0x401000, INSN_OTHER);
    ev.what |= EV_TRACE_BEGIN;
    feed(ev, NULL);
    feed(branch(641257928666, 0x401000, 0x401023, INSN_CALL), NULL);
    ev = branch(641257928673, 0x401024, 0x401005, INSN_RET);
    ev.flags |= EVF_IPC;
    feed_counted(ev, 3, 20, NULL);
    ev = branch(641257928674, 0x40100c, 0x401025, INSN_CALL);
    ev.flags |= EVF_IPC;
    feed_counted(ev, 5, 25, NULL);
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
    x.value[EV_NR_PTWRITE] = 0x41424344;
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
    lose(641257970329);
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
    lose(641257970329);
    CHECK(!(plan->decode.want_classes & 1u << INSN_JCC));
    CHECK(plan->decode.want_classes & 1u << INSN_CALL);
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
    EQ(plan->decode.period_unit, PERIOD_INSNS);
    EQ(plan->decode.period, 2);
    for (uint64_t i = 1; i < 4; i++)
        feed_counted(
            (struct pt_event){.what = EV_INSN, .tsc = 641257928666, .from = 0x401000},
            i * i, 0, NULL);
    STREQ(finish(), "         1            401000\n         3            401000\n"
                    "         5            401000\n");
}

T(power_events_and_ratio)
{
    struct pt_extra x = {
        .value = {[EV_NR_MWAIT] = 0x100000060,
                  [EV_NR_PWRE] = 0x3480,
                  [EV_NR_PWRX] = 0x422,
                  [EV_NR_CBR] = 16}
    };
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

enum { ROW = 32 };

/* All of them by maker_event, or as many as it takes by maker_line. */
static void feed_row(const struct pt_event *ev, uint32_t count, bool in_line)
{
    struct pt_more more[ROW];
    for (uint32_t i = 0; i < count; i++)
        more[i] = (struct pt_more){.ninsn = 3 * i, .ncyc = 7 * i / 2};
    const struct event_batch batch = {.at = ev, .count = count, .more = more};
    const struct whose w = {task, task, task, false};

    for (uint32_t i = 0; i < count;) {
        const struct maker_line line = {&ev[i], count - i, UINT64_MAX, &batch};
        uint32_t done = 0;
        if (in_line)
            EQ(maker_line(maker, 0, &line, &w, &done), PTS_OK);
        i += done;
        if (i < count && ev[i].what)
            EQ(maker_event(maker, 0, &ev[i], &batch, &w), PTS_OK);
        i++;
    }
}

/* Common branches and instructions, and among them what maker_line has to leave. */
static uint32_t row_of(struct pt_event *ev)
{
    const uint64_t ns = 641257928666;
    uint32_t n = 0;

    ev[n++] = branch(ns, 0, 0x401000, INSN_OTHER);
    ev[n++] = branch(ns, 0x401000, 0x401023, INSN_CALL);
    ev[n++] = branch(ns, 0x401024, 0x401005, INSN_RET);
    ev[n++] = branch(ns, 0x401005, 0x40102b, INSN_CALL);
    ev[n++] = (struct pt_event){.tsc = ns + 4}; /* tells the time */
    ev[n++] = branch(ns + 5, 0x40102b, 0x40102d, INSN_CALL);
    ev[n++] = branch(ns + 5, 0x40102e, 0x401009, INSN_RET);  /* over two calls */
    ev[n++] = branch(ns + 5, 0x401009, 0x40100e, INSN_CALL); /* of the next one */
    ev[n++] = branch(ns + 9, 0x40100e, 0x401010, INSN_JCC);
    ev[n] = branch(ns + 9, 0x401010, 0x401012, INSN_JMP);
    ev[n++].flags |= EVF_IN_TX;
    ev[n] = branch(ns + 9, 0x401012, 0x401020, INSN_OTHER);
    ev[n++].flags |= EVF_ASYNC;
    for (uint64_t i = 0; i < 3; i++) {
        ev[n] = branch(ns + 20, 0x401020 + i, 0, INSN_OTHER);
        ev[n++].what = EV_INSN;
    }
    ev[n] = branch(ns + 21, 0x401023, 0, INSN_CALL);
    ev[n++].what |= EV_TRACE_END;
    ev[n] = branch(ns + 22, 0x401024, 0x401027, INSN_RET);
    ev[n++].trace_nr = 2;
    ev[n++] = branch(ns + 22, 0x401027, 0x401024, INSN_RET);
    for (uint32_t i = 0; i < n; i++) {
        ev[i].tsc = tsc_at(ev[i].tsc);
        ev[i].ilen = ev[i].cls == INSN_CALL ? 5 : ev[i].from ? 1 : 0;
        ev[i].more = ev[i].what ? i + 1 : 0;
        ev[i].flags |= i % 3 ? 0 : EVF_IPC;
        if (i % 5 == 4)
            ev[i].flags &= (uint16_t)~EVF_TO_IF;
    }
    return n;
}

T(events_in_a_row_become_the_same_samples)
{
    static const char *const sets[][2] = {
        {"be",    "+flags,+ipc"                                },
        {"crewp", "-ip,-addr,-event,-period,+callindent,+flags"},
        {"ce",    "-ip,-addr,-event,-period,+callindent"       },
        {"bes5",  "+flags"                                     },
        {"i0ns",  "+flags,+ipc"                                },
        {"bi0ns", "+ipc"                                       },
        {"i0nsg", "+flags"                                     },
        {"bel8",  "+brstack"                                   }
    };
    static char one[8192];
    struct pt_event ev[ROW];

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        for (int in_line = 0; in_line < 2; in_line++) {
            start(sets[i][0], sets[i][1]);
            made.batch.most = SIZE_MAX;
            feed_row(ev, row_of(ev), in_line);
            if (in_line)
                STREQ(finish(), one);
            else
                snprintf(one, sizeof(one), "%s", finish());
        }
        CHECK(strchr(one, '\n') != strrchr(one, '\n')); /* several lines */
    }
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
    EQ(plan->decode.range.len, 1);
    EQ(tsc_to_ns(plan->decode.range.at[0].end, &plan->decode.clock), 641257928668);
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
        {{"itrace", "k"},       PTS_E_USAGE, "Bad Instruction Tracing options 'k'"                    },
        {{"time", "641"},       PTS_E_RANGE, "Invalid time string"                                    },
        {{"cpu", "9"},
         PTS_E_FORMAT,                       "Requested CPU 9 too large. Consider raising MAX_NR_CPUS"},
        {{"insn-trace", "foo"}, PTS_E_USAGE, "Only accept raw|disasm"                                 },
        {{"addr-range", "x"},
         PTS_E_USAGE,                        " Error: option `addr-range' expects a numerical value"  },
        {{"nonsense", NULL},    PTS_E_USAGE, " Error: unknown option `nonsense'"                      },
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
      T_CASE(depth_and_graph_function), T_CASE(events_in_a_row_become_the_same_samples),
      T_CASE(time_and_cpu_filters), T_CASE(what_is_wrong_is_said))
