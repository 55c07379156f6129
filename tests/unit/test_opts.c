/* test_opts.c - the command line, read as perf script reads it.
 *
 * SPDX-License-Identifier: MIT
 *
 * The problems' texts and which names win are perf 6.1's.
 */
#include "cli/opts.h"
#include "tests/lib/t.h"

#include <string.h>

static struct cli_opts got;

#define PARSE(...)                                                                     \
    parse((char *[]){"ptscript", __VA_ARGS__},                                         \
          sizeof((char *[]){"ptscript", __VA_ARGS__}) / sizeof(char *))

static enum cli_want parse(char **argv, size_t n)
{
    memset(&got, 0, sizeof(got));
    return cli_parse((int)n, argv, &got);
}

T(options_keep_their_order)
{
    EQ(PARSE("--itrace=be", "-F+flags", "--ns", "-C", "0,2"), CLI_RUN);
    EQ(got.count, 4);
    STREQ(got.list[0].name, "itrace");
    STREQ(got.list[0].value, "be");
    STREQ(got.list[1].name, "fields");
    STREQ(got.list[1].value, "+flags");
    STREQ(got.list[2].name, "ns");
    CHECK(!got.list[2].value);
    STREQ(got.list[3].name, "cpu");
    STREQ(got.list[3].value, "0,2");
}

T(letters_join)
{
    EQ(PARSE("-vDfi", "x.data"), CLI_RUN);
    EQ(got.count, 2);
    EQ(got.force, 1);
    STREQ(got.input, "x.data");
    EQ(PARSE("-Fip,time"), CLI_RUN);
    STREQ(got.list[0].value, "ip,time");
}

T(long_arguments)
{
    EQ(PARSE("--input", "a", "--symfs=b", "--buildid-dir", "c"), CLI_RUN);
    STREQ(got.input, "a");
    STREQ(got.symfs, "b");
    STREQ(got.buildid_dir, "c");
    EQ(PARSE("--itrace"), CLI_RUN);
    CHECK(!got.list[0].value);
    EQ(PARSE("--itrace="), CLI_RUN);
    STREQ(got.list[0].value, "");
}

T(optional_argument_is_not_the_next_word)
{
    EQ(PARSE("--itrace", "foo"), CLI_USAGE);
}

T(names_may_be_shortened)
{
    EQ(PARSE("--itrac=e", "--fie=ip", "--full", "--no-itr"), CLI_RUN);
    STREQ(got.list[0].name, "itrace");
    STREQ(got.list[1].name, "fields");
    STREQ(got.list[2].name, "full-source-path");
    STREQ(got.list[3].name, "no-itrace");
    EQ(PARSE("--header"), CLI_RUN);
    STREQ(got.list[0].name, "header");
    EQ(PARSE("--ns", "--no-ns"), CLI_RUN);
    STREQ(got.list[1].name, "no-ns");
}

T(ambiguous_names_are_refused)
{
    EQ(PARSE("--in=x"), CLI_USAGE);
    STREQ(got.problem.text, "Ambiguous option: in (could be --insn-trace or --inline)");
    EQ(PARSE("--show"), CLI_USAGE);
    STREQ(got.problem.text,
          "Ambiguous option: show (could be --show-text-poke-events or "
          "--show-on-off-events)");
    EQ(PARSE("--dump"), CLI_USAGE);
    EQ(PARSE("--n"), CLI_USAGE);
}

T(wrong_options)
{
    EQ(PARSE("--nonsense"), CLI_USAGE);
    STREQ(got.problem.text, "unknown option `nonsense'");
    EQ(PARSE("-Q"), CLI_USAGE);
    STREQ(got.problem.text, "unknown switch `Q'");
    EQ(got.problem.of_known, false);
    EQ(PARSE("-i"), CLI_USAGE);
    STREQ(got.problem.text, "switch `i' requires a value");
    EQ(got.problem.of_known, true); /* perf indents these less */
    EQ(PARSE("--ns=3"), CLI_USAGE);
    STREQ(got.problem.text, "option `ns' takes no value");
    EQ(PARSE("--no-itrace=b"), CLI_USAGE);
    STREQ(got.problem.text, "option `no-itrace' takes no value");
    EQ(PARSE("--max-stack=x"), CLI_USAGE);
    STREQ(got.problem.text, "option `max-stack' expects a numerical value");
    EQ(PARSE("--max-stack=-1"), CLI_USAGE);
    STREQ(got.problem.text, "option `max-stack' expects an unsigned numerical value");
    EQ(PARSE("--max-blocks=-1"), CLI_RUN);
    EQ(PARSE("--max-stack= +1"), CLI_RUN);
    EQ(PARSE("--max-stack="), CLI_RUN);
    EQ(PARSE("--max-stack=+"), CLI_USAGE);
    EQ(PARSE("--max-stack"), CLI_USAGE);
    STREQ(got.problem.text, "option `max-stack' requires a value");
    EQ(PARSE("--no-no-ns"), CLI_USAGE);
}

