/* test_aux_filter.c - what the text of address filters says.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/aux/aux_filter.h"
#include "tests/lib/t.h"

T(all_parts)
{
    const char *p = "tracestop 0x10/32@/bin/a, filter 7";
    struct aux_filter f;

    EQ(aux_filter_next(&p, &f), PTS_OK);
    EQ(f.stop, true);
    EQ(f.start, 16);
    EQ(f.size, 32);
    EQ(f.file_len, 6);
    EQ(memcmp(f.file, "/bin/a", 6), 0);
    EQ(aux_filter_next(&p, &f), PTS_OK);
    EQ(f.stop, false);
    EQ(f.start, 7);
    EQ(f.size, 0);
    EQ(f.file == NULL, true);
    EQ(aux_filter_next(&p, &f), PTS_END);
}

T(symbols_are_nowhere)
{
    const char *p = " start main #3 / 5 @ x  stop f@y";
    struct aux_filter f;

    EQ(aux_filter_next(&p, &f), PTS_OK);
    EQ(f.start, 0);
    EQ(f.size, 5);
    EQ(*f.file, 'x');
    EQ(aux_filter_next(&p, &f), PTS_OK);
    EQ(f.stop, true);
    EQ(aux_filter_next(&p, &f), PTS_END);
}

T(not_understood)
{
    static const char *const bad[] = {
        "go 1",      "filter",   "filter ",   " ",           ",filter 1",
        "filter1/2", "filter /", "filter @x", "filter 1/2@", "filter 1#2@x x"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const char *p = bad[i];
        struct aux_filter f;
        pts_status st;
        do
            st = aux_filter_next(&p, &f);
        while (st == PTS_OK);
        EQ(st, PTS_E_RANGE);
    }
}

T_RUN(T_CASE(all_parts), T_CASE(symbols_are_nowhere), T_CASE(not_understood))
