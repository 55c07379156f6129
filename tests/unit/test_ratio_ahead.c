/* test_ratio_ahead.c - the ratios that a trace may still say.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/arena.h"
#include "decoder/pt/psb.h"
#include "decoder/pt/ratio_ahead.h"
#include "tests/lib/t.h"

#include <string.h>

enum { SIZE = 400, TNT = 0x80, TSC = 0x19 };

static uint8_t trace[SIZE];

static void clear(void)
{
    memset(trace, TNT, sizeof(trace));
}

static void put_cbr(unsigned at, uint8_t ratio)
{
    memcpy(trace + at, (const uint8_t[]){0x02, 0x03, ratio, 0}, 4);
}

static void put_psb(unsigned at, unsigned pads, uint8_t then)
{
    memcpy(trace + at, psb_pattern, PSB_BYTES);
    memset(trace + at + PSB_BYTES, 0, pads);
    trace[at + PSB_BYTES + pads] = then;
}

static uint8_t lowest(unsigned at)
{
    struct ratio_ahead r = {0};

    return ratio_lowest(&r, 1000 + at, trace + at, trace + SIZE);
}

T(none_up_to_the_end_of_the_buffer)
{
    clear();
    EQ(lowest(0), RATIO_NONE);
    EQ(lowest(SIZE), RATIO_NONE);
}

T(the_lowest_of_all_that_may_be_one)
{
    clear();
    put_cbr(70, 30);
    put_cbr(201, 12);
    put_cbr(390, 40);
    EQ(lowest(0), 12);
    EQ(lowest(71), 12); /* in the middle of the first */
    EQ(lowest(202), 40);
}

T(one_that_is_cut_off_may_be_any)
{
    clear();
    put_cbr(10, 30);
    memcpy(trace + SIZE - 2, "\x02\x03", 2);
    EQ(lowest(0), 0);
}

T(a_psb_with_a_time_ends_it)
{
    clear();
    put_psb(100, 0, TSC);
    put_cbr(130, 5);
    EQ(lowest(0), RATIO_NONE);
    EQ(lowest(100), RATIO_NONE);
    EQ(lowest(116), 5);
    put_psb(100, 6, TSC);
    EQ(lowest(0), RATIO_NONE);
}

T(one_without_does_not)
{
    clear();
    put_psb(100, 0, TNT);
    put_cbr(130, 5);
    EQ(lowest(0), 5);
}

/* Bytes of one more PSB in front: whoever reads from there sees another PSB than who reads the first. */
T(of_a_longer_row_only_the_last_does)
{
    clear();
    put_psb(98, 0, TNT);
    put_psb(100, 0, TSC);
    put_cbr(130, 5);
    EQ(lowest(0), RATIO_NONE);
}

T(nothing_is_looked_for_very_far)
{
    enum { LONG = 3 << 20 };
    struct ratio_ahead r = {0};
    uint8_t *at = mem_zalloc(LONG, 1);

    EQ(ratio_lowest(&r, 0, at, at + LONG), 0);
    EQ(r.to < LONG / 2, true);
    EQ(ratio_lowest(&r, LONG - SIZE, at + LONG - SIZE, at + LONG), RATIO_NONE);
    mem_free(at);
}

T(what_was_found_is_kept)
{
    struct ratio_ahead r = {0};

    clear();
    put_cbr(70, 30);
    put_psb(100, 0, TSC);
    put_cbr(130, 5);
    EQ(ratio_lowest(&r, 1000, trace, trace + SIZE), 30);
    put_cbr(70, 7); /* nobody looks there again */
    EQ(ratio_lowest(&r, 1100, trace + 100, trace + SIZE), 30);
    EQ(ratio_lowest(&r, 1101, trace + 101, trace + SIZE), 5);
    EQ(ratio_lowest(&r, 999, trace, trace + SIZE), 7);
}

T_RUN(T_CASE(none_up_to_the_end_of_the_buffer),
      T_CASE(the_lowest_of_all_that_may_be_one), T_CASE(one_that_is_cut_off_may_be_any),
      T_CASE(a_psb_with_a_time_ends_it), T_CASE(one_without_does_not),
      T_CASE(of_a_longer_row_only_the_last_does),
      T_CASE(nothing_is_looked_for_very_far), T_CASE(what_was_found_is_kept))
