/* text.h - text into a growing buffer, without printf.
 *
 * SPDX-License-Identifier: MIT
 *
 * Output is mostly columns of numbers: each function here writes one, padded like the
 * printf conversion named in its comment.  Running out of memory sets `failed` and
 * makes what follows do nothing, so that a line is checked once, at its end.
 */
#ifndef PTS_SYNTH_PRINT_TEXT_H
#define PTS_SYNTH_PRINT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Zero-initialise; give back with text_free. */
struct text {
    char *at;
    size_t len, cap;
    bool failed;
};

void text_free(struct text *t);
/* Room for n more bytes; false (and failed) when there is no memory. */
bool text_grow(struct text *t, size_t n);

/* Where the next n bytes go (advance t->len yourself), or NULL, also for none at all
 * when nothing was written yet. */
static inline char *text_room(struct text *t, size_t n)
{
    if (t->cap - t->len < n && !text_grow(t, n))
        return NULL;
    return t->at ? t->at + t->len : NULL;
}

/* In each of its places: a call costs more than the few bytes that most of them put. */
__attribute__((always_inline)) static inline void text_put(struct text *t,
                                                           const char *s, size_t n)
{
    char *p = text_room(t, n);
    if (p) {
        memcpy(p, s, n);
        t->len += n;
    }
}

/* What has been appended since t held `before` bytes, to be kept in room bytes of `to`:
 * how much that is, or 0 when it does not fit or is not all. */
static inline uint8_t text_kept(const struct text *t, size_t before, char *to,
                                uint8_t room)
{
    size_t n = t->len - before;

    if (t->failed || n > room)
        return 0;
    memcpy(to, t->at + before, n);
    return (uint8_t)n;
}

static inline void text_str(struct text *t, const char *s)
{
    text_put(t, s, strlen(s));
}

static inline void text_char(struct text *t, char c)
{
    char *p = text_room(t, 1);
    if (p) {
        *p = c;
        t->len++;
    }
}

void text_spaces(struct text *t, size_t n);
void text_strw(struct text *t, const char *s, size_t width); /* %*s */
void text_strl(struct text *t, const char *s, size_t width); /* %-*s */
void text_dec(struct text *t, uint64_t v, size_t width);     /* %*u */
void text_int(struct text *t, int64_t v, size_t width);      /* %*d */
void text_int0(struct text *t, int64_t v, size_t width);     /* %0*d */
void text_intl(struct text *t, int64_t v, size_t width);     /* %-*d */
void text_hex(struct text *t, uint64_t v, size_t width);     /* %*x */
void text_hex16(struct text *t, uint64_t v);                 /* %016x */
void text_hex_alt(struct text *t, uint64_t v);               /* %#x: 0 has no 0x */
void text_byte(struct text *t, uint8_t v);                   /* %02x */
void text_bytes(struct text *t, const uint8_t *v, size_t n); /* " %02x" for each */
void text_fixed2(struct text *t, double v, size_t width);    /* %*.2f */
/* "1 sample", "2 samples" */
void text_count(struct text *t, uint64_t n, const char *one, const char *more);
void text_usec(struct text *t, uint64_t ns); /* sec.uuuuuu, right-aligned in 12 */
void text_nsec(struct text *t, uint64_t ns); /* sec.nnnnnnnnn, seconds in 5 */
/* %[#-0+][width][.precision][ll|l|z] and one of s d u x f %: no more of printf. */
__attribute__((format(printf, 2, 3))) void text_fmt(struct text *t, const char *fmt,
                                                    ...);

#endif
