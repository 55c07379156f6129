/* test_kallsyms.c - lists of the kernel's symbols: lines that are none, and whose symbols are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/kallsyms.h"
#include "tests/lib/t.h"
#include "walker/code/kernel_extent.h"

#include <stdlib.h>
#include <unistd.h>

/* The list that such a file would be. */
static struct kallsyms list_of(const char *text)
{
    struct kallsyms k = {0};
    size_t n = strlen(text);

    if (n && VEC_ROOM(&k.text, n)) {
        memcpy(k.text.at, text, n);
        k.text.len = n;
    }
    return k;
}

/* "addr type name, ..." of all lines that are symbols. */
static const char *lines(const char *text)
{
    static char out[512];
    struct kallsyms k = list_of(text);
    struct kallsyms_iter it = kallsyms_begin(&k);
    struct kallsym s;
    size_t n = 0;

    out[0] = '\0';
    while (kallsyms_next(&it, &s))
        n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%" PRIx64 " %c %.*s",
                              n ? ", " : "", s.addr, s.type, (int)s.len, s.name);
    kallsyms_close(&k);
    return out;
}

T(a_line_is_an_address_a_letter_and_a_name)
{
    STREQ(lines("ffffffff81000000 T _text\nffffffffc0254000 t fat_parse\t[fat]\n"),
          "ffffffff81000000 T _text, ffffffffc0254000 t fat_parse\t[fat]");
    STREQ(lines("1 A a\nABCDEF b b c"), "1 A a, abcdef b b c");
    STREQ(lines("ffffffffffffffff D last"), "ffffffffffffffff D last");
}

T(other_lines_are_passed_over)
{
    STREQ(lines(""), "");
    STREQ(lines("\n\n"), "");
    STREQ(lines("1 T\n2 T \n3 T x\n4\n5 \n T y\nxyz T z\n-1 T q"), "3 T x");
    STREQ(lines("1  T x\n2\tT x\n3 TT x"), "");
    /* more digits than an address has */
    STREQ(lines("1ffffffff81000000 T long\n00000000000000001 T long"), "");
    STREQ(lines("ffffffff81000000 T a\r\n"), "ffffffff81000000 T a\r");
    /* a character that is no digit, in either half; others that are */
    STREQ(lines("fffffffg81000000 T x\nffffffff8100000` T x\nffffffff810@0000 T x\n"
                "ffffffff8100000\xb9 T x\n0123456789abCDEF T y"),
          "123456789abcdef T y");
}

T(names_need_no_newline_and_may_be_long)
{
    size_t n = 100000;
    char *text = malloc(n + 4);
    memset(text, 'x', n + 3);
    memcpy(text, "1 T ", 4);
    text[n + 3] = '\0';
    struct kallsyms k = list_of(text);
    struct kallsyms_iter it = kallsyms_begin(&k);
    struct kallsym s;
    CHECK(kallsyms_next(&it, &s));
    EQ(s.len, n - 1);
    CHECK(!kallsyms_next(&it, &s));
    kallsyms_close(&k);
    free(text);
}

T(a_nul_is_no_end)
{
    static const char text[] = "1 \0 a\n2 T b\0c\n";
    struct kallsyms k = {0};
    CHECK(VEC_ROOM(&k.text, sizeof(text)));
    memcpy(k.text.at, text, sizeof(text) - 1);
    k.text.len = sizeof(text) - 1;
    struct kallsyms_iter it = kallsyms_begin(&k);
    struct kallsym s;
    CHECK(kallsyms_next(&it, &s));
    CHECK(!kallsym_is_code(&s));
    CHECK(!kallsym_is_taken(&s));
    CHECK(kallsyms_next(&it, &s));
    EQ(s.len, 3);
    CHECK(!kallsym_is(&s, "b"));
    kallsyms_close(&k);
}

T(functions_are_found_by_name)
{
    struct kallsyms k = list_of("1 d f\n2 t f_not\n3 T f\n4 T f\n5 t g\t[m]\n");
    uint64_t addr = 7;
    CHECK(kallsyms_function(&k, "f", &addr));
    EQ(addr, 3);
    CHECK(!kallsyms_function(&k, "h", &addr));
    CHECK(!kallsyms_function(&k, "", &addr));
    EQ(addr, 3);
    kallsyms_close(&k);
}

T(names_are_found_where_they_are_whole)
{
    struct kallsyms k =
        list_of("f\n00000000000000001 T f\n2 T xf\n3 T f f\n4 T f\t[m]\n"
                "5 T f\r\n6T f\n7 t f\n0123456789abcdef T f\n9 T f");
    struct kallsyms_iter it = kallsyms_begin(&k);
    struct kallsym s;
    CHECK(kallsyms_named(&it, "f", &s) && s.addr == 7 && s.type == 't' && s.len == 1);
    CHECK(kallsyms_named(&it, "f", &s) && s.addr == 0x0123456789abcdef);
    CHECK(kallsyms_named(&it, "f", &s) && s.addr == 9);
    CHECK(!kallsyms_named(&it, "f", &s) && !kallsyms_named(&it, "f", &s));
    it = kallsyms_begin(&k);
    CHECK(kallsyms_named(&it, "f\t[m]", &s) && s.addr == 4);
    it = kallsyms_begin(&k);
    CHECK(!kallsyms_named(&it, "", &s));
    kallsyms_close(&k);
}

