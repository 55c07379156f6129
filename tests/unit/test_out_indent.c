/* test_out_indent.c - the width of the column callindent, also of who begins in the middle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/line/out_indent.h"
#include "tests/lib/t.h"

#include <stdint.h>

T(it_has_room_for_a_line_and_not_much_more)
{
    struct out_indent i;

    out_indent_is(&i, 0);
    out_indent_line(&i, 0);
    EQ(i.at[0], 0);
    out_indent_line(&i, 1);
    EQ(i.at[0], 32);
    out_indent_line(&i, 32);
    EQ(i.at[0], 32);
    out_indent_line(&i, 33);
    EQ(i.at[0], 64);
    out_indent_line(&i, 12);
    EQ(i.at[0], 64);
    out_indent_line(&i, 11);
    EQ(i.at[0], 32);
}

static uint32_t chance = 1;

static uint32_t below(uint32_t n)
{
    chance = chance * 1664525 + 1013904223;
    return (chance >> 8) % n;
}

/* As call depths do: up and down a little, and sometimes far. */
static size_t next_len(size_t len)
{
    if (below(20) == 0)
        return below(300);
    size_t step = below(40);
    return below(2) ? len + step : len > step ? len - step : 0;
}

T(who_did_not_see_the_lines_before_comes_to_the_same)
{
    size_t late = 0;

    for (int n = 0; n < 2000; n++) {
        struct out_indent known, any = {0};
        size_t len = below(200), lines = 0;
        out_indent_is(&known, 0);
        for (int i = 0; i < 50; i++)
            out_indent_line(&known, len = next_len(len));
        for (; any.count != 1 && lines < 1000; lines++) {
            len = next_len(len);
            out_indent_line(&known, len);
            out_indent_line(&any, len);
            CHECK(!any.count || any.at[0] == known.at[0] ||
                  (any.count == 2 && any.at[1] == known.at[0]));
        }
        EQ(any.at[0], known.at[0]);
        late += lines > 60;
    }
    CHECK(late < 20);
}

T_RUN(T_CASE(it_has_room_for_a_line_and_not_much_more),
      T_CASE(who_did_not_see_the_lines_before_comes_to_the_same))