T(words)
{
    EQ(PARSE("script", "--ns"), CLI_RUN);
    EQ(PARSE("--buildid-dir", "x", "script", "--ns"), CLI_RUN);
    EQ(PARSE("script", "script"), CLI_USAGE);
    EQ(PARSE("annotate"), CLI_USAGE);
    STREQ(got.problem.text, "`annotate' is not supported, only script, evlist, "
                            "buildid-list, buildid-cache, archive, doctor, bundle, "
                            "time, inject, report and export are");
    EQ(PARSE("evlist", "-vF", "--group"), CLI_RUN);
    CHECK(got.command == &cmd_evlist);
    EQ(got.count, 3);
    STREQ(got.list[1].name, "freq");
    EQ(PARSE("evlist", "-D"), CLI_USAGE);
    EQ(PARSE("evlist", "x"), CLI_USAGE);
    EQ(PARSE("script", "evlist"), CLI_USAGE);
    EQ(PARSE("--ns", "--"), CLI_RUN);
    EQ(PARSE("--", "evlist"), CLI_USAGE);
    STREQ(got.problem.text, "Couldn't find script `evlist'");
    char *argv[] = {"ptscript", "-s", "x.py", "--ns", "a", "-i", "b", "--", "c"};
    EQ(parse(argv, sizeof(argv) / sizeof(argv[0])), CLI_RUN);
    STREQ(got.script, "x.py");
    EQ(got.count, 1);
    EQ(got.rest_count, 5);
    STREQ(got.rest[0], "a");
    EQ(PARSE("-s", "x.py", "--", "--ns"), CLI_RUN);
    EQ(got.count, 0);
    EQ(got.rest_count, 1);
    EQ(PARSE("evlist", "--", "-v"), CLI_USAGE);
    STREQ(got.problem.text, "`-v': evlist takes no arguments");
    EQ(PARSE("-h"), CLI_HELP);
    EQ(PARSE("--version"), CLI_VERSION);
}

T(too_many)
{
    char *argv[CLI_OPTIONS_MAX + 2];
    for (int i = 0; i < CLI_OPTIONS_MAX + 2; i++)
        argv[i] = "--ns";
    memset(&got, 0, sizeof(got));
    EQ(cli_parse(CLI_OPTIONS_MAX + 1, argv, &got), CLI_RUN);
    memset(&got, 0, sizeof(got));
    EQ(cli_parse(CLI_OPTIONS_MAX + 2, argv, &got), CLI_USAGE);
}

T(bare_traces)
{
    EQ(PARSE("--pt", "pt.bin", "--image", "a:0x1000", "--image=b:c", "--image", "d:16",
             "--cpu", "6/85/4", "-C", "0,2", "--mtc-freq=0xf", "--noretcomp",
             "--pevent:sample-type", "0x10086", "--pevent:secondary", "s1",
             "--pevent:primary", "p", "--pevent:primary", "s2", "--pevent:sysroot",
             "root"),
       CLI_RUN);
    const struct pts_raw_opts *o = &got.raw.opts;
    STREQ(o->trace, "pt.bin");
    EQ(o->image_count, 3);
    STREQ(o->images[0].path, "a");
    EQ(o->images[0].addr, 0x1000);
    EQ(o->images[0].placed, 1);
    STREQ(o->images[1].path, "b:c");
    EQ(o->images[1].placed, 0);
    STREQ(o->images[2].path, "d");
    EQ(o->images[2].addr, 16);
    EQ(o->cpu_family, 6);
    EQ(o->cpu_model, 85);
    EQ(o->cpu_stepping, 4);
    EQ(o->mtc_freq, 15);
    EQ(o->no_ret_compression, 1);
    EQ(o->sample_type, 0x10086);
    EQ(o->sideband_count, 3);
    STREQ(o->sideband[0], "p");
    STREQ(o->sideband[1], "s1");
    STREQ(o->sideband[2], "s2");
    STREQ(got.symfs, "root");
    EQ(got.count, 1);
    STREQ(got.list[0].name, "cpu");
}

/* perf's names may still be shortened as if those of bare traces did not exist. */
T(bare_traces_leave_names_alone)
{
    EQ(PARSE("--pe"), CLI_RUN);
    STREQ(got.list[0].name, "per-event-dump");
    EQ(PARSE("--pt"), CLI_USAGE);
    STREQ(got.problem.text, "option `pt' requires a value");
    EQ(PARSE("--pt", "x", "-i", "y"), CLI_USAGE);
    EQ(PARSE("--image", "x"), CLI_USAGE);
    STREQ(got.problem.text, "option `image' needs --pt");
}

T_RUN(T_CASE(bare_traces), T_CASE(bare_traces_leave_names_alone),
      T_CASE(options_keep_their_order), T_CASE(letters_join), T_CASE(long_arguments),
      T_CASE(optional_argument_is_not_the_next_word), T_CASE(names_may_be_shortened),
      T_CASE(ambiguous_names_are_refused), T_CASE(wrong_options), T_CASE(words),
      T_CASE(too_many))
