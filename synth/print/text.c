/* text.c - text into a growing buffer, without printf.
 *
 * SPDX-License-Identifier: MIT
 *
 * Digits are made from the end, two at a time, in a scratch area as wide as the widest
 * column, so that padding is a matter of where the copy starts.
 *
 * Everything that is printed goes through here, so the common columns (digits, hex,
 * padding) have functions of their own.  text_fmt is for the rest: the texts of perf are
 * easier to compare with perf's source as a format than as ten calls.
 */
#include "synth/print/text.h"

#include "decoder/base/arena.h"
#include "decoder/base/digits.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* 20 digits for 2^64 - 1.  PAD_MAX: two numbers and a point, of a time. */
enum { DIGITS_MAX = 20, HEX_MAX = 16, PAD_MAX = 64 };

void text_free(struct text *t)
{
    mem_free(t->at);
    *t = (struct text){0};
}

/* A failure is remembered, and nothing is appended any more: who prints looks once,
 * at the end. */
bool text_grow(struct text *t, size_t n)
{
    enum { FIRST = 4096, LARGE = 256 << 10 };
    size_t cap = t->cap ? t->cap : FIRST;

    /* So that a long text is copied a few times only, and a very long one has little room left over.  Ends, as
     * n is a piece of text that is about to be written. */
    while (cap - t->len < n)
        cap += cap < LARGE ? cap : cap / 4;
    char *p = t->failed ? NULL : mem_resize(t->at, cap, 1);
    if (!p) {
        t->failed = true;
        return false;
    }
    t->at = p;
    t->cap = cap;
    return true;
}

/* Digits of v written before end; where they begin. */
static char *dec_end(char *end, uint64_t v)
{
    while (v >= 100) {
        uint64_t rest = v / 100;
        end = put_dec2_end(end, (unsigned)(v - rest * 100));
        v = rest;
    }
    if (v >= 10)
        return put_dec2_end(end, (unsigned)v);
    *--end = (char)('0' + v);
    return end;
}

