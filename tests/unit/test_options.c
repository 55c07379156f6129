/* test_options.c - what the library makes of the rows of the option tables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/plan/list_options.h"
#include "synth/plan/options.h"
#include "tests/lib/t.h"

#include <string.h>

static struct options got;
static struct pts_diag why;

static pts_status take(const char *name, const char *value)
{
    const struct pts_option one = {name, value};
    return options_parse(&got, &one, 1, &why);
}

static void start(void)
{
    options_init(&got, NULL, NULL);
}

T(members)
{
    start();
    EQ(take("ns", NULL), PTS_OK);
    EQ(take("cpu", "0-3"), PTS_OK);
    EQ(take("max-blocks", "-7"), PTS_OK);
    EQ(got.text.max_blocks, -7);
    EQ(take("max-blocks", "4294967297"), PTS_OK); /* as perf: 32 bits of it */
    EQ(got.text.max_blocks, 1);
    EQ(take("max-blocks", "- 7"), PTS_E_USAGE);
    EQ(take("max-stack", "-7"), PTS_E_USAGE);
    STREQ(why.text, " Error: option `max-stack' expects an unsigned numerical value");
    EQ(take("max-stack", " +7"), PTS_OK);
    EQ(got.max_stack, 7);
    EQ(take("max-stack", ""), PTS_OK);
    EQ(got.max_stack, 0);
    EQ(take("max-stack", "7"), PTS_OK);
    CHECK(got.text.ns);
    STREQ(got.cpu, "0-3");
    EQ(got.max_stack, 7);
    EQ(take("no-ns", NULL), PTS_OK);
    EQ(take("no-cpu", NULL), PTS_OK);
    EQ(take("no-max-stack", NULL), PTS_OK);
    CHECK(!got.text.ns && !got.cpu);
    EQ(got.max_stack, 0);
}

T(calls)
{
    start();
    EQ(take("insn-trace", "disasm"), PTS_OK);
    CHECK(got.text.ns);
    EQ(take("insn-trace", "x"), PTS_E_USAGE);
    STREQ(why.text, "Only accept raw|disasm");
    EQ(take("no-itrace", NULL), PTS_OK);
    CHECK(got.itrace.dont_decode);
    EQ(take("no-fields", NULL), PTS_E_UNSUPPORTED);
    STREQ(why.text, "--no-fields is not supported");
}

/* Of perf's options one is told a value and takes no notice. */
T(a_value_that_nobody_looks_at)
{
    start();
    EQ(take("xed", "5"), PTS_OK);
    CHECK(got.text.xed);
}

T(wrong_values)
{
    start();
    EQ(take("ns", "1"), PTS_E_USAGE);
    STREQ(why.text, " Error: option `ns' takes no value");
    EQ(take("cpu", NULL), PTS_E_USAGE);
    STREQ(why.text, " Error: option `cpu' requires a value");
    EQ(take("max-blocks", "2x"), PTS_E_USAGE);
    STREQ(why.text, " Error: option `max-blocks' expects a numerical value");
    EQ(take("no-no-ns", NULL), PTS_E_USAGE);
    STREQ(why.text, " Error: unknown option `no-no-ns'");
}

/* Who takes an option decides what the library says to it. */
static pts_status said_to(const char *name)
{
    start();
    return take(name, NULL);
}

static const struct row {
    const char *name, *taker;
} rows[] = {
#define PTS_OPTION(letter, name, argument, taker, does, arg_name, help) {name, #taker},
#include <ptscript/script.def>
#undef PTS_OPTION
};

T(takers)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *r = &rows[i];
        pts_status st = said_to(r->name);
        bool unknown = st == PTS_E_USAGE && strstr(why.text, "unknown option");
        if (strcmp(r->taker, "SESSION") == 0)
            EQ(st, PTS_OK);
        else if (strcmp(r->taker, "NOT_YET") == 0)
            EQ(st, PTS_E_UNSUPPORTED);
        else
            EQ(unknown, strcmp(r->taker, "LIBRARY") && strcmp(r->taker, "PRINTER") &&
                            strncmp(r->taker, "OURS", 4));
        why.text[0] = '\0';
    }
}

T(lists_of_events)
{
    struct list_opts o = {0};
    const struct pts_option all[] = {
        {"verbose",      NULL},
        {"freq",         NULL},
        {"no-verbose",   NULL},
        {"trace-fields", NULL},
        {"input",        "x" },
        {"group",        NULL},
        {"itrace",       NULL},
    };
    EQ(list_options(&o, all, 5, &why), PTS_OK);
    CHECK(o.freq && o.trace_fields && !o.verbose && !o.group);
    EQ(list_options(&o, all, 6, &why), PTS_E_USAGE);
    STREQ(why.text, "  Error: --group option is not compatible with other options\n");
    EQ(list_options(&o, all, 7, &why), PTS_E_USAGE);
    STREQ(why.text, " Error: unknown option `itrace'");
}

T_RUN(T_CASE(members), T_CASE(calls), T_CASE(a_value_that_nobody_looks_at),
      T_CASE(wrong_values), T_CASE(takers), T_CASE(lists_of_events))
