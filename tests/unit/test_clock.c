/* test_clock.c - the clock of a PT stream, against times worked out by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/clock.h"
#include "tests/lib/t.h"

static const struct clock_config conf = {
    .ctc_n = 100, .ctc_d = 2, .mtc_shift = 3, .max_nonturbo = 12};
static const struct pkt_cursor nothing = {0};

static struct pt_clock clock_from(uint64_t tsc)
{
    struct pt_clock c;
    clock_init(&c, &conf);
    clock_restart(&c, tsc + 1000);
    clock_tsc(&c, tsc & 0xffffffffffffff, false);
    return c;
}

T(first_tsc_takes_its_top_byte_from_the_reference)
{
    struct pt_clock c;
    clock_init(&c, &conf);
    clock_restart(&c, 0x1200000000001000);
    clock_tsc(&c, 0x10, false);
    EQ(c.now, 0x1200000000000010);
    clock_restart(&c, 0x1200000000000010);
    clock_tsc(&c, 0xfffffffffffff0, false); /* before the reference wrapped */
    EQ(c.now, 0x11fffffffffffff0);
}

T(small_steps_back_are_slips)
{
    struct pt_clock c = clock_from(0x100000);
    clock_tsc(&c, 0xf8000, false);
    EQ(c.now, 0x100000);
    EQ(c.tsc, 0xf8000);
}

T(large_steps_back_wrap_only_before_the_buffer_was_read)
{
    struct pt_clock c = clock_from(0x100000);
    c.buf_ref = 0x200000;
    clock_tsc(&c, 0x10, false);
    EQ(c.now, 0x100000);
    c.buf_ref = 0;
    clock_tsc(&c, 0x10, false);
    EQ(c.now, 0x100000000000010);
}

T(mtc_counts_crystal_ticks_from_tma)
{
    struct pt_clock c = clock_from(1000000);
    clock_mtc(&c, 5, false, true, nothing);
    EQ(c.now, 1000000);                 /* no TMA yet */
    clock_tma(&c, 0x13, 7, true, true); /* CTC 0x13 = MTC 2, 3 ticks; 50 TSC per tick */
    clock_mtc(&c, 3, false, true, nothing);
    EQ(c.now, 1000000 - 7 - 3 * 50 + 8 * 50);
    clock_mtc(&c, 1, false, true, nothing); /* wrapped: 254 periods later */
    EQ(c.now, 1000000 - 7 - 3 * 50 + 255 * 8 * 50);
}

T(long_mtc_periods_complete_the_last_mtc)
{
    struct clock_config far = conf;
    struct pt_clock c;
    far.mtc_shift = 12; /* TMA gives only 4 bits of MTC */
    clock_init(&c, &far);
    clock_restart(&c, 1000000);
    clock_tsc(&c, 1000000, false);
    clock_tma(&c, 0x3000, 0, true, true);
    clock_mtc(&c, 0x54, false, true, nothing); /* the last one was 0x53 */
    EQ(c.now, 1000000 + (1 << 12) * 50);
}

T(cycles_take_as_long_as_the_bus_ratio_says)
{
    struct pt_clock c = clock_from(1000000);
    clock_cyc(&c, 24, true);
    EQ(c.now, 1000000);
    EQ(c.cycles, 24);
    clock_cbr(&c, 24, true); /* twice the nominal speed */
    clock_cyc(&c, 24, true);
    EQ(c.now, 1000012);
    clock_cyc(&c, 2, false);
    EQ(c.now, 1000013);
    EQ(c.cycles, 48); /* not counted while not tracing */
}

T(cycles_are_measured_between_mtcs_that_follow_cycs)
{
    static const uint8_t ahead[] = {0x53, /* CYC 10 */
                                    0x59, 4 /* MTC */};
    struct pkt_cursor rest = {ahead, ahead + sizeof(ahead), PKT_CTX_NONE};
    struct pt_clock c = clock_from(1000000);
    clock_tma(&c, 0x10, 0, true, true);
    clock_mtc(&c, 3, true, true, rest);
    EQ(c.now, 1000400);
    clock_cyc(&c, 5, true); /* half of the 400 ticks that 10 cycles take */
    EQ(c.now, 1000600);
}

