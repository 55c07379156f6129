/* test_strict.c - the places where perf is wrong: by the manual, and as perf does.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each case has a few bytes of code at 0x1000 and the packets that a processor writes
 * when it runs them; the instructions that it ran are known.  What is expected without
 * --strict-pt is what is told without it; where an order of packets is also one of
 * tests/cases, that is compared with perf.
 */
#include "tests/lib/t.h"
#include "walker/flow/flow.h"

#include <stdio.h>
#include <string.h>

enum { BASE = 0x1000, PID = 42 };

#define PSB         2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82
#define MODE        0x99, 1
#define END         2, 0x23
#define IP(op, low) ((op) | 2 << 5), (low), 0x10, 0, 0
#define FUP(low)    IP(0x1d, low)
#define TIP(low)    IP(0x0d, low)
#define PGE(low)    IP(0x11, low)
#define PGDIP(low)  IP(0x01, low)
#define PGD         0x01
#define OVF         2, 0xf3
#define START(low)  PSB, MODE, FUP(low), END
#define BYTES(...)                                                                     \
    (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static struct code code;

static struct code *the_code(void *ctx, const struct sb_dso *dso)
{
    (void)ctx, (void)dso;
    return &code;
}

static struct ran {
    char insns[400]; /* low bytes of their addresses, "!N" for a fault */
    char told[400];  /* other events: "what@low byte" */
    uint32_t met;
} ran;

static const uint8_t *code_bytes;
static size_t code_len;
static uint32_t errata;

static void note(char *text, size_t n, const char *fmt, unsigned a, unsigned b)
{
    size_t len = strlen(text);
    const char *space = len ? " " : "";

    len += (size_t)snprintf(text + len, n - len, "%s", space);
    snprintf(text + len, n - len, fmt, a, b);
}

static void take(const struct pt_event *ev)
{
    static const uint32_t others = EV_PTWRITE | EV_MWAIT | EV_PWRE | EV_EXSTOP | EV_CFE;
    unsigned at = (unsigned)(ev->from & 0xff);

    if (ev->what & EV_INSN)
        note(ran.insns, sizeof(ran.insns), "%02x", at, 0);
    if (ev->what & EV_ERROR && ev->err != FAULT_OVERFLOW)
        note(ran.insns, sizeof(ran.insns), "!%u", ev->err, 0);
    if (ev->what & others)
        note(ran.told, sizeof(ran.told), "%x@%02x", ev->what & others, at);
    if (ev->what & EV_TRACE_END)
        note(ran.told, sizeof(ran.told), "end@%02x", at, 0);
}

static struct sideband *sideband_make(void)
{
    const struct sb_mmap map = {.pid = PID,
                                .tid = PID,
                                .start = BASE,
                                .len = code_len,
                                .prot = 5,
                                .name = "/bin/t"};
    struct sideband *sb;

    EQ(sb_new(&sb), PTS_OK);
    EQ(sb_begin(sb, 0), PTS_OK);
    EQ(sb_mmap(sb, &map), PTS_OK);
    EQ(sb_finish(sb), PTS_OK);
    return sb;
}

static void follow(bool strict, const uint8_t *pt, size_t n)
{
    const struct pt_buf buf = {.ptr = pt, .len = n};
    const struct flow_config conf = {.timeless = true,
                                     .strict = strict,
                                     .errata = errata,
                                     .ret_compression = true,
                                     .branch_enable = true,
                                     .want = UINT32_MAX,
                                     .want_classes = UINT32_MAX,
                                     .period_type = PERIOD_INSNS,
                                     .period = 1};
    const struct flow_queue queue = {.bufs = &buf, .count = 1, .cpu = -1, .tid = PID};
    const struct flow_images images = {the_code, NULL};
    struct sideband *sb = sideband_make();
    struct event_batch batch;
    struct flow *f;

    ran = (struct ran){.met = 0};
    code_init(&code, code_bytes, code_len, true);
    EQ(flow_new(&conf, &queue, sb, &images, &f), PTS_OK);
    EQ(flow_start(f), PTS_OK);
    flow_place(f, 1);
    while (flow_next(f, &batch) == PTS_OK)
        for (uint32_t i = 0; i < batch.count; i++)
            take(&batch.at[i]);
    ran.met = flow_met(f);
    flow_free(f);
    sb_free(sb);
    code_free(&code);
}

static void has_code(const uint8_t *bytes, size_t n)
{
    code_bytes = bytes;
    code_len = n;
    errata = 0;
}

#define CODE(...)                                                                      \
    do {                                                                               \
        static const uint8_t bytes[] = {__VA_ARGS__};                                  \
        has_code(bytes, sizeof(bytes));                                                \
    } while (0)

/* Both ways meet the place; by the manual these instructions ran, and this was told. */
#define SAYS(place, by_manual, told_by_manual, as_perf, ...)                           \
    do {                                                                               \
        follow(true, BYTES(__VA_ARGS__));                                              \
        STREQ(ran.insns, by_manual);                                                   \
        STREQ(ran.told, told_by_manual);                                               \
        EQ(ran.met, place);                                                            \
        follow(false, BYTES(__VA_ARGS__));                                             \
        STREQ(ran.insns, as_perf);                                                     \
        EQ(ran.met &(place), place);                                                   \
    } while (0)

T(an_interrupt_right_behind_sti)
{
    CODE(0xfb, 0x90, 0x90, 0xff, 0xd0, 0x90, 0x90, 0xf4); /* sti nop nop call *%rax */
    SAYS(PLACE_FUP_AGAIN, "00 05", "end@06", "00 01 02 !6 05", START(0), 0x99, 5,
         FUP(1), FUP(1), TIP(5), FUP(6), PGD);
}

T(a_filter_ends_the_trace_at_a_conditional_branch)
{
    CODE(0x90, 0x75, 0x10, 0x90, 0x90, 0xff, 0xd0); /* nop jne 13 nop nop call *%rax */
    SAYS(PLACE_PGD_DIRECT, "00 01", "end@01", "00 !6", START(0), PGDIP(0x13));
    SAYS(PLACE_PGD_DIRECT, "00 01", "end@01", "00 !6", START(0), PGDIP(0x03));
    follow(true, BYTES(START(0), PGDIP(0x20))); /* goes neither way */
    STREQ(ran.insns, "00 !6");
}

T(a_filter_ends_the_trace_at_a_jump)
{
    CODE(0x90, 0xeb, 2, 0x90, 0x90, 0x90, 0xff, 0xd0); /* nop jmp 5 .. nop call */
    SAYS(PLACE_PGD_DIRECT, "00 01", "end@01", "00 01 05 06", START(0), PGDIP(5));
}

T(mov_cr3_ends_the_trace)
{
    CODE(0x90, 0x0f, 0x22, 0xd8, 0x90, 0xff, 0xd0); /* nop mov %rax,%cr3 nop call */
    SAYS(PLACE_PGD_CR3, "00 01", "end@01", "00 01 04 05", START(0), PGD);
    /* with a PIP it has not ended the trace: a far transfer has */
    CODE(0x90, 0x0f, 0x22, 0xd8, 0x0f, 0x05); /* nop mov %rax,%cr3 syscall */
    SAYS(0, "00 01 04", "end@04", "00 01 04", START(0), 2, 0x43, 0, 2, 0, 0, 0, 0, PGD);
    SAYS(PLACE_PGD_CR3, "00 01", "end@01", "00 01 04", START(0), PGD);
}

T(a_cfe_without_an_address_belongs_to_the_branch)
{
    CODE(0x48, 0xcf, 0x90, 0x90, 0xff, 0xd0); /* iretq nop nop call */
    SAYS(PLACE_CFE_TIP, "00 02", "400@00 end@03", "00 02", START(0), 2, 0x13, 2, 0,
         TIP(2), FUP(3), PGD);
}

T(a_ptw_without_a_fup_belongs_to_its_ptwrite)
{
    CODE(0x90, 0xeb, 1, 0x90, 0xf3, 0x0f, 0xae, 0xe0, 0x90, 0xff, 0xd0);
    SAYS(PLACE_PTW_ALONE, "00 01 04 08", "8@04 end@09", "00 01 04 08", START(0), 2,
         0x12, 1, 2, 3, 4, FUP(9), PGD);
    STREQ(ran.told, "8@00 end@09");
}

T(what_waits_for_a_fup_at_an_overflow_is_told)
{
    CODE(0x90, 0x0f, 0x01, 0xc9, 0x90, 0x90, 0xff, 0xd0);
    SAYS(PLACE_OVF_BOUND, "04", "30@00 end@05", "04", START(0), 2, 0xc2, 7, 0, 0, 0, 0,
         0, 0, 0, 2, 0x22, 0, 0x10, OVF, FUP(4), FUP(5), PGD);
    STREQ(ran.told, "end@05");
}

T(time_between_a_packet_and_its_fup)
{
    CODE(0x90, 0x90, 0xf3, 0x0f, 0xae, 0xe0, 0x90, 0xff, 0xd0);
    SAYS(PLACE_FUP_APART, "00 01 02 06", "8@02 end@07", "00 01 !6 07", START(0), 2,
         0x92, 1, 2, 3, 4, 0x59, 1, FUP(2), FUP(7), PGD);
}

T(an_overflow_without_a_fup)
{
    CODE(0x90, 0x75, 1, 0x90, 0x90, 0x90, 0xff, 0xd0, 0x90); /* .. call *%rax nop */
    /* SKD010: a TIP, a PSB+, an interrupt say where it is; APL11: a TIP.PGD that it is off */
    SAYS(PLACE_OVF_ALONE, "04", "end@05", "!5", START(0), OVF, TIP(4), FUP(5), PGD);
    SAYS(PLACE_OVF_ALONE, "04", "end@05", "!5", START(0), OVF, START(4), FUP(5), PGD);
    SAYS(PLACE_OVF_ALONE, "05", "end@06", "!5", START(0), OVF, 0x06, FUP(4), TIP(5),
         FUP(6), PGD);
    SAYS(PLACE_OVF_ALONE, "04", "end@05", "!5", START(0), OVF, PGD, PGE(4), FUP(5),
         PGD);
}

T(an_overflow_in_the_middle_of_a_cyc)
{
    CODE(0x90, 0x90, 0x90, 0x90, 0xff, 0xd0);
    errata = pt_errata_of("GenuineIntel,6,78,3");
    SAYS(PLACE_SKD007, "02", "end@03", "00 01 !6 03 04", START(0), 0x1f, OVF, FUP(2),
         FUP(3), PGD);
}

T(a_vm_entry_with_a_fup)
{
    CODE(0x90, 0x0f, 0x01, 0xc2, 0x90);
    errata = pt_errata_of("GenuineIntel,6,78,3");
    SAYS(PLACE_SKD022, "00 01", "end@01", "00", START(0), FUP(1), PGD);
}

T(a_wrong_target_before_an_abort)
{
    CODE(0x90, 0xff, 0xd0, 0x90, 0x90, 0x90, 0xff, 0xd0);
    errata = pt_errata_of("GenuineIntel,6,61,4");
    SAYS(PLACE_BDM64, "00 01 05", "end@06", "00 01 !5", START(0), TIP(0x80), 0x99, 0x22,
         FUP(4), TIP(5), FUP(6), PGD);
}

T(a_psb_with_the_address_of_a_tip_pge)
{
    CODE(0x90, 0xff, 0xd0, 0x90, 0x90, 0x90, 0xff, 0xd0);
    /* farther behind than perf looks: it walks there */
    SAYS(PLACE_BDM70, "00 01 04", "end@01 end@05", "00 01 !6 04", START(0), PGD,
         START(4), 0x59, 1, 0x59, 2, 0x59, 3, 0x59, 4, 0x59, 5, 0x59, 6, 0x59, 7,
         PGE(4), FUP(5), PGD);
}

T(a_fup_behind_an_overflow_while_tracing_is_off)
{
    CODE(0x90, 0xff, 0xd0, 0x90, 0x90, 0x90, 0xff, 0xd0);
    errata = pt_errata_of("GenuineIntel,6,92,9");
    follow(true, BYTES(START(0), PGD, OVF, FUP(3), PGE(4), FUP(5), PGD));
    STREQ(ran.insns, "00 01 04");
    EQ(ran.met, PLACE_APL12);
}

T(a_gap_ends_where_a_packet_says_where_it_is)
{
    CODE(0x90, 0xff, 0xd0, 0x90, 0x90, 0x90, 0xff, 0xd0);
    /* no code at 0x1080; the TIP behind it has two bytes of its address */
    SAYS(PLACE_RESYNC, "00 01 !5 04", "end@05", "00 01 !5", START(0), TIP(0x80), 0x2d,
         4, 0x10, FUP(5), PGD);
}

T(models_and_their_errata)
{
    EQ(pt_errata_of(NULL), 0);
    EQ(pt_errata_of("AuthenticAMD,6,78,3"), 0);
    EQ(pt_errata_of("GenuineIntel,6,"), 0);
    EQ(pt_errata_of("GenuineIntel,6,45,7"), 0);
    EQ(pt_errata_of("GenuineIntel,6,61,4"), ERRATUM_BDM64 | ERRATUM_BDM70);
    EQ(pt_errata_of("GenuineIntel,6,95,1"), ERRATUM_APL12 | ERRATUM_APL11);
    EQ(pt_errata_of("GenuineIntel,19,1,0"), ERRATUM_SKD022 | ERRATUM_BDM70);
    CHECK(pt_errata_of("GenuineIntel,6,158,9") & ERRATUM_SKD010);
}

T_RUN(T_CASE(an_interrupt_right_behind_sti),
      T_CASE(a_filter_ends_the_trace_at_a_conditional_branch),
      T_CASE(a_filter_ends_the_trace_at_a_jump), T_CASE(mov_cr3_ends_the_trace),
      T_CASE(a_cfe_without_an_address_belongs_to_the_branch),
      T_CASE(a_ptw_without_a_fup_belongs_to_its_ptwrite),
      T_CASE(what_waits_for_a_fup_at_an_overflow_is_told),
      T_CASE(time_between_a_packet_and_its_fup), T_CASE(an_overflow_without_a_fup),
      T_CASE(an_overflow_in_the_middle_of_a_cyc), T_CASE(a_vm_entry_with_a_fup),
      T_CASE(a_wrong_target_before_an_abort),
      T_CASE(a_psb_with_the_address_of_a_tip_pge),
      T_CASE(a_fup_behind_an_overflow_while_tracing_is_off),
      T_CASE(a_gap_ends_where_a_packet_says_where_it_is),
      T_CASE(models_and_their_errata))
