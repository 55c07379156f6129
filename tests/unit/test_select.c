/* test_select.c - times, cpus and lists; accepted and refused as by perf 6.1.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/symbol/place.h"
#include "synth/plan/select.h"
#include "tests/lib/t.h"

static struct pts_diag why;
static struct time_base base;

static pts_status times(struct time_ranges *t, const char *str)
{
    *t = (struct time_ranges){0};
    return time_parse(t, str, &base, &why);
}

T(times_are_seconds)
{
    struct time_ranges t;
    EQ(times(&t, "641.257928674,641.2579287"), PTS_OK);
    EQ(t.r.len, 1);
    EQ(t.r.at[0].start, 641257928674);
    EQ(t.r.at[0].end, 641257928700);
    CHECK(time_skips(&t, 641257928673));
    CHECK(!time_skips(&t, 641257928674));
    CHECK(!time_skips(&t, 641257928700));
    CHECK(time_skips(&t, 641257928701));
    CHECK(!time_skips(&t, 0));
    VEC_FREE(&t.r);
    EQ(times(&t, ",641"), PTS_OK);
    CHECK(!time_skips(&t, 1));
    CHECK(time_skips(&t, 641000000001));
    VEC_FREE(&t.r);
}

T(several_ranges)
{
    struct time_ranges t;
    EQ(times(&t, "1,2 3,4 5,"), PTS_OK);
    EQ(t.r.len, 3);
    CHECK(!time_skips(&t, 1500000000));
    CHECK(time_skips(&t, 2500000000));
    CHECK(!time_skips(&t, 9000000000));
    VEC_FREE(&t.r);
}

T(bad_times)
{
    static const char *const bad[] = {
        "641",         "641,640",  "a,b",    "641.0000000001,", "", "641,642,643,644",
        "1,2,641,642", "641.5.2,", "1,5 4,6"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct time_ranges t;
        EQ(times(&t, bad[i]), PTS_E_RANGE);
        STREQ(why.text, "Invalid time string");
        VEC_FREE(&t.r);
    }
    struct time_ranges t;
    EQ(times(&t, "50%"), PTS_E_RANGE);
    CHECK(strncmp(why.text, "HINT: no first/last sample time", 31) == 0);
}

T(percentages)
{
    static const struct {
        const char *str;
        uint64_t start, end; /* of the first range */
        size_t n;
    } cases[] = {
        {"10%",            1000, 1099, 1},
        {"10%/2",          1100, 1199, 1},
        {"10%/2,10%/3",    1100, 1199, 2},
        {"0%-10%,30%-40%", 1000, 1099, 2},
        {"100%",           1000, 2000, 1},
        {"90%-100%",       1900, 2000, 1},
        {"10%-5%",         1100, 1050, 1},
        {"10%x/2",         1100, 1199, 1},
    };
    static const char *const bad[] = {"50%/3", "x%",    "%",       "10%/x", "10%x",
                                      "150%",  "10%/0", "10%,20%", "10%-20"};
    struct time_ranges t;
    base = (struct time_base){.first = 1000, .last = 2000};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        EQ(times(&t, cases[i].str), PTS_OK);
        EQ(t.r.len, cases[i].n);
        EQ(t.r.at[0].start, cases[i].start);
        EQ(t.r.at[0].end, cases[i].end);
        VEC_FREE(&t.r);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        EQ(times(&t, bad[i]), PTS_E_RANGE);
        STREQ(why.text, "Invalid time string");
        VEC_FREE(&t.r);
    }
    base.relative = true;
    EQ(times(&t, "0.0000001,"), PTS_OK);
    EQ(t.r.at[0].start, 1100);
    EQ(t.r.at[0].end, 1000);
    VEC_FREE(&t.r);
    base = (struct time_base){0};
}

/* Whatever the rate: the ticks of a range convert back into it, and no more do. */
T(ticks_of_a_range_are_exact)
{
    static const struct tsc_conv rates[] = {
        {18446744041015200657u, 1789569706, 31},
        {0,                     1,          0 },
        {1000,                  3,          4 },
        {5,                     333,        1 }
    };
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const struct tsc_conv *c = &rates[i];
        uint64_t first = tsc_to_ns(0xbc4cd2cfe8, c);
        for (uint64_t ns = first; ns < first + 50; ns += 7) {
            struct time_range r = time_in_ticks((struct time_range){ns, ns + 3}, c);
            CHECK(tsc_to_ns(r.start, c) >= ns);
            CHECK(tsc_to_ns(r.start - 1, c) < ns);
            CHECK(tsc_to_ns(r.end, c) <= ns + 3);
            CHECK(tsc_to_ns(r.end + 1, c) > ns + 3);
        }
    }
}

