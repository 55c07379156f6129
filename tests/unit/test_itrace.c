/* test_itrace.c - the grammar of --itrace; what is accepted was tried with perf 6.1.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/plan/itrace.h"
#include "tests/lib/t.h"

static struct itrace it;
static struct pts_diag why;

static pts_status parse(const char *str)
{
    it = (struct itrace){0};
    why.text[0] = '\0';
    return itrace_parse(&it, str, &why);
}

T(letters_turn_on_their_bits)
{
    EQ(parse("bx, wpoI"), PTS_OK);
    EQ(it.what, ITRACE_ON(BRANCHES) | ITRACE_ON(TRANSACTIONS) | ITRACE_ON(PTWRITES) |
                    ITRACE_ON(POWER) | ITRACE_ON(OTHER) | ITRACE_ON(INTR));
    EQ(parse("cr"), PTS_OK);
    EQ(it.what, ITRACE_ON(BRANCHES) | ITRACE_ON(CALLS) | ITRACE_ON(RETURNS));
    EQ(parse(""), PTS_OK);
    EQ(it.what, 0);
    CHECK(it.set);
}

T(periods_have_units)
{
    static const struct {
        const char *str;
        enum itrace_unit unit;
        uint64_t period;
    } cases[] = {
        {"i",       ITRACE_UNIT_NS,    100000 },
        {"i0ns",    ITRACE_UNIT_NS,    0      },
        {"i10i",    ITRACE_UNIT_INSNS, 10     },
        {"i10ie",   ITRACE_UNIT_INSNS, 10     },
        {"i5",      ITRACE_UNIT_NS,    5      },
        {"i7t",     ITRACE_UNIT_TICKS, 7      },
        {"i3us",    ITRACE_UNIT_NS,    3000   },
        {"i2ms",    ITRACE_UNIT_NS,    2000000},
        {"i 10 us", ITRACE_UNIT_NS,    10000  },
        {"bei,1i",  ITRACE_UNIT_INSNS, 1      },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        EQ(parse(cases[i].str), PTS_OK);
        EQ(it.unit, cases[i].unit);
        EQ(it.period, cases[i].period);
    }
}

T(flags_of_errors)
{
    EQ(parse("e-o+l b"), PTS_OK);
    EQ(it.error_minus, ITRACE_FLAG('o'));
    EQ(it.error_plus, ITRACE_FLAG('l'));
    EQ(parse("e o"), PTS_OK);
    EQ(it.what, ITRACE_ON(ERRORS) | ITRACE_ON(OTHER));
    EQ(it.error_minus | it.error_plus, 0);
}

T(numbers)
{
    EQ(parse("s 5b"), PTS_OK);
    EQ(it.skip, 5);
    EQ(parse("s-1"), PTS_OK);
    EQ(it.skip, UINT64_MAX);
    EQ(parse("g 1024"), PTS_OK);
    EQ(it.callchain_size, 1024);
    EQ(parse("l"), PTS_OK);
    EQ(it.brstack_size, 64);
    EQ(parse("qq"), PTS_OK);
    EQ(it.quick, 2);
}

T(bad_strings_are_named)
{
    static const char *const bad[] = {"k",  "y",   "T",    "i10x", "ig2000", "s",
                                      "e+", "d-1", "i10m", "g0",   "l1025"};
    char want[64];
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        EQ(parse(bad[i]), PTS_E_USAGE);
        snprintf(want, sizeof(want), "Bad Instruction Tracing options '%s'", bad[i]);
        STREQ(why.text, want);
    }
}

T(options_add_up)
{
    it = (struct itrace){0};
    EQ(itrace_parse(&it, "i3t", &why), PTS_OK);
    EQ(itrace_parse(&it, "be", &why), PTS_OK);
    EQ(it.what, ITRACE_ON(INSTRUCTIONS) | ITRACE_ON(BRANCHES) | ITRACE_ON(ERRORS));
    EQ(it.period, 100000); /* but the period is that of the last option */
    EQ(it.unit, ITRACE_UNIT_NS);
}

T(default_is_calls_errors_and_kin)
{
    EQ(parse(NULL), PTS_OK);
    CHECK(itrace_on(&it, ITRACE_ON(CALLS)));
    CHECK(itrace_on(&it, ITRACE_ON(ERRORS)));
    CHECK(!itrace_on(&it, ITRACE_ON(INSTRUCTIONS)));
}

T(flags_of_the_log)
{
    EQ(parse("ibd-a+o+e"), PTS_OK);
    EQ(it.log_minus, ITRACE_FLAG('a'));
    EQ(it.log_plus, ITRACE_FLAG('o') | ITRACE_FLAG('e'));
    EQ(itrace_on(&it, ITRACE_ON(LOG)), 1);
    EQ(parse("fmtaM"), PTS_OK);
    EQ(itrace_on(&it, ITRACE_ON(LOG)), 0);
}

T_RUN(T_CASE(letters_turn_on_their_bits), T_CASE(periods_have_units),
      T_CASE(flags_of_errors), T_CASE(numbers), T_CASE(bad_strings_are_named),
      T_CASE(options_add_up), T_CASE(default_is_calls_errors_and_kin),
      T_CASE(flags_of_the_log))
