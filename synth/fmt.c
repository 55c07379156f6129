/* fmt.c - text into a growing buffer, without printf.
 *
 * SPDX-License-Identifier: MIT
 *
 * Digits are made from the end, two at a time, in a scratch area as wide as the widest
 * column, so that padding is a matter of where the copy starts.
 */
#include "synth/fmt.h"

#include "decoder/arena.h"

#include <stdarg.h>
#include <stdio.h>

enum { DIGITS_MAX = 20, HEX_MAX = 16, PAD_MAX = 64 };

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930"
    "31323334353637383940414243444546474849505152535455565758596061"
    "62636465666768697071727374757677787980818283848586878889909192"
    "93949596979899";
static const char hex_digits[] = "0123456789abcdef";

void text_free(struct text *t)
{
    mem_free(t->at);
    *t = (struct text){0};
}

bool text_grow(struct text *t, size_t n)
{
    size_t cap = t->cap ? t->cap * 2 : 4096;

    while (cap - t->len < n)
        cap *= 2;
    char *p = t->failed ? NULL : mem_resize(t->at, cap, 1);
    if (!p) {
        t->failed = true;
        return false;
    }
    t->at = p;
    t->cap = cap;
    return true;
}

char *fmt_dec_end(char *end, uint64_t v)
{
    while (v >= 100) {
        uint64_t rest = v / 100;
        end -= 2;
        memcpy(end, &pairs[(v - rest * 100) * 2], 2);
        v = rest;
    }
    if (v >= 10) {
        end -= 2;
        memcpy(end, &pairs[v * 2], 2);
        return end;
    }
    *--end = (char)('0' + v);
    return end;
}

char *fmt_hex_end(char *end, uint64_t v)
{
    do {
        *--end = hex_digits[v & 15];
        v >>= 4;
    } while (v);
    return end;
}

void text_spaces(struct text *t, size_t n)
{
    char *p = text_room(t, n);
    if (p) {
        memset(p, ' ', n);
        t->len += n;
    }
}

/* The n bytes at s, right-aligned in width. */
static void put_right(struct text *t, const char *s, size_t n, size_t width, char pad)
{
    size_t fill = width > n ? width - n : 0;
    char *p = text_room(t, fill + n);
    if (!p)
        return;
    memset(p, pad, fill);
    memcpy(p + fill, s, n);
    t->len += fill + n;
}

void text_strw(struct text *t, const char *s, size_t width)
{
    put_right(t, s, strlen(s), width, ' ');
}

void text_strl(struct text *t, const char *s, size_t width)
{
    size_t n = strlen(s);

    text_put(t, s, n);
    if (n < width)
        text_spaces(t, width - n);
}

void text_dec(struct text *t, uint64_t v, size_t width)
{
    char buf[DIGITS_MAX], *end = buf + sizeof(buf), *p = fmt_dec_end(end, v);

    put_right(t, p, (size_t)(end - p), width, ' ');
}

static char *int_end(char *end, int64_t v)
{
    char *p = fmt_dec_end(end, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
    if (v < 0)
        *--p = '-';
    return p;
}

void text_int(struct text *t, int64_t v, size_t width)
{
    char buf[DIGITS_MAX + 1], *end = buf + sizeof(buf), *p = int_end(end, v);

    put_right(t, p, (size_t)(end - p), width, ' ');
}

void text_int0(struct text *t, int64_t v, size_t width)
{
    char buf[DIGITS_MAX], *end = buf + sizeof(buf);
    char *p = fmt_dec_end(end, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);

    if (v < 0) {
        text_char(t, '-');
        width -= width > 0;
    }
    put_right(t, p, (size_t)(end - p), width, '0');
}

void text_intl(struct text *t, int64_t v, size_t width)
{
    char buf[DIGITS_MAX + 1], *end = buf + sizeof(buf), *p = int_end(end, v);
    size_t n = (size_t)(end - p);

    text_put(t, p, n);
    if (n < width)
        text_spaces(t, width - n);
}

void text_hex(struct text *t, uint64_t v, size_t width)
{
    char buf[HEX_MAX], *end = buf + sizeof(buf), *p = fmt_hex_end(end, v);

    put_right(t, p, (size_t)(end - p), width, ' ');
}

void text_hex_alt(struct text *t, uint64_t v)
{
    if (v)
        text_put(t, "0x", 2);
    text_hex(t, v, 0);
}

void text_byte(struct text *t, uint8_t v)
{
    char two[2] = {hex_digits[v >> 4], hex_digits[v & 15]};

    text_put(t, two, 2);
}

/* sec.frac with `digits` decimals. */
static void put_time(struct text *t, uint64_t sec, uint64_t frac, size_t digits,
                     size_t width)
{
    char buf[PAD_MAX], *end = buf + sizeof(buf), *p = fmt_dec_end(end, frac);

    while ((size_t)(end - p) < digits)
        *--p = '0';
    *--p = '.';
    p = fmt_dec_end(p, sec);
    put_right(t, p, (size_t)(end - p), width, ' ');
}

void text_usec(struct text *t, uint64_t ns)
{
    put_time(t, ns / 1000000000, ns % 1000000000 / 1000, 6, 12);
}

void text_nsec(struct text *t, uint64_t ns)
{
    put_time(t, ns / 1000000000, ns % 1000000000, 9, 5 + 1 + 9);
}

void text_fmt(struct text *t, const char *fmt, ...)
{
    va_list ap, again;

    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0) {
        char *p = text_room(t, (size_t)n + 1);
        if (p) {
            vsnprintf(p, (size_t)n + 1, fmt, again);
            t->len += (size_t)n;
        }
    }
    va_end(again);
    va_end(ap);
}