T(a_measurement_much_slower_than_the_bus_ratio_is_dropped)
{
    static const uint8_t ahead[] = {0x53, 0x59, 4};
    struct pkt_cursor rest = {ahead, ahead + sizeof(ahead), PKT_CTX_NONE};
    struct pt_clock c = clock_from(1000000);
    clock_cbr(&c, 12, true);
    clock_tma(&c, 0x10, 0, true, true);
    clock_mtc(&c, 3, true, true, rest);
    clock_cyc(&c, 5, true);
    EQ(c.now, 1000405);
}

T(cycles_are_estimated_without_cyc)
{
    struct pt_clock c = clock_from(1000000);
    clock_cbr(&c, 6, true);
    clock_tma(&c, 0x10, 0, true, false);
    clock_mtc(&c, 3, false, true, nothing);
    EQ(c.cycles, 200); /* 400 ticks at half speed */
    CHECK(c.cycles_fresh);
}

/* One after the other, and as a row; by a whole ratio or not. */
static void row_is_each(uint32_t ctc_n, uint32_t mtc_shift, bool tracing,
                        uint64_t until)
{
    static const uint8_t row[] = {0x59, 3,    0x59, 4,    0x59, 9,    0x59, 250,  0x59,
                                  7,    0x59, 7,    0x59, 8,    0x04, 0,    0,    0,
                                  0,    0,    0,    0,    0,    0,    0,    0x59, 9,
                                  0,    0,    0,    0,    0,    0,    0,    0,    0};
    struct clock_config by = conf;
    struct pt_clock each = clock_from(1000000), all;
    const uint8_t *at = row;

    by.ctc_n = ctc_n;
    by.mtc_shift = mtc_shift;
    clock_init(&each, &by);
    clock_restart(&each, 1000);
    clock_tsc(&each, 1000000, false);
    clock_cbr(&each, 6, tracing);
    clock_tma(&each, 0x13, 7, tracing, false);
    each.insns = 5;
    all = each;
    do {
        clock_mtc(&each, at[1], false, tracing, nothing);
        at += 2;
    } while (each.now < until && *at == 0x59);
    const struct pkt_cursor rest = {row, row + sizeof(row), PKT_CTX_NONE};
    EQ(clock_mtcs(&all, rest, until, tracing) - row, at - row);
    EQ(all.now, each.now);
    EQ(all.cycles, each.cycles);
    EQ(all.ctc_ticks, each.ctc_ticks);
    EQ(all.last_mtc, each.last_mtc);
    EQ(all.fix_mtc, each.fix_mtc);
    EQ(all.cycles_fresh, each.cycles_fresh);
    EQ(all.insns, 0);
}

T(a_row_of_mtcs_is_each_of_them)
{
    static const uint64_t until[] = {0, 1000500, 1003000, 1100000, 3000000, UINT64_MAX};

    for (unsigned i = 0; i < sizeof(until) / sizeof(until[0]); i++) {
        row_is_each(100, 3, true, until[i]);
        row_is_each(101, 3, true, until[i]);
        row_is_each(100, 3, false, until[i]);
        row_is_each(100, 10, true, until[i]);
    }
}

T_RUN(T_CASE(first_tsc_takes_its_top_byte_from_the_reference),
      T_CASE(small_steps_back_are_slips),
      T_CASE(large_steps_back_wrap_only_before_the_buffer_was_read),
      T_CASE(mtc_counts_crystal_ticks_from_tma),
      T_CASE(long_mtc_periods_complete_the_last_mtc),
      T_CASE(cycles_take_as_long_as_the_bus_ratio_says),
      T_CASE(cycles_are_measured_between_mtcs_that_follow_cycs),
      T_CASE(a_measurement_much_slower_than_the_bus_ratio_is_dropped),
      T_CASE(cycles_are_estimated_without_cyc), T_CASE(a_row_of_mtcs_is_each_of_them))
