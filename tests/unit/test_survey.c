/* test_survey.c - when a queue was traced, by its packets alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/survey.h"
#include "decoder/pt/psb.h"
#include "tests/lib/t.h"

#include <string.h>

/* --- Packets --- */

struct bytes {
    uint8_t at[4096];
    size_t len;
};

static void put(struct bytes *b, const void *p, size_t n)
{
    memcpy(b->at + b->len, p, n);
    b->len += n;
}

#define PUT(b, ...)                                                                    \
    put(b, (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

static void tsc(struct bytes *b, uint64_t t)
{
    PUT(b, 0x19);
    put(b, &t, 7);
}

/* With its time, and where execution is if it is traced then. */
static void psb(struct bytes *b, uint64_t t, bool on)
{
    put(b, psb_pattern, PSB_BYTES);
    tsc(b, t);
    if (on)
        PUT(b, 0x7d, 0, 0, 0x40, 0, 0, 0);
    PUT(b, 2, 0x23);
}

static void pge(struct bytes *b)
{
    PUT(b, 0x71, 0, 0, 0x40, 0, 0, 0);
}

static void pgd(struct bytes *b)
{
    PUT(b, 1);
}

static void tnt(struct bytes *b)
{
    PUT(b, 0x06);
}

enum { REF = 1000000, GAP = 1000 };

static const struct pkt_sizes *sizes_made(void)
{
    static struct pkt_sizes sizes;

    if (!sizes.of[0])
        survey_sizes_make(&sizes);
    return &sizes;
}

static struct survey look(const struct bytes *b, size_t count)
{
    const struct clock_config clock = {0};
    struct survey s;

    survey_init(&s, sizes_made(), &clock, GAP);
    for (size_t i = 0; i < count; i++) {
        const struct pt_buf buf = {
            .ptr = b[i].at, .len = b[i].len, .ref = REF + i, .consecutive = i % 2};
        CHECK(survey_buffer(&s, &buf));
    }
    CHECK(survey_end(&s));
    return s;
}

static void is_window(const struct survey *s, size_t i, uint64_t from, uint64_t to,
                      enum survey_end end)
{
    CHECK(i < s->window.len);
    if (i >= s->window.len)
        return;
    EQ(s->window.at[i].from, from);
    EQ(s->window.at[i].to, to);
    EQ(s->window.at[i].end, end);
}

/* --- Tests --- */

T(a_long_gap_ends_a_window_and_a_short_one_does_not)
{
    struct bytes b = {0};
    psb(&b, 5000, false);
    pge(&b), tnt(&b), pgd(&b);
    tsc(&b, 5000 + GAP - 1);
    pge(&b), tnt(&b), pgd(&b);
    tsc(&b, 7000);
    tsc(&b, 9000);
    pge(&b), tnt(&b);
    struct survey s = look(&b, 1);
    EQ(s.window.len, 2);
    is_window(&s, 0, 5000, 7000, SURVEY_OFF);
    is_window(&s, 1, 9000, REF, SURVEY_END);
    EQ(s.window.at[0].seen, 5000 + GAP - 1);
    EQ(s.window.at[0].bytes, 2 * (7 + 1 + 1) + 8);
    EQ(s.window.at[1].bytes, 8);
    EQ(s.sum.first, 5000);
    EQ(s.sum.last, REF);
    survey_free(&s);
}

T(a_psb_that_states_an_address_shows_execution)
{
    struct bytes b = {0};
    psb(&b, 5000, true);
    struct survey s = look(&b, 1);
    is_window(&s, 0, 5000, REF, SURVEY_END);
    survey_free(&s);
}

T(overflows_and_stops_are_told)
{
    struct bytes b = {0};
    psb(&b, 5000, true);
    PUT(&b, 2, 0xf3);
    tsc(&b, 8000);
    pge(&b), tnt(&b);
    PUT(&b, 2, 0x83);
    tsc(&b, 9500);
    pge(&b);
    struct survey s = look(&b, 1);
    EQ(s.window.len, 3);
    is_window(&s, 0, 5000, 8000, SURVEY_OVERFLOW);
    is_window(&s, 1, 8000, 9500, SURVEY_STOPPED);
    EQ(s.sum.overflows, 1);
    EQ(s.window.at[0].overflows, 1);
    survey_free(&s);
}

/* The last MTC before a TIP.PGD is not when it came. */
T(a_window_ends_behind_the_last_time)
{
    const struct clock_config clock = {.ctc_n = 2, .ctc_d = 1, .mtc_shift = 3};
    struct bytes b = {0};
    struct survey s;
    survey_init(&s, sizes_made(), &clock, GAP);
    psb(&b, 5000, false);
    tsc(&b, 5008);
    PUT(&b, 2, 0x73, 0, 0, 0, 0, 0); /* TMA */
    pge(&b), tnt(&b);
    PUT(&b, 0x59, 1);
    pgd(&b);
    const struct pt_buf buf = {.ptr = b.at, .len = b.len, .ref = REF};
    CHECK(survey_buffer(&s, &buf));
    CHECK(survey_end(&s));
    is_window(&s, 0, 5008, 5008 + 16 + 17, SURVEY_END);
    survey_free(&s);
}

T(pieces_go_on_or_do_not)
{
    struct bytes b[3] = {0};
    psb(&b[0], 5000, true);
    tnt(&b[1]);
    psb(&b[2], 7000000, true);
    struct survey s = look(b, 3);
    EQ(s.sum.pieces, 3);
    EQ(s.window.len, 2);
    is_window(&s, 0, 5000, REF + 1, SURVEY_MISSING);
    EQ(s.window.at[0].bytes, b[0].len + b[1].len - PSB_BYTES - 8);
    is_window(&s, 1, 7000000, 7000000, SURVEY_END);
    survey_free(&s);
}

T(what_is_no_packet_is_counted_and_passed_up_to_the_next_psb)
{
    struct bytes b = {0};
    psb(&b, 5000, true);
    PUT(&b, 5, 2, 0xf3, 2, 0xf3);
    psb(&b, 6000, true);
    PUT(&b, 0x19, 1);
    struct survey s = look(&b, 1);
    EQ(s.sum.bad, 2);
    EQ(s.sum.overflows, 0);
    EQ(s.sum.last, REF);
    survey_free(&s);
}

T(without_times_there_are_no_windows)
{
    struct bytes b = {0};
    pge(&b), tnt(&b), pgd(&b);
    struct survey s = look(&b, 1);
    EQ(s.window.len, 0);
    EQ(s.sum.first, 0);
    EQ(s.sum.bytes, b.len);
    survey_free(&s);
}

/* Each byte may be anything: no more windows than there is trace for. */
T(windows_are_bounded_by_the_trace)
{
    static struct bytes b;
    b.len = 0;
    psb(&b, 5000, false);
    for (uint64_t t = 10000; b.len + 32 < sizeof(b.at); t += 10000) {
        pge(&b), pgd(&b);
        tsc(&b, t);
    }
    struct survey s = look(&b, 1);
    CHECK(s.window.len > 32);
    CHECK(s.window.len <= 17 + b.len / 64);
    survey_free(&s);
}

/* --- Packets at random --- */

static uint32_t chance(uint32_t below)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

/* Of each kind that may stand in a trace, with anything behind its first bytes. */
static void put_any(struct bytes *b, uint64_t t)
{
    static const struct {
        uint8_t at[3], known, size;
    } kinds[] = {
        {{0},             1, 1 }, /* PAD */
        {{0x06},          1, 1 }, /* TNT */
        {{0x03},          1, 1 }, /* CYC */
        {{0x07, 0x02},    2, 2 },
        {{0x07, 0x03, 2}, 3, 3 },
        {{0x0d},          1, 1 }, /* TIP */
        {{0x2d},          1, 3 },
        {{0xcd},          1, 9 },
        {{0x71},          1, 7 }, /* TIP.PGE */
        {{0x01},          1, 1 }, /* TIP.PGD */
        {{0x5d},          1, 5 }, /* FUP */
        {{0x59},          1, 2 }, /* MTC */
        {{0x99, 0x01},    2, 2 }, /* MODE.Exec */
        {{0x99, 0x21},    2, 2 }, /* MODE.TSX */
        {{0x02, 0xa3},    2, 8 }, /* TNT */
        {{0x02, 0x03},    2, 4 }, /* CBR */
        {{0x02, 0x32},    2, 10}, /* PTWRITE */
        {{0x02, 0x43},    2, 8 }, /* PIP */
        {{0x02, 0x83},    2, 2 }, /* TraceStop */
        {{0x02, 0xf3},    2, 2 }, /* OVF */
        {{0x02, 0x63},    2, 3 }, /* BBP */
        {{0x0c},          1, 9 }, /* BIP, or a TNT and others */
        {{0x02, 0x33},    2, 2 }, /* BEP */
        {{0x05},          1, 1 }, /* none */
    };
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), OFTEN = 40 };
    const uint32_t kind = chance(KINDS + OFTEN);

    if (kind >= KINDS) {
        PUT(b, (uint8_t)(kind % 3 == 0 ? 0x06 : kind % 3 == 1 ? 0x1b : 0x0d));
        return;
    }
    for (unsigned i = 0; i < kinds[kind].size; i++)
        PUT(b, i < kinds[kind].known ? kinds[kind].at[i] : (uint8_t)chance(256));
    if (!chance(8))
        psb(b, t, chance(2));
    else if (!chance(8))
        tsc(b, t);
}