/* Line by line the same lines are found. */
T(names_are_found_as_line_by_line)
{
    static const char part[] = "0123 tT\n\nff\t ";
    uint32_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        char text[60] = {0};
        for (size_t n = 0; n < sizeof(text) - 1;
             n++, seed = seed * 1664525 + 1013904223)
            text[n] = part[(seed >> 16) % (sizeof(part) - 1)];
        if (i % 2)
            memcpy(text + i % 40, "\n00000000000000f T f\n", 17);
        struct kallsyms k = list_of(text);
        struct kallsyms_iter by_name = kallsyms_begin(&k), it = by_name;
        struct kallsym s, same;
        while (kallsyms_next(&it, &s))
            if (kallsym_is(&s, "f"))
                CHECK(kallsyms_named(&by_name, "f", &same) && same.name == s.name &&
                      same.addr == s.addr && same.type == s.type);
        CHECK(!kallsyms_named(&by_name, "f", &same));
        kallsyms_close(&k);
    }
}

T(files_are_read_to_their_end)
{
    char path[] = "/tmp/kallsyms-XXXXXX";
    int fd = mkstemp(path);
    struct kallsyms k;
    EQ(kallsyms_open("/nowhere/kallsyms", &k), PTS_END);
    EQ(kallsyms_open("/tmp", &k), PTS_END);
    EQ(kallsyms_open(path, &k), PTS_END); /* empty */
    /* as it looks to those who may not know */
    EQ(write(fd, "0000000000000000 T _text\n", 25), 25);
    EQ(kallsyms_open(path, &k), PTS_END);
    EQ(write(fd, "1 T a", 5), 5);
    EQ(kallsyms_open(path, &k), PTS_OK);
    EQ(k.text.len, 30);
    kallsyms_close(&k);
    close(fd);
    unlink(path);
}

/* --- Whose they are ---------------------------------------------------------------- */

static const struct kernel_module module[] = {
    {"[fat]",  0xffffffffc0254000, 3},
    {"[vfat]", 0xffffffffc0273000, 4}
};
static const struct kernel_want want = {.module = module, .module_count = 2};

static const char *owners(const char *text)
{
    static char out[64];
    struct kallsyms k = list_of(text);
    struct kallsyms_iter it = kallsyms_begin(&k);
    struct kernel_walk walk = KERNEL_WALK_INIT;
    struct kallsym s;
    size_t n = 0;

    while (kallsyms_next(&it, &s) && n < sizeof(out) - 1) {
        uint32_t owner = kernel_owner(&walk, &s, &want);
        out[n++] = owner == KERNEL_OWN      ? 'k'
                   : owner == KERNEL_NOBODY ? '-'
                                            : (char)('0' + owner);
    }
    out[n] = '\0';
    kallsyms_close(&k);
    return out;
}

T(symbols_belong_to_the_kernel_or_a_module)
{
    STREQ(owners("1 T a\n2 T b\n3 t c\t[fat]\n4 t d\t[vfat]\n5 t e\t[other]\n"),
          "kk01-");
    /* behind a module's the kernel's own are nobody's */
    STREQ(owners("1 T a\n2 t c\t[fat]\n3 T b\n4 T c\n5 t c\t[vfat]\n"), "k0--1");
    /* behind those of an unknown one they are the kernel's */
    STREQ(owners("1 T a\n2 t c\t[other]\n3 T b\n"), "k-k");
    /* none before: they are */
    STREQ(owners("1 t c\t[fat]\n2 T b\n"), "0k");
    STREQ(owners("1 T __entry_SYSCALL_64_trampoline\n2 T __entry_SYSCALL\n"), "-k");
    STREQ(owners("1 T a\t\n2 T a\t[fat\n3 T a\t[fat]x\n"), "---");
}

static bool extent(const char *text, uint64_t *start, uint64_t *end)
{
    struct kallsyms k = list_of(text);
    bool any = kernel_extent(&k, &want, start, end);
    kallsyms_close(&k);
    return any;
}

T(the_kernel_reaches_from_its_first_symbol_behind_its_last)
{
    uint64_t start = 7, end = 7;
    CHECK(!extent("", &start, &end));
    CHECK(!extent("1000 A absolute\n2000 U undefined\n", &start, &end));
    EQ(start, 7);
    CHECK(extent("ffffffff81000000 T a\nffffffff81000800 t b\n", &start, &end));
    EQ(start, 0xffffffff81000000);
    EQ(end, 0xffffffff81002000);
    /* in any order; a symbol without a module ends at a module's only by its page */
    CHECK(extent("3000 t m\t[fat]\n2010 T b\n1000 T a\n", &start, &end));
    EQ(start, 0x1000);
    EQ(end, 0x4000);
    CHECK(extent("1000 T a\n1000 T b\n", &start, &end));
    EQ(end, 0x2000);
    /* at the very end there is no page more */
    CHECK(extent("fffffffffffff800 T a\n", &start, &end));
    EQ(start, 0xfffffffffffff800);
}

T_RUN(T_CASE(a_line_is_an_address_a_letter_and_a_name),
      T_CASE(other_lines_are_passed_over),
      T_CASE(names_need_no_newline_and_may_be_long), T_CASE(a_nul_is_no_end),
      T_CASE(functions_are_found_by_name), T_CASE(names_are_found_where_they_are_whole),
      T_CASE(names_are_found_as_line_by_line), T_CASE(files_are_read_to_their_end),
      T_CASE(symbols_belong_to_the_kernel_or_a_module),
      T_CASE(the_kernel_reaches_from_its_first_symbol_behind_its_last))
