/* test_u64.c - doubles of every kind as 64-bit numbers, as x86-64 compilers convert
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/u64.h"
#include "tests/lib/t.h"

#include <math.h>

T(what_fits_is_cut_to_a_whole_number)
{
    EQ(u64_of_double(0.0), 0);
    EQ(u64_of_double(1.9), 1);
    EQ(u64_of_double(0x1p62), UINT64_C(1) << 62);
    EQ(u64_of_double(0x1p63), UINT64_C(1) << 63);
    EQ(u64_of_double(0x1.fffffffffffffp63), UINT64_MAX - 2047);
}

T(negative_numbers_wrap)
{
    EQ(u64_of_double(-1.5), UINT64_MAX);
    EQ(u64_of_double(-0x1p63), UINT64_C(1) << 63);
}

T(what_does_not_fit_is_two_to_the_63)
{
    EQ(u64_of_double((double)NAN), UINT64_C(1) << 63);
    EQ(u64_of_double(-0x1p64), UINT64_C(1) << 63);
    EQ(u64_of_double(-(double)INFINITY), UINT64_C(1) << 63);
}

T(too_large_numbers_are_0)
{
    EQ(u64_of_double(0x1p64), 0);
    EQ(u64_of_double((double)INFINITY), 0);
}

T_RUN(T_CASE(what_fits_is_cut_to_a_whole_number), T_CASE(negative_numbers_wrap),
      T_CASE(what_does_not_fit_is_two_to_the_63), T_CASE(too_large_numbers_are_0))