static struct survey look_by(const struct pkt_sizes *sizes, const struct bytes *b)
{
    const struct clock_config clock = {.ctc_n = 2, .ctc_d = 1, .mtc_shift = 3};
    const struct pt_buf buf = {.ptr = b->at, .len = b->len, .ref = REF};
    struct survey s;

    survey_init(&s, sizes, &clock, GAP);
    CHECK(survey_buffer(&s, &buf));
    CHECK(survey_end(&s));
    return s;
}

T(to_pass_packets_by_their_sizes_changes_nothing)
{
    static const struct pkt_sizes none; /* each packet is looked at */
    static struct bytes b;

    for (int round = 0; round < 2000; round++) {
        b.len = 0;
        psb(&b, 5000, true);
        for (uint64_t t = 6000; b.len < 600; t += chance(900))
            put_any(&b, t);
        b.len -= chance(12); /* a packet may be cut */
        struct survey by_sizes = look_by(sizes_made(), &b), all = look_by(&none, &b);
        EQ(memcmp(&by_sizes.sum, &all.sum, sizeof(all.sum)), 0);
        EQ(by_sizes.window.len, all.window.len);
        for (size_t i = 0; i < all.window.len && i < by_sizes.window.len; i++)
            EQ(memcmp(&by_sizes.window.at[i], &all.window.at[i],
                      sizeof(all.window.at[i])),
               0);
        survey_free(&by_sizes), survey_free(&all);
    }
}

T_RUN(T_CASE(a_long_gap_ends_a_window_and_a_short_one_does_not),
      T_CASE(a_psb_that_states_an_address_shows_execution),
      T_CASE(overflows_and_stops_are_told), T_CASE(a_window_ends_behind_the_last_time),
      T_CASE(pieces_go_on_or_do_not),
      T_CASE(what_is_no_packet_is_counted_and_passed_up_to_the_next_psb),
      T_CASE(without_times_there_are_no_windows),
      T_CASE(windows_are_bounded_by_the_trace),
      T_CASE(to_pass_packets_by_their_sizes_changes_nothing))
