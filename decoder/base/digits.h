/* digits.h - numbers as text, without printf.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each put_ writes at p and returns the new end; nothing is NUL-terminated.  The caller
 * has made sure of the room: at most 20 bytes for a number.
 */
#ifndef PTS_DECODER_BASE_DIGITS_H
#define PTS_DECODER_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline char *put_mem(char *p, const char *s, size_t n)
{
    memcpy(p, s, n);
    return p + n;
}

static inline char *put_str(char *p, const char *s)
{
    return put_mem(p, s, strlen(s));
}

static inline char *put_char(char *p, char c)
{
    *p = c;
    return p + 1;
}

static inline char hex_digit(unsigned v)
{
    return "0123456789abcdef"[v & 15];
}

/* The other way: a digit of any base up to 16, or 16. */
static inline unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

/* %0*x: at least `width` digits (1 to 16). */
static inline char *put_hex_width(char *p, uint64_t v, unsigned width)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
    unsigned n = (bits + 3) / 4;
    n = n < width ? width : n;
    for (unsigned i = n; i > 0; i--, v >>= 4)
        p[i - 1] = hex_digit((unsigned)v);
    return p + n;
}

/* %x */
static inline char *put_hex(char *p, uint64_t v)
{
    return put_hex_width(p, v, 1);
}

/* 0x%x */
static inline char *put_0x(char *p, uint64_t v)
{
    return put_hex(put_mem(p, "0x", 2), v);
}

/* %u */
static inline char *put_dec(char *p, uint64_t v)
{
    char digits[20];
    unsigned n = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    while (n)
        *p++ = digits[--n];
    return p;
}

/* Fills up with spaces from `from` to `width` columns: after a left-aligned field. */
static inline char *put_pad(char *p, const char *from, unsigned width)
{
    while (p - from < (ptrdiff_t)width)
        *p++ = ' ';
    return p;
}

#endif
