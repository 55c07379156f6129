/* body.h - the functions that read the bodies of records, one for each struct.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | header | body .......................... | sample id |
 *              ^ r.at, moves on                  ^ r.end
 *
 * A reader takes field after field, in the order of the layout, and need not look
 * whether they are there: past the end it gets zeros, and b->r.bad is set, which it may
 * also set itself.  Then nobody looks at what it wrote.  It sets every member of its
 * struct, since nobody has zeroed it.
 *
 * Only record.c calls them, by the table that records.def is.
 */
#ifndef PTS_DECODER_RECORD_BODY_H
#define PTS_DECODER_RECORD_BODY_H

#include "decoder/record/perf_rec.h"

struct body {
    struct reader r;
    const struct perf_rec *rec;
    const struct pts_attr *attr; /* of the record's event; NULL: it is not known */
};

typedef void body_reader(struct body *b, union pts_record_body *u);

/* read_mmap, read_comm ...: by member of the union, some several times. */
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    body_reader read_##member;
#include <ptscript/records.def>
#undef PTS_RECORD

static inline uint16_t body_u16(struct body *b)
{
    return reader_u16(&b->r);
}

static inline uint32_t body_u32(struct body *b)
{
    return reader_u32(&b->r);
}

static inline int32_t body_i32(struct body *b)
{
    return (int32_t)reader_u32(&b->r);
}

static inline uint64_t body_u64(struct body *b)
{
    return reader_u64(&b->r);
}

static inline size_t body_left(const struct body *b)
{
    return reader_left(&b->r);
}

/* n items of `size` bytes each, n being what the record says: all of them must be
 * there. */
static inline const uint8_t *body_many(struct body *b, uint64_t n, size_t size)
{
    if (n > body_left(b) / size) {
        b->r.bad = true;
        return NULL;
    }
    return reader_take(&b->r, (size_t)n * size);
}

static inline struct pts_words body_words(struct body *b, uint64_t n)
{
    const uint8_t *at = body_many(b, n, 8);
    return (struct pts_words){at, at ? n : 0, 0};
}

static inline struct pts_bytes body_bytes(struct body *b, uint64_t n)
{
    const uint8_t *at = body_many(b, n, 1);
    return (struct pts_bytes){at, at ? (size_t)n : 0};
}

static inline struct pts_bytes body_rest(const struct body *b)
{
    return (struct pts_bytes){b->r.at, body_left(b)};
}

/* A string, whose NUL must be in the body, too. */
static inline const char *body_str(struct body *b)
{
    size_t n, left = body_left(b);
    const char *s = reader_str(&b->r, &n);
    if (n == left)
        b->r.bad = true;
    return s;
}

/* As many of the `count` items of `size` bytes that come next as there are: perf trusts
 * such counts, and so shows what is there. */
static inline uint64_t body_cap(const struct body *b, uint64_t count, size_t size)
{
    uint64_t room = body_left(b) / size;
    return count < room ? count : room;
}

#endif
