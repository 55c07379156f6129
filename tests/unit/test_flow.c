/* test_flow.c - following packets through a few bytes of code.
 *
 * SPDX-License-Identifier: MIT
 *
 * The expected branches follow from the code and the packets (SDM, "Trace Packets and Data Types"); how perf
 * prints such traces is compared in tests/cases.
 */
#include "walker/flow/flow.h"
#include "tests/lib/t.h"

enum { BASE = 0x401000, PID = 42 };

/* 401000 call 401009; jne 401000; ret; nop; 401009 nop; ret; 40100b jmp 40100b;
 * 40100d call *%rax; ret */
static const uint8_t text[] = {0xe8, 4,    0,    0,    0,    0x75, 0xf9, 0xc3,
                               0x90, 0x90, 0xc3, 0xeb, 0xfe, 0xff, 0xd0, 0xc3};

#define PSB_PLUS                                                                       \
    2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 0x99, 1,   \
        2, 0x23
#define PGE(low) 0x71, (low), 0x10, 0x40, 0, 0, 0
#define TIP(low) 0x6d, (low), 0x10, 0x40, 0, 0, 0
#define PGD      0x01

static struct code code;

static struct code *the_code(void *ctx, const struct sb_dso *dso)
{
    (void)ctx;
    (void)dso;
    return &code;
}

struct follow {
    struct sideband *sb;
    struct flow *f;
    uint64_t ninsn;
    uint32_t faults;
    char branches[512]; /* "from>to from>to", low bytes in hex */
};

static struct follow follow(const uint8_t *pt, size_t n, uint32_t want)
{
    struct follow r = {0};
    const struct pt_buf buf = {.ptr = pt, .len = n};
    const struct flow_config conf = {.timeless = true,
                                     .ret_compression = true,
                                     .branch_enable = true,
                                     .want = want,
                                     .want_cycles = true, /* all events count */
                                     .want_classes = UINT32_MAX};
    const struct flow_queue queue = {.bufs = &buf, .count = 1, .cpu = -1, .tid = PID};
    const struct flow_images images = {the_code, NULL};
    const struct sb_mmap map = {.pid = PID,
                                .tid = PID,
                                .start = BASE,
                                .len = sizeof(text),
                                .prot = 5,
                                .name = "/bin/t"};
    struct event_batch batch;
    size_t len = 0;

    code_init(&code, text, sizeof(text), true);
    EQ(sb_new(&r.sb), PTS_OK);
    EQ(sb_begin(r.sb, 0), PTS_OK);
    EQ(sb_mmap(r.sb, &map), PTS_OK);
    EQ(sb_finish(r.sb), PTS_OK);
    EQ(flow_new(&conf, &queue, r.sb, &images, &r.f), PTS_OK);
    EQ(flow_start(r.f), PTS_OK);
    flow_place(r.f, 1);
    while (flow_next(r.f, &batch) == PTS_OK) {
        for (uint32_t i = 0; i < batch.count; i++) {
            const struct pt_event *ev = &batch.at[i];
            r.ninsn = batch_ninsn(&batch, ev);
            if (ev->what & EV_ERROR)
                r.faults = r.faults * 16 + ev->err;
            else if (ev->what & EV_BRANCH && len < sizeof(r.branches) - 16)
                len += (size_t)snprintf(r.branches + len, sizeof(r.branches) - len,
                                        "%s%02x>%02x", len ? " " : "",
                                        (unsigned)(ev->from & 0xff),
                                        (unsigned)(ev->to & 0xff));
        }
    }
    flow_free(r.f);
    sb_free(r.sb);
    code_free(&code);
    return r;
}

#define FOLLOW(want, ...)                                                              \
    follow((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), want)

T(calls_compressed_returns_and_conditionals)
{
    /* TNT T (ret) T (jne) T (ret) N (jne), then ret by TIP.PGD */
    struct follow r = FOLLOW(EV_BRANCH | EV_ERROR, PSB_PLUS, PGE(0), 0x3c, PGD);
    STREQ(r.branches, "00>00 00>09 0a>05 05>00 00>09 0a>05 07>00");
    EQ(r.ninsn, 9);
    EQ(r.faults, 0);
}

T(the_quiet_way_counts_the_same)
{
    /* the error at the end tells how far each way came */
    struct follow loud =
        FOLLOW(EV_BRANCH | EV_ERROR, PSB_PLUS, PGE(0), 0x3e, 0x3e, 2, 0xf3);
    struct follow quiet = FOLLOW(EV_ERROR, PSB_PLUS, PGE(0), 0x3e, 0x3e, 2, 0xf3);
    EQ(loud.faults, FAULT_OVERFLOW);
    EQ(quiet.faults, FAULT_OVERFLOW);
    EQ(quiet.ninsn, loud.ninsn);
    CHECK(quiet.ninsn > 10);
    STREQ(quiet.branches, "");
}

T(an_indirect_branch_with_bits_left_takes_its_tip_at_once)
{
    /* call *%rax -> 401009; ret compressed; ret compressed has no call: TIP */
    struct follow r =
        FOLLOW(EV_BRANCH | EV_ERROR, PSB_PLUS, PGE(0xd), 0x06, TIP(9), TIP(0), PGD);
    STREQ(r.branches, "00>0d 0d>09 0a>0f 0f>00 00>09 0a>00");
    EQ(r.faults, 0);
}

