/* test_srcline.c - source lines of this very program, and the text of lines.
 *
 * SPDX-License-Identifier: MIT
 *
 * What perf prints is compared in tests/oracle/srclines.py.
 */
#include "synth/symbol/srccode.h"
#include "synth/symbol/sym_load.h"
#include "tests/lib/t.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

int marked_function(int x);

enum { MARK_FIRST = __LINE__ };
int marked_function(int x)
{
    return x + 1;
}
enum { MARK_LAST = __LINE__ };

static char self[PATH_MAX];
static const struct sym_opts opts = {.demangle = true};

static struct symtab *own_symbols(void)
{
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    struct sym_want want = {.name = self};
    struct symtab *t = NULL;
    CHECK(n > 0);
    EQ(symtab_load(&opts, &want, &t), PTS_OK);
    return t;
}

/* Where a function of this program is in its file. */
static uint64_t offset_of(const struct symtab *t, const char *name)
{
    for (uint64_t off = 0; off < 1 << 24; off++) {
        const struct sym *s = symtab_find(t, off);
        if (s && strcmp(symtab_name(t, s), name) == 0)
            return off;
    }
    return 0;
}

static struct srcline *lines_of(const struct symtab *t, const char *name)
{
    struct sym_want want = {.name = name};
    struct srcline *s = NULL;
    EQ(srcline_new(&opts, &want, "short", t, &s), PTS_OK);
    return s;
}

T(own_line)
{
    struct symtab *t = own_symbols();
    struct srcline *s = lines_of(t, self);
    struct srcline_at at;
    char text[PATH_MAX], want[64];
    uint64_t off = offset_of(t, "marked_function");
    CHECK(off != 0);
    EQ(marked_function(1), 2);
    EQ(srcline_find(s, &(struct srcline_ask){off, 0}, &at), PTS_OK);
    CHECK(at.line > MARK_FIRST && at.line < MARK_LAST);
    CHECK(at.len > 15 && strncmp(at.file + at.len - 14, "test_srcline.c", 14) == 0);
    srcline_text(s, &(struct srcline_ask){off, 0}, false, text, sizeof(text));
    snprintf(want, sizeof(want), "test_srcline.c:%u", at.line);
    STREQ(text, want);
    EQ(srcline_text(s, &(struct srcline_ask){off, 0}, true, text, sizeof(text)),
       strlen(text));
    CHECK(text[0] == '/');
    EQ(srcline_text(s, &(struct srcline_ask){off, 0}, false, text, 5), 4);
    srcline_free(s);
    symtab_free(t);
}

/* perf gives up on a dso when nothing is found for the first 123 addresses. */
T(gives_up)
{
    struct symtab *t = own_symbols();
    uint64_t off = offset_of(t, "marked_function");
    struct srcline_at at;
    for (int fails = 121; fails < 125; fails++) {
        struct srcline *s = lines_of(t, self);
        for (int i = 0; i < fails; i++)
            EQ(srcline_find(s, &(struct srcline_ask){1, 0}, &at), PTS_END);
        EQ(srcline_find(s, &(struct srcline_ask){off, 0}, &at),
           fails < 123 ? PTS_OK : PTS_END);
        srcline_free(s);
    }
    symtab_free(t);
}

T(no_file)
{
    static const char *const names[] = {"/no/such/file", "[vdso]", "/tmp/perf-1.map"};
    for (size_t i = 0; i < 3; i++) {
        struct sym_want want = {.name = names[i]};
        struct symtab *t;
        char text[32];
        EQ(symtab_load(&opts, &want, &t), PTS_OK);
        struct srcline *s = lines_of(t, names[i]);
        srcline_text(s, &(struct srcline_ask){0x1a, 0}, false, text, sizeof(text));
        STREQ(text, "short[1a]");
        srcline_free(s);
        symtab_free(t);
    }
}

static const char *code(struct srccode *c, struct srccode_last *last, const char *file,
                        uint32_t line)
{
    static char copy[64];
    struct srcline_at at = {file, strlen(file), line};
    const char *text;
    size_t n;
    if (srccode_text(c, &at, last, &text, &n) != PTS_OK)
        return "(none)";
    snprintf(copy, sizeof(copy), "%.*s", (int)n, text);
    return copy;
}

T(text_of_lines)
{
    char path[] = "/tmp/pts-src-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, "one\n\n\tthree\nlast", 16) == 16);
    close(fd);
    struct srccode *c;
    struct srccode_last last = {0};
    EQ(srccode_new(&c), PTS_OK);
    STREQ(code(c, &last, path, 1), "|1        one");
    STREQ(code(c, &last, path, 1), "(none)");
    STREQ(code(c, &last, path, 2), "|2        ");
    STREQ(code(c, &last, "/no/such/file", 2), "(none)");
    STREQ(code(c, &last, path, 2), "(none)");
    STREQ(code(c, &last, path, 3), "|3        \tthree");
    STREQ(code(c, &last, path, 4), "|4        last");
    STREQ(code(c, &last, path, 5), "(none)");
    STREQ(code(c, &last, path, 0), "(none)");
    STREQ(code(c, &last, path, UINT32_MAX), "(none)");
    srccode_free(c);
    unlink(path);
}

T_RUN(T_CASE(own_line), T_CASE(gives_up), T_CASE(no_file), T_CASE(text_of_lines))
