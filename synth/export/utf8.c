/* utf8.c - names as text that a database takes.
 *
 * SPDX-License-Identifier: MIT
 *
 * Names of files, symbols and threads are any bytes; PostgreSQL refuses what is not UTF-8, and
 * who reads SQLite does.
 */
#include "synth/export/utf8.h"

#include <stdint.h>

static uint8_t byte_at(const char *s, size_t n, size_t i)
{
    return i < n ? (uint8_t)s[i] : 0;
}

static bool follows(uint8_t b)
{
    return (b & 0xc0) == 0x80;
}

/* How many bytes the character at s has; 0: it is none.  The second byte says whether it is too
 * long for what it is, a surrogate, or beyond U+10FFFF. */
static size_t character(const char *s, size_t n)
{
    uint8_t a = byte_at(s, n, 0), b = byte_at(s, n, 1);

    if (a < 0x80)
        return 1;
    if (a < 0xc2 || a > 0xf4 || !follows(b))
        return 0;
    if (a < 0xe0)
        return 2;
    if (!follows(byte_at(s, n, 2)) || (a == 0xe0 && b < 0xa0) ||
        (a == 0xed && b > 0x9f) || (a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f))
        return 0;
    if (a < 0xf0)
        return 3;
    return follows(byte_at(s, n, 3)) ? 4 : 0;
}

bool utf8_is(const char *s, size_t n)
{
    size_t i = 0, k = 1;

    for (; i < n && k; i += k)
        k = character(s + i, n - i);
    return k != 0;
}

void utf8_put(struct text *t, const char *s, size_t n)
{
    utf8_put_some(t, s, n, n);
}

void utf8_put_some(struct text *t, const char *s, size_t n, size_t most)
{
    for (size_t i = 0; i < n && most; most--) {
        size_t k = character(s + i, n - i);
        if (k)
            text_put(t, s + i, k);
        else
            text_str(t, "\xef\xbf\xbd");
        i += k ? k : 1;
    }
}
