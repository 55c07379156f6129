/* test_tracepoint.c - formats of tracepoints that mean harm.
 *
 * SPDX-License-Identifier: MIT
 *
 * What sound ones print is compared with perf (tests/cases/tracepoints.py).
 */
#include "synth/print/tracepoint/tp_print.h"
#include "synth/print/tracepoint/tp_read.h"
#include "tests/lib/t.h"

static const uint8_t raw[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/* The sample above as an event with this print fmt shows it. */
static struct text shown(const char *print)
{
    static const char fields[] = "\n\tfield:u32 n;\toffset:0;\tsize:4;\tsigned:0;\n"
                                 "\tfield:u64 far;\toffset:6;\tsize:8;\tsigned:0;\n"
                                 "\tfield:__data_loc char[] s;\toffset:0;\tsize:4;\t"
                                 "signed:0;\n\nprint fmt: ";
    const struct trace_iter how = {.long_size = 8};
    const struct tp_names names = {0};
    struct trace_format f = {.system = "any"};
    struct arena arena = {0};
    struct text t = {0}, format = {0};
    struct tp_event *e;

    text_str(&format, fields);
    text_str(&format, print);
    f.fields = (struct pts_bytes){(const uint8_t *)format.at, format.len};
    if (tp_read(&arena, &how, &f, &e) == PTS_OK)
        tp_print(&t, e, (struct pts_bytes){raw, sizeof(raw)}, &names);
    text_char(&t, '\0');
    arena_free(&arena);
    text_free(&format);
    return t;
}

static bool shows(const char *print, const char *want)
{
    struct text t = shown(print);
    bool same = strcmp(t.at, want) == 0;
    text_free(&t);
    return same;
}

static bool fails(const char *print)
{
    struct text t = shown(print);
    bool failed = strncmp(t.at, "[FAILED TO PARSE]", 17) == 0;
    text_free(&t);
    return failed;
}

/* n times a, then b. */
static struct text many(const char *begin, size_t n, const char *a, const char *b)
{
    struct text t = {0};
    text_str(&t, begin);
    while (n--)
        text_str(&t, a);
    text_str(&t, b);
    text_char(&t, '\0');
    return t;
}

T(nesting_has_an_end)
{
    struct text t = many("\"%d\", ", 60, "(",
                         "7))))))))))))))))))))))))))))))))))))))))))))))))"
                         "))))))))))))))))))))))))))))))))))))))");
    CHECK(shows(t.at, "7"));
    text_free(&t);
    t = many("\"%d\", ", 100000, "(", "7");
    CHECK(fails(t.at));
    text_free(&t);
    t = many("\"%d\", ", 100000, "-", "7");
    CHECK(fails(t.at));
    text_free(&t);
    t = many("\"%d\", ", 100000, "REC->n ? 1 : ", "7");
    CHECK(!fails(t.at));
    text_free(&t);
    t = many("\"%d\", 1", 100000, " - 1", "");
    CHECK(!fails(t.at)); /* deeper than is evaluated: some number */
    text_free(&t);
}

T(what_is_not_there_is_zero)
{
    CHECK(shows("\"%llu\", REC->far", "0"));
    CHECK(shows("\"%d %d\", REC->none, REC->n / 0", "0 0"));
    CHECK(shows("\"%s|\", __get_str(s)", "|"));
    CHECK(shows("\"%s|\", __print_array(REC->far, 0x7fffffff, 1)", "7 8|"));
    CHECK(shows("\"%s|\", __print_hex(REC->far, 0x7fffffff)", "07 08|"));
}

T(texts_have_an_end)
{
    CHECK(fails("\"%d"));
    CHECK(fails("\"%s\", \"never"));
    CHECK(fails("\"%s\", __print_symbolic(REC->n, { 1, \"never"));
    CHECK(fails(""));
    CHECK(shows("\"%d\\", "[FAILED TO PARSE] n=67305985 far=0 s="));
}

T(widths_have_an_end)
{
    struct text t = shown("\"%999999999d\", REC->n");
    EQ(t.len, 4096 + 1);
    text_free(&t);
    CHECK(fails("\"%*.*d\", REC->n, REC->n"));
    t = shown("\"%*d\", REC->n, REC->n");
    EQ(t.len, 4096 + 1);
    text_free(&t);
}

T_RUN(T_CASE(nesting_has_an_end), T_CASE(what_is_not_there_is_zero),
      T_CASE(texts_have_an_end), T_CASE(widths_have_an_end))
