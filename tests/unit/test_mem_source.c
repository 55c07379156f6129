/* test_mem_source.c - where data came from, in perf's bits.
 *
 * SPDX-License-Identifier: MIT
 *
 * tests/cases has every code; here are the ends of each field.
 */
#include "synth/sample/mem_source.h"
#include "tests/lib/t.h"

static const struct evl_attr loads = {.type = PTS_TYPE_RAW, .config = 0x30005d0};

T(only_two_events_of_few_processors_tell)
{
    struct evl_attr a = {.type = PTS_TYPE_RAW, .config = 0x6d0};

    EQ(mem_format_of("GenuineIntel,6,190,0", &loads), MEM_GRACEMONT);
    EQ(mem_format_of("GenuineIntel,6,175,3", &a), MEM_CRESTMONT);
    EQ(mem_format_of("GenuineIntel,6,182,0", &a), MEM_CRESTMONT);
    EQ(mem_format_of("GenuineIntel,6,19,0", &a), MEM_UNKNOWN);
    EQ(mem_format_of(NULL, &a), MEM_UNKNOWN);
    a.config = 0xd0;
    EQ(mem_format_of("GenuineIntel,6,190,0", &a), MEM_UNKNOWN);
    a = loads;
    a.type = PTS_TYPE_HARDWARE;
    EQ(mem_format_of("GenuineIntel,6,190,0", &a), MEM_UNKNOWN);
}

T(fields_are_where_each_processor_has_them)
{
    EQ(mem_source(MEM_UNKNOWN, 3), 0x1e05080021);
    EQ(mem_source(MEM_GRACEMONT, 1), 0x10268100142);          /* L1 */
    EQ(mem_source(MEM_GRACEMONT, 3 | 1 << 5), 0x10450100442); /* L2, TLB miss */
    EQ(mem_source(MEM_CRESTMONT, 3 | 1 << 6), 0x10450100442);
    EQ(mem_source(MEM_CRESTMONT, 3 | 1 << 5), 0x1046a100442); /* locked */
    EQ(mem_source(MEM_CRESTMONT, 3 | 1 << 7), 0x20468100442); /* blocked */
    EQ(mem_source(MEM_CRESTMONT, 3 | 1 << 4), mem_source(MEM_CRESTMONT, 3));
}

T_RUN(T_CASE(only_two_events_of_few_processors_tell),
      T_CASE(fields_are_where_each_processor_has_them))
