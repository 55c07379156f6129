/* kallsyms.c - the kernel's list of its own symbols, as in /proc/kallsyms.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/kallsyms.h"

#include "decoder/base/lines.h"
#include "decoder/base/digits.h"
#include "decoder/base/sys.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DIGITS_MAX = 16 };

/* Without the line that is not whole. */
static void cut_off(struct kallsyms *out)
{
    size_t n = KALLSYMS_MAX;

    while (n && out->text.at[n - 1] != '\n')
        n--;
    out->text.len = n;
    out->cut = true;
}

/* The kernel shows zeros to those who must not know where it is. */
static bool is_hidden(const struct kallsyms *k)
{
    struct kallsyms_iter it = kallsyms_begin(k);
    struct kallsym s;

    while (kallsyms_next(&it, &s))
        if (s.addr)
            return false;
    return true;
}

/* Of its text, however that came. */
static pts_status opened(pts_status got, struct kallsyms *out)
{
    if (got == PTS_OK && out->text.len > KALLSYMS_MAX)
        cut_off(out);
    if (got == PTS_OK && is_hidden(out))
        got = PTS_END;
    if (got != PTS_OK)
        kallsyms_close(out);
    return got;
}

pts_status kallsyms_read(int fd, const char *path, struct kallsyms *out)
{
    *out = (struct kallsyms){0};
    return opened(whole_read(fd, path, (size_t)KALLSYMS_MAX + 1, &out->text), out);
}

/* It has some megabytes, and most who open it look at the beginning. */
static pts_status map(int fd, const char *path, size_t n, struct kallsyms *out)
{
    void *p = sys_map(fd, n, path);

    if (!p)
        return kallsyms_read(fd, path, out);
    *out = (struct kallsyms){
        .text = {p, n, 0},
          .mapped = n
    };
    return opened(PTS_OK, out);
}

pts_status kallsyms_open(const char *path, struct kallsyms *out)
{
    struct stat st;
    int fd = sys_open_regular(path, &st);

    *out = (struct kallsyms){0};
    if (fd < 0)
        return PTS_END;
    pts_status got = st.st_size > 0 ? map(fd, path, (size_t)st.st_size, out)
                                    : kallsyms_read(fd, path, out);
    close(fd);
    return got;
}

void kallsyms_close(struct kallsyms *k)
{
    if (k->mapped)
        munmap(k->text.at, k->mapped);
    else
        VEC_FREE(&k->text);
    *k = (struct kallsyms){0};
}

struct kallsyms_iter kallsyms_begin(const struct kallsyms *k)
{
    const char *at = k->text.at;
    return (struct kallsyms_iter){at, at ? at + k->text.len : at};
}

/* All digits at once, as nearly all lines have them; returns how many. */
static size_t addr_read(const char *line, size_t n, uint64_t *addr)
{
    uint32_t high, low;

    if (n < DIGITS_MAX || !hex_value8(line, &high) || !hex_value8(line + 8, &low))
        return 0;
    *addr = (uint64_t)high << 32 | low;
    return DIGITS_MAX;
}

/* ADDRESS, a blank, one letter, a blank, the rest. */
static bool line_read(const char *line, size_t n, struct kallsym *out)
{
    unsigned digit;

    out->addr = 0;
    size_t i = addr_read(line, n, &out->addr);
    for (; i < n && i < DIGITS_MAX && (digit = digit_value(line[i])) < 16; i++)
        out->addr = out->addr << 4 | digit;
    if (!i || n - i < 4 || line[i] != ' ' || line[i + 2] != ' ' || n - i > UINT32_MAX)
        return false;
    out->type = line[i + 1];
    out->name = line + i + 3;
    out->len = (uint32_t)(n - i - 3);
    return true;
}

bool kallsyms_next(struct kallsyms_iter *it, struct kallsym *out)
{
    const char *line;
    size_t n;

    while ((line = line_next(&it->at, it->end, &n)))
        if (line_read(line, n, out))
            return true;
    return false;
}

static bool is_code(char type)
{
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

bool kallsym_is_code(const struct kallsym *k)
{
    return is_code(k->type);
}

bool kallsym_is(const struct kallsym *k, const char *name)
{
    return strlen(name) == k->len && memcmp(k->name, name, k->len) == 0;
}

/* The line that has its name at `name`; NULL: a name begins nowhere near there. */
static const char *line_of(const char *text, const char *name)
{
    const char *line = name;

    while (line > text && line[-1] != '\n' && name - line <= DIGITS_MAX + 3)
        line--;
    return line == text || line[-1] == '\n' ? line : NULL;
}

/* What most lines begin with is not even looked at. */
bool kallsyms_named(struct kallsyms_iter *it, const char *name, struct kallsym *out)
{
    const char *text = it->at, *at = text, *line;
    size_t n = strlen(name);

    while (at && at < it->end && (at = memmem(at, (size_t)(it->end - at), name, n))) {
        const char *end = at + n;
        bool ends = end == it->end || *end == '\n';
        if (ends && (line = line_of(text, at)) &&
            line_read(line, (size_t)(end - line), out) && kallsym_is(out, name)) {
            it->at = end;
            return true;
        }
        at++;
    }
    it->at = it->end;
    return false;
}

bool kallsyms_function(const struct kallsyms *k, const char *name, uint64_t *addr)
{
    struct kallsyms_iter it = kallsyms_begin(k);
    struct kallsym s;

    while (kallsyms_named(&it, name, &s)) {
        if (!kallsym_is_code(&s))
            continue;
        *addr = s.addr;
        return true;
    }
    return false;
}

const char *kallsym_module(const struct kallsym *k, size_t *n)
{
    const char *tab = memchr(k->name, '\t', k->len);

    if (!tab)
        return NULL;
    *n = k->len - (size_t)(tab + 1 - k->name);
    return tab + 1;
}

bool kallsym_is_taken(const struct kallsym *k)
{
    const char type = k->type;
    const bool data = type == 'd' || type == 'D' || type == 'b' || type == 'B';

    return (is_code(type) || data) && k->len && k->name[0] != '$';
}
