/* kallsyms.c - the kernel's list of its own symbols, as in /proc/kallsyms.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/kallsyms.h"

#include <string.h>

enum { DIGITS_MAX = 16 };

struct kallsyms_iter kallsyms_begin(const void *text, size_t n)
{
    const char *at = text;
    return (struct kallsyms_iter){at, at + n};
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* ADDRESS, a blank, one letter, a blank, the rest. */
static bool line_read(const char *line, size_t n, struct kallsym *out)
{
    size_t i = 0;
    int digit;

    out->addr = 0;
    for (; i < n && i < DIGITS_MAX && (digit = digit_of(line[i])) >= 0; i++)
        out->addr = out->addr << 4 | (unsigned)digit;
    if (!i || n - i < 4 || line[i] != ' ' || line[i + 2] != ' ' || n - i > UINT32_MAX)
        return false;
    out->type = line[i + 1];
    out->name = line + i + 3;
    out->len = (uint32_t)(n - i - 3);
    return true;
}

bool kallsyms_next(struct kallsyms_iter *it, struct kallsym *out)
{
    while (it->at < it->end) {
        const char *line = it->at;
        size_t left = (size_t)(it->end - line);
        const char *nl = memchr(line, '\n', left);
        size_t n = nl ? (size_t)(nl - line) : left;
        it->at = line + n + (nl != NULL);
        if (line_read(line, n, out))
            return true;
    }
    return false;
}

bool kallsym_is_code(const struct kallsym *k)
{
    return strchr("tTwW", k->type) != NULL && k->type;
}

bool kallsym_is(const struct kallsym *k, const char *name)
{
    return strlen(name) == k->len && memcmp(k->name, name, k->len) == 0;
}

bool kallsyms_function(const void *text, size_t n, const char *name, uint64_t *addr)
{
    struct kallsyms_iter it = kallsyms_begin(text, n);
    struct kallsym k;

    while (kallsyms_next(&it, &k)) {
        if (!kallsym_is_code(&k) || !kallsym_is(&k, name))
            continue;
        *addr = k.addr;
        return true;
    }
    return false;
}