static char *hex_end(char *end, uint64_t v)
{
    do {
        *--end = hex_digit((unsigned)v);
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
    char buf[DIGITS_MAX], *end = buf + sizeof(buf), *p = dec_end(end, v);

    put_right(t, p, (size_t)(end - p), width, ' ');
}

/* 0 - v as unsigned: the lowest number has no positive counterpart. */
static char *int_end(char *end, int64_t v)
{
    char *p = dec_end(end, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
    if (v < 0)
        *--p = '-';
    return p;
}

void text_int(struct text *t, int64_t v, size_t width)
{
    char buf[DIGITS_MAX + 1], *end = buf + sizeof(buf), *p = int_end(end, v);

    put_right(t, p, (size_t)(end - p), width, ' ');
}

/* The sign stands in front of the zeros and counts as one column. */
void text_int0(struct text *t, int64_t v, size_t width)
{
    char buf[DIGITS_MAX], *end = buf + sizeof(buf);
    char *p = dec_end(end, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);

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
    char buf[HEX_MAX], *end = buf + sizeof(buf), *p = hex_end(end, v);

    put_right(t, p, (size_t)(end - p), width, ' ');
}

/* "%#x" of C: zero has no prefix. */
void text_hex_alt(struct text *t, uint64_t v)
{
    if (v)
        text_put(t, "0x", 2);
    text_hex(t, v, 0);
}

void text_hex16(struct text *t, uint64_t v)
{
    char *p = text_room(t, HEX_MAX);

    if (p)
        t->len = (size_t)(put_hex_width(p, v, HEX_MAX) - t->at);
}

void text_byte(struct text *t, uint8_t v)
{
    char two[2];

    put_hex2(two, v);
    text_put(t, two, 2);
}

void text_bytes(struct text *t, const uint8_t *v, size_t n)
{
    char *p = text_room(t, 3 * n);
    if (!p)
        return;
    for (size_t i = 0; i < n; i++)
        p = put_hex2(put_char(p, ' '), v[i]);
    t->len += 3 * n;
}

/* sec.frac with `digits` decimals. */
static void put_time(struct text *t, uint64_t sec, uint64_t frac, size_t digits,
                     size_t width)
{
    char buf[PAD_MAX], *end = buf + sizeof(buf), *p = dec_end(end, frac);

    while ((size_t)(end - p) < digits)
        *--p = '0';
    *--p = '.';
    p = dec_end(p, sec);
    put_right(t, p, (size_t)(end - p), width, ' ');
}

void text_usec(struct text *t, uint64_t ns)
{
    /* perf cuts to microseconds and does not round. */
    put_time(t, ns / 1000000000, ns % 1000000000 / 1000, 6, 12);
}

void text_nsec(struct text *t, uint64_t ns)
{
    put_time(t, ns / 1000000000, ns % 1000000000, 9, 5 + 1 + 9);
}

/* --- printf's language, as far as it is used here --- */

/* %[#-0+][width][.precision][ll|l|z]kind */
struct conv {
    bool alt, left, zero, plus;
    size_t width, precision;
    bool has_precision;
    unsigned longs; /* how many l; z counts as one */
    char kind;
};

static const char *number_read(const char *f, size_t *n, va_list *ap)
{
    *n = 0;
    if (*f == '*') {
        int v = va_arg(*ap, int);
        /* A negative width would mean "left" in C; here it is none. */
        *n = v > 0 ? (size_t)v : 0;
        return f + 1;
    }
    for (; *f >= '0' && *f <= '9'; f++)
        *n = *n * 10 + (size_t)(*f - '0');
    return f;
}

static const char *conv_read(const char *f, struct conv *c, va_list *ap)
{
    *c = (struct conv){0};
    for (; *f == '#' || *f == '-' || *f == '0' || *f == '+'; f++) {
        c->alt |= *f == '#';
        c->left |= *f == '-';
        c->zero |= *f == '0';
        c->plus |= *f == '+';
    }
    f = number_read(f, &c->width, ap);
    c->has_precision = *f == '.';
    if (c->has_precision)
        f = number_read(f + 1, &c->precision, ap);
    for (; *f == 'l' || *f == 'z'; f++)
        c->longs++;
    c->kind = *f;
    return *f ? f + 1 : f;
}

static void put_conv(struct text *t, const struct conv *c, const char *s, size_t n)
{
    if (c->left) {
        text_put(t, s, n);
        if (n < c->width)
            text_spaces(t, c->width - n);
    } else {
        put_right(t, s, n, c->width, c->zero ? '0' : ' ');
    }
}

static void put_unsigned(struct text *t, const struct conv *c, uint64_t v)
{
    char buf[DIGITS_MAX + 2], *end = buf + sizeof(buf);
    char *p = c->kind == 'x' ? hex_end(end, v) : dec_end(end, v);

    if (c->alt && v) {
        *--p = 'x';
        *--p = '0';
    }
    put_conv(t, c, p, (size_t)(end - p));
}

static void put_signed(struct text *t, const struct conv *c, int64_t v)
{
    char buf[DIGITS_MAX + 1], *end = buf + sizeof(buf), *p = int_end(end, v);

    if (c->plus && v >= 0)
        *--p = '+';
    put_conv(t, c, p, (size_t)(end - p));
}

/* The digits of %.2f: a double has 53 bits and 100 has 7, so the product of a long double
 * is exact, and is rounded as printf rounds.  NULL: long double is no longer than double
 * here, or v is out of range. */
static char *cents_end(char *end, double v)
{
    if (LDBL_MANT_DIG < 64 || !(v >= 0 && v < 1e12) || signbit(v))
        return NULL;
    uint64_t cents = (uint64_t)rintl((long double)v * 100);
    char *p = put_dec2_end(end, (unsigned)(cents % 100));
    *--p = '.';
    return dec_end(p, cents / 100);
}

void text_fixed2(struct text *t, double v, size_t width)
{
    char buf[DIGITS_MAX + 1], *end = buf + sizeof(buf), *p = cents_end(end, v);

    if (p)
        put_right(t, p, (size_t)(end - p), width, ' ');
    else
        text_fmt(t, "%*.2f", (int)width, v);
}

static void put_double(struct text *t, const struct conv *c, double v)
{
    char buf[400]; /* the largest number has 309 digits */
    int n = snprintf(buf, sizeof(buf), "%.*f",
                     c->has_precision && c->precision < 32 ? (int)c->precision : 6, v);

    if (n > 0)
        put_conv(t, c, buf, (size_t)n);
}

static void put_string(struct text *t, const struct conv *c, const char *s)
{
    put_conv(t, c, s, c->has_precision ? strnlen(s, c->precision) : strlen(s));
}

static void put_arg(struct text *t, const struct conv *c, va_list *ap)
{
    switch (c->kind) {
    case 's':
        put_string(t, c, va_arg(*ap, const char *));
        break;
    case 'd':
        put_signed(t, c,
                   c->longs == 2   ? va_arg(*ap, long long)
                   : c->longs == 1 ? va_arg(*ap, long)
                                   : va_arg(*ap, int));
        break;
    case 'u':
    case 'x':
        put_unsigned(t, c,
                     c->longs == 2   ? va_arg(*ap, unsigned long long)
                     : c->longs == 1 ? va_arg(*ap, unsigned long)
                                     : va_arg(*ap, unsigned));
        break;
    case 'f':
        put_double(t, c, va_arg(*ap, double));
        break;
    case '%':
        text_char(t, '%');
        break;
    default:
        assert(!"a conversion that text.h does not list");
    }
}

void text_count(struct text *t, uint64_t n, const char *one, const char *more)
{
    text_dec(t, n, 0);
    text_char(t, ' ');
    text_str(t, n == 1 ? one : more);
}

void text_fmt(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    while (*fmt) {
        struct conv c;
        const char *plain = fmt;
        while (*fmt && *fmt != '%')
            fmt++;
        text_put(t, plain, (size_t)(fmt - plain));
        if (*fmt) {
            fmt = conv_read(fmt + 1, &c, &ap);
            put_arg(t, &c, &ap);
        }
    }
    va_end(ap);
}
