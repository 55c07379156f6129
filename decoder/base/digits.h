/* digits.h - numbers as text, without printf.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each put_ writes at p and returns the new end; nothing is NUL-terminated.  The caller
 * has made sure of the room: at most 20 bytes for a number, all of which may be written,
 * since whole words are stored.
 */
#ifndef PTS_DECODER_BASE_DIGITS_H
#define PTS_DECODER_BASE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline char *put_mem(char *p, const char *s, size_t n)
{
    memcpy(p, s, n);
    return p + n;
}

/* The same in steps, without a call: up to PUT_WIDE bytes more are read and written. */
enum { PUT_WIDE = 32 };

static inline char *put_wide(char *p, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i += PUT_WIDE)
        memcpy(p + i, s + i, PUT_WIDE);
    return p + n;
}

/* Blanks, likewise. */
static inline char *put_blanks(char *p, size_t n)
{
    for (size_t i = 0; i < n; i += PUT_WIDE)
        memset(p + i, ' ', PUT_WIDE);
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

/* %02x */
static inline char *put_hex2(char *p, uint8_t v)
{
    static const char pairs[] = /* side by side */
        "000102030405060708090a0b0c0d0e0f"
        "101112131415161718191a1b1c1d1e1f"
        "202122232425262728292a2b2c2d2e2f"
        "303132333435363738393a3b3c3d3e3f"
        "404142434445464748494a4b4c4d4e4f"
        "505152535455565758595a5b5c5d5e5f"
        "606162636465666768696a6b6c6d6e6f"
        "707172737475767778797a7b7c7d7e7f"
        "808182838485868788898a8b8c8d8e8f"
        "909192939495969798999a9b9c9d9e9f"
        "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
        "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
        "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
        "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
        "e0e1e2e3e4e5e6e7e8e9eaebecedeeef"
        "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

    memcpy(p, &pairs[2 * v], 2);
    return p + 2;
}

/* Eight hexadecimal digits as they stand in memory, the highest first. */
static inline uint64_t hex_digits8(uint32_t v)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t x = v;

    /* A half of the digits in each half, and so on: one digit in each byte. */
    x = (x << 16 & UINT64_C(0xffff00000000)) | (x & 0xffff);
    x = (x << 8 & UINT64_C(0xff000000ff0000)) | (x & UINT64_C(0xff000000ff));
    x = (x << 4 & UINT64_C(0xf000f000f000f00)) | (x & UINT64_C(0xf000f000f000f));
    uint64_t letters = (x + 6 * ones) >> 4 & ones;
    return __builtin_bswap64(x + '0' * ones + letters * ('a' - '0' - 10));
}

/* The other way: a digit of any base up to 16, or 16. */
static inline unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

/* Eight of them at s, in either case: true if all are, and what they say. */
static inline bool hex_value8(const char *s, uint32_t *out)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t x;

    memcpy(&x, s, sizeof(x));
    x = __builtin_bswap64(x);
    /* Bit 6 tells a letter.  In each byte what is above 9 or f, or below 0 or a, sets or
     * clears bit 7 of a sum; bytes with bit 7 are none. */
    uint64_t letter = x >> 6 & ones, low = x | letter << 5;
    uint64_t base = '0' * ones + letter * ('a' - '0'), most = 9 * ones - letter * 4;
    uint64_t from_base = (low | 0x80 * ones) - base;
    uint64_t digit = from_base & 0x7f * ones;
    if ((x & 0x80 * ones) || (~from_base & 0x80 * ones) ||
        ((digit + (0x7f * ones - most)) & 0x80 * ones))
        return false;
    digit += letter * 10;
    /* One digit in each byte, and so on: all in the low half. */
    digit = (digit | digit >> 4) & UINT64_C(0xff00ff00ff00ff);
    digit = (digit | digit >> 8) & UINT64_C(0xffff0000ffff);
    *out = (uint32_t)(digit | digit >> 16);
    return true;
}

/* %0*x: at least `width` digits (1 to 16). */
static inline char *put_hex_width(char *p, uint64_t v, unsigned width)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
    unsigned n = (bits + 3) / 4;
    n = n < width ? width : n;
    v <<= 64 - 4 * n;
    uint64_t digits = hex_digits8((uint32_t)(v >> 32));
    memcpy(p, &digits, sizeof(digits));
    if (n > 8) {
        digits = hex_digits8((uint32_t)v);
        memcpy(p + 8, &digits, sizeof(digits));
    }
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

/* Two decimal digits in front of end, v below 100: half the divisions of one at a time. */
static inline char *put_dec2_end(char *end, unsigned v)
{
    static const char pairs[] = /* side by side */
        "00010203040506070809101112131415161718192021222324252627282930"
        "31323334353637383940414243444546474849505152535455565758596061"
        "62636465666768697071727374757677787980818283848586878889909192"
        "93949596979899";

    memcpy(end - 2, &pairs[2 * v], 2);
    return end - 2;
}

/* %0*u, of the lowest n digits, in front of end. */
static inline void put_dec_end(char *end, uint32_t v, unsigned n)
{
    for (; n >= 2; n -= 2, v /= 100)
        end = put_dec2_end(end, v % 100);
    if (n)
        *--end = (char)('0' + v % 10);
}

/* Fills up with spaces from `from` to `width` columns: after a left-aligned field. */
static inline char *put_pad(char *p, const char *from, unsigned width)
{
    while (p - from < (ptrdiff_t)width)
        *p++ = ' ';
    return p;
}

#endif