T(cpu_lists)
{
    struct cpu_set c;
    EQ(cpus_parse(&c, "0-2,7", 8, &why), PTS_OK);
    CHECK(!cpus_skip(&c, 0));
    CHECK(!cpus_skip(&c, 2));
    CHECK(cpus_skip(&c, 3));
    CHECK(!cpus_skip(&c, 7));
    CHECK(!cpus_skip(&c, -1));
    EQ(cpus_parse(&c, "0x1", 4, &why), PTS_OK);
    CHECK(!cpus_skip(&c, 1));
    EQ(cpus_parse(&c, "1,9", 4, &why), PTS_E_FORMAT);
    STREQ(why.text, "Requested CPU 9 too large. Consider raising MAX_NR_CPUS");
    static const char *const bad[] = {"x", "3-1", "1,1", "9,9", "1;2", "0-1-2"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        EQ(cpus_parse(&c, bad[i], 4, &why), PTS_E_FORMAT);
        STREQ(why.text, "Invalid cpu_list");
    }
}

T(threads)
{
    struct select s = {0};
    EQ(select_numbers(&s, &s.pids, "7,4242", "pid", &why), PTS_OK);
    EQ(select_names(&s, &s.comms, "foo,t", "comm", &why), PTS_OK);
    CHECK(select_threads(&s));
    CHECK(select_thread_ok(&s, 4242, 1, "t"));
    CHECK(!select_thread_ok(&s, 4242, 1, "tt"));
    CHECK(!select_thread_ok(&s, 8, 1, "t"));
    EQ(select_numbers(&s, &s.pids, "x", "pid", &why), PTS_E_RANGE);
    STREQ(why.text, "problems parsing pid list");
    EQ(select_names(&s, &s.dsos, "file:///no/such/file", "dso", &why), PTS_E_RANGE);
    STREQ(why.text, "problems parsing dso list");
    select_free(&s);
}

T(nothing_is_there_twice)
{
    static const char *const bad[] = {"a,b,a", "a,,b,,c", ",,"};
    struct select s = {0};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        EQ(select_names(&s, &s.comms, bad[i], "comm", &why), PTS_E_RANGE);
    STREQ(why.text, "problems parsing comm list");
    EQ(select_names(&s, &s.comms, "a,,b,", "comm", &why), PTS_OK);
    EQ(s.comms.name.len, 3);
    EQ(select_numbers(&s, &s.tids, "1,2,1", "tid", &why), PTS_E_RANGE);
    EQ(select_numbers(&s, &s.tids, ",0", "tid", &why), PTS_E_RANGE);
    STREQ(why.text, "problems parsing tid list");
    EQ(select_symbols(&s, "add,add", &why), PTS_E_RANGE);
    EQ(select_symbols(&s, "10,0x10", &why), PTS_OK);
    select_free(&s);
}

T(hexadecimal_symbols_are_addresses)
{
    struct select s = {0};
    struct place f = {.sym = "f",
                      .sym_ip = 0x401023,
                      .dso = "/tmp/t",
                      .dso_short = "t",
                      .dso_path = "/tmp/t",
                      .ip = 0x401024};
    struct place g = {.sym = "g",
                      .sym_ip = 0x401025,
                      .dso = "/tmp/t",
                      .dso_short = "t",
                      .dso_path = "/tmp/t",
                      .ip = 0x401025};
    EQ(select_symbols(&s, "f", &why), PTS_OK);
    CHECK(!select_place_ok(&s, &f));
    EQ(select_symbols(&s, "g", &why), PTS_OK);
    CHECK(select_place_ok(&s, &g));
    EQ(select_symbols(&s, "401023", &why), PTS_OK);
    CHECK(!select_place_ok(&s, &f));
    s.addr_range = 5;
    CHECK(select_place_ok(&s, &f));
    CHECK(select_place_ok(&s, &g));
    select_free(&s);
}

T(dsos_by_either_name)
{
    struct select s = {0};
    struct place p = {.dso = "/tmp/t", .dso_short = "t", .dso_path = "/tmp/t"},
                 none = {0};
    EQ(select_names(&s, &s.dsos, "t", "dso", &why), PTS_OK);
    CHECK(select_place_ok(&s, &p));
    CHECK(!select_place_ok(&s, &none));
    EQ(select_names(&s, &s.dsos, "/tmp/t", "dso", &why), PTS_OK);
    CHECK(select_place_ok(&s, &p));
    select_free(&s);
}

T_RUN(T_CASE(times_are_seconds), T_CASE(several_ranges), T_CASE(bad_times),
      T_CASE(percentages), T_CASE(ticks_of_a_range_are_exact), T_CASE(cpu_lists),
      T_CASE(threads), T_CASE(nothing_is_there_twice),
      T_CASE(hexadecimal_symbols_are_addresses), T_CASE(dsos_by_either_name))