T(a_return_that_was_not_called_cannot_be_compressed)
{
    struct follow r = FOLLOW(EV_BRANCH | EV_ERROR, PSB_PLUS, PGE(9), 0x06, PGD);
    EQ(r.faults, FAULT_MISMATCH);
}

T(a_loop_without_packets_is_given_up)
{
    struct follow loud = FOLLOW(EV_BRANCH | EV_ERROR, PSB_PLUS, PGE(0xb), 0x06);
    struct follow quiet = FOLLOW(EV_ERROR, PSB_PLUS, PGE(0xb), 0x06);
    EQ(loud.faults, FAULT_LOOP);
    EQ(quiet.faults, FAULT_LOOP);
    EQ(quiet.ninsn, loud.ninsn);
}

T(code_that_is_not_mapped_is_a_fault_and_the_next_ip_goes_on)
{
    struct follow r =
        FOLLOW(EV_BRANCH | EV_ERROR, PSB_PLUS, PGE(0x80), 0x06, PGE(9), PGD);
    STREQ(r.branches, "00>80 00>09 0a>00");
    EQ(r.faults, FAULT_NO_INSN);
}

T(bad_packets_are_told_and_skipped)
{
    struct follow r =
        FOLLOW(EV_BRANCH | EV_ERROR, PSB_PLUS, PGE(0), 0x02, 0x0b, 0x3c, PGD);
    STREQ(r.branches, "00>00 00>09 0a>05 05>00 00>09 0a>05 07>00");
    CHECK(r.faults != 0);
}

T(nothing_is_followed_before_a_psb)
{
    struct follow r = FOLLOW(EV_BRANCH | EV_ERROR, PGE(0), 0x3c, PGD);
    STREQ(r.branches, "");
    EQ(r.faults, 0);
}

#define BBP(type)       2, 0x63, (type)
#define BIP4(id, value) (id) << 3 | 4, (value), 0, 0, 0
#define BIP8(id, value) (id) << 3 | 4, (value), 0, 0, 0, 0, 0, 0, 0
#define BEP             2, 0x33

/* The records of a trace, by their groups' items 0 and 5. */
static void blocks(const uint8_t *pt, size_t n, struct pt_block *out, uint32_t want)
{
    const struct pt_buf buf = {.ptr = pt, .len = n};
    const struct flow_config conf = {.timeless = true, .want = EV_BLOCK};
    const struct flow_queue queue = {.bufs = &buf, .count = 1, .cpu = -1, .tid = PID};
    const struct flow_images images = {the_code, NULL};
    struct event_batch batch;
    struct sideband *sb;
    struct flow *f;
    uint32_t count = 0;

    EQ(sb_new(&sb), PTS_OK);
    EQ(sb_finish(sb), PTS_OK);
    EQ(flow_new(&conf, &queue, sb, &images, &f), PTS_OK);
    EQ(flow_start(f), PTS_OK);
    flow_place(f, 0);
    while (flow_next(f, &batch) == PTS_OK)
        for (uint32_t i = 0; i < batch.count; i++) {
            struct pt_payload p = batch_payload(&batch, &batch.at[i]);
            if (p.block && count < want)
                out[count++] = *p.block;
        }
    EQ(count, want);
    flow_free(f);
    sb_free(sb);
}

T(items_of_a_block_belong_to_its_groups)
{
    static const uint8_t pt[] = {
        PSB_PLUS, BBP(0x81),   BIP4(0, 1),  BIP4(5, 2), BBP(5),     BIP8(0, 3),
        BEP,      BBP(31),     BIP8(0, 99), BBP(16),    BIP8(5, 4), BEP,
        BBP(1),   BIP8(31, 5), PGD,         BBP(4),     BIP8(0, 6), BEP};
    struct pt_block b[3];

    blocks(pt, sizeof(pt), b, 3);
    EQ(b[0].narrow, true);
    EQ(b[0].has[BLOCK_GPRS], 1 | 1 << 5);
    EQ(b[0].item[BLOCK_GPRS][0], 1);
    EQ(b[0].item[BLOCK_GPRS][5], 2);
    EQ(b[0].has[BLOCK_MEMORY], 1);
    EQ(b[0].item[BLOCK_MEMORY][0], 3);
    EQ(b[1].narrow, false);
    EQ(b[1].has[BLOCK_GPRS] | b[1].has[BLOCK_MEMORY], 0);
    EQ(b[1].has[BLOCK_XMM], 1 << 5);
    EQ(b[1].item[BLOCK_XMM][5], 4);
    EQ(b[2].has[BLOCK_GPRS], 0); /* cut off by another packet */
    EQ(b[2].has[BLOCK_BASIC], 1);
}

T_RUN(T_CASE(calls_compressed_returns_and_conditionals),
      T_CASE(the_quiet_way_counts_the_same),
      T_CASE(an_indirect_branch_with_bits_left_takes_its_tip_at_once),
      T_CASE(a_return_that_was_not_called_cannot_be_compressed),
      T_CASE(a_loop_without_packets_is_given_up),
      T_CASE(code_that_is_not_mapped_is_a_fault_and_the_next_ip_goes_on),
      T_CASE(bad_packets_are_told_and_skipped),
      T_CASE(nothing_is_followed_before_a_psb),
      T_CASE(items_of_a_block_belong_to_its_groups))
