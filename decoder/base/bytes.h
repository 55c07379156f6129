/* bytes.h - unaligned little-endian reads, and a cursor that never leaves its range.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything that comes from a file is read through struct reader once; what it has
 * accepted is then trusted.
 */
#ifndef PTS_DECODER_BASE_BYTES_H
#define PTS_DECODER_BASE_BYTES_H

#include <ptscript/bytes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t rd_u16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint32_t rd_u32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint64_t rd_u64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

/* The low n bytes of a little-endian number, 0 <= n <= 8. */
static inline uint64_t rd_le(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

/* Reads forward; the first read past the end sets `bad` and yields zeros from then on.
 */
struct reader {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

/* p may be NULL when n is 0. */
static inline struct reader reader_of(const void *p, size_t n)
{
    const uint8_t *at = p ? p : (const uint8_t *)""; /* no arithmetic with NULL */
    return (struct reader){.at = at, .end = at + n};
}

static inline size_t reader_left(const struct reader *r)
{
    return (size_t)(r->end - r->at);
}

/* The next n bytes, or NULL (and `bad`) when fewer are left. */
static inline const uint8_t *reader_take(struct reader *r, size_t n)
{
    if (r->bad || reader_left(r) < n) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *p = r->at;
    r->at += n;
    return p;
}

static inline uint16_t reader_u16(struct reader *r)
{
    const uint8_t *p = reader_take(r, 2);
    return p ? rd_u16(p) : 0;
}

static inline uint32_t reader_u32(struct reader *r)
{
    const uint8_t *p = reader_take(r, 4);
    return p ? rd_u32(p) : 0;
}

static inline uint64_t reader_u64(struct reader *r)
{
    const uint8_t *p = reader_take(r, 8);
    return p ? rd_u64(p) : 0;
}

/* A string of at most what is left; not NUL-terminated when *n reaches the end. */
static inline const char *reader_str(struct reader *r, size_t *n)
{
    const char *s = (const char *)r->at;
    *n = strnlen(s, reader_left(r));
    r->at += *n < reader_left(r) ? *n + 1 : *n;
    return s;
}

#endif
