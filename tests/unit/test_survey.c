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

static struct survey look(const struct bytes *b, size_t count)
{
    const struct clock_config clock = {0};
    struct survey s;

    survey_init(&s, &clock, GAP);
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
    survey_init(&s, &clock, GAP);
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

T_RUN(T_CASE(a_long_gap_ends_a_window_and_a_short_one_does_not),
      T_CASE(a_psb_that_states_an_address_shows_execution),
      T_CASE(overflows_and_stops_are_told), T_CASE(a_window_ends_behind_the_last_time),
      T_CASE(pieces_go_on_or_do_not),
      T_CASE(what_is_no_packet_is_counted_and_passed_up_to_the_next_psb),
      T_CASE(without_times_there_are_no_windows),
      T_CASE(windows_are_bounded_by_the_trace))
