/* perf_coming.c - a recording that comes through a pipe: how much of it there will be.
 *
 * SPDX-License-Identifier: MIT
 *
 *     MAGIC --> RECORD <-+    of the pipe format: until one is impossible
 *       |          |     |
 *       |          +-----+
 *       +--> HEADER --> SECTION --> LAST      of the file format: a header, then as far
 *                |         |                  as that and the table behind the data say
 *                v         +--+
 *             RECORD          no size of the data: as in a pipe
 *
 * A header may lie: some more is taken than it says, if it comes.
 */
#include "decoder/open/perf_coming.h"

#include "decoder/base/bytes.h"
#include "decoder/open/perf_header.h"

enum { MAGIC_V1_BYTES = 24, AUXTRACE_HEAD = 16, TRACING_HEAD = 12 };

/* No file is so long: a header that speaks of more is none. */
#define FILE_MAX (UINT64_C(1) << 48)

static uint16_t head_u16(const struct coming *c, size_t at)
{
    uint16_t v = rd_u16(c->head + at);
    return c->foreign ? __builtin_bswap16(v) : v;
}

static uint32_t head_u32(const struct coming *c, size_t at)
{
    uint32_t v = rd_u32(c->head + at);
    return c->foreign ? __builtin_bswap32(v) : v;
}

static uint64_t head_u64(const struct coming *c, size_t at)
{
    uint64_t v = rd_u64(c->head + at);
    return c->foreign ? __builtin_bswap64(v) : v;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* The next `need` bytes, of which there may be some, are to be looked at as `step`. */
static void expect(struct coming *c, enum coming_step step, unsigned used,
                   unsigned need)
{
    c->have -= used;
    memmove(c->head, c->head + used, c->have);
    c->step = step;
    c->need = need;
}

/* Nothing more is looked at. */
static void expect_last(struct coming *c)
{
    expect(c, COMING_LAST, c->have, 1);
    c->skip = sum(c->end > c->at ? c->end - c->at : 0, COMING_MORE);
}

static void magic_take(struct coming *c)
{
    struct perf_magic magic;
    if (rd_u64(c->head) == PERF_MAGIC_V1 && c->have < MAGIC_V1_BYTES) {
        c->need = MAGIC_V1_BYTES;
        return;
    }
    c->step = COMING_ALL;
    if (!perf_magic_read(c->head, c->have, &magic))
        return;
    c->foreign = magic.foreign;
    uint64_t size = head_u64(c, 8);
    if (size == PERF_PIPE_HEADER)
        expect(c, COMING_RECORD, PERF_PIPE_HEADER, PERF_REC_HEADER);
    else if (size == PERF_FILE_HEADER || size == PERF_FILE_HEADER_OLD)
        expect(c, COMING_HEADER, 0, (unsigned)size);
}

/* In whatever order the bits are, there are as many. */
static unsigned sections_announced(const struct coming *c)
{
    unsigned n = 0;
    for (unsigned i = PERF_FILE_HEADER_OLD; i < c->have; i++)
        n += (unsigned)__builtin_popcount(c->head[i]);
    return n;
}

static void header_take(struct coming *c)
{
    uint64_t each = head_u64(c, 16), off = head_u64(c, 40), size = head_u64(c, 48);
    uint64_t data_end = sum(off, size),
             attrs_end = sum(head_u64(c, 24), head_u64(c, 32));
    if (each < PERF_ATTR_MIN + PERF_SECTION || off < PERF_PIPE_HEADER ||
        off > FILE_MAX || attrs_end > FILE_MAX) {
        c->step = COMING_ALL; /* will be refused */
        return;
    }
    c->end = data_end > attrs_end ? data_end : attrs_end;
    c->sections = sections_announced(c);
    if (off < c->at) {
        c->step = COMING_UNLIMITED; /* nobody writes such a file */
    } else if (!size) {
        expect(c, COMING_RECORD, c->have, PERF_REC_HEADER);
        c->skip = off - c->at;
    } else if (c->sections) {
        expect(c, COMING_SECTION, c->have, PERF_SECTION);
        c->skip = data_end - c->at;
    } else {
        expect_last(c);
    }
}

static void section_take(struct coming *c)
{
    uint64_t end = sum(head_u64(c, 0), head_u64(c, 8));
    if (end > c->end)
        c->end = end;
    if (--c->sections)
        expect(c, COMING_SECTION, PERF_SECTION, PERF_SECTION);
    else
        expect_last(c);
}

/* Some records have more behind them than they count: perf_rec_claim. */
static void record_take(struct coming *c)
{
    uint16_t size = head_u16(c, 6);
    uint32_t type = head_u32(c, 0);
    unsigned need = type == PTS_RECORD_AUXTRACE       ? AUXTRACE_HEAD
                    : type == PTS_RECORD_TRACING_DATA ? TRACING_HEAD
                                                      : PERF_REC_HEADER;
    if (size < PERF_REC_HEADER) {
        c->step = COMING_ALL;
        return;
    }
    if (size < need)
        need = PERF_REC_HEADER;
    if (c->have < need) {
        c->need = need;
        return;
    }
    uint64_t more = need == AUXTRACE_HEAD  ? head_u64(c, 8)
                    : need == TRACING_HEAD ? head_u32(c, 8)
                                           : 0;
    c->skip = sum(size - c->have, more);
    expect(c, COMING_RECORD, c->have, PERF_REC_HEADER);
}

static void take(struct coming *c)
{
    switch (c->step) {
    case COMING_MAGIC:
        magic_take(c);
        return;
    case COMING_HEADER:
        header_take(c);
        return;
    case COMING_RECORD:
        record_take(c);
        return;
    case COMING_SECTION:
        section_take(c);
        return;
    case COMING_LAST:
        c->step = COMING_ALL;
        return;
    case COMING_UNLIMITED:
    case COMING_ALL:
        return;
    }
}

/* The next bytes that nobody looks at, or that somebody will. */
static size_t swallow(struct coming *c, const uint8_t *bytes, size_t n)
{
    uint64_t wanted = c->skip ? c->skip : c->need - c->have;
    size_t some = wanted < n ? (size_t)wanted : n;
    c->at += some;
    if (c->skip) {
        c->skip -= some;
        return some;
    }
    memcpy(c->head + c->have, bytes, some);
    c->have += (unsigned)some;
    return some;
}

bool coming_wants(struct coming *c, const uint8_t *bytes, size_t n)
{
    if (c->step == COMING_MAGIC && !c->need)
        c->need = PERF_PIPE_HEADER;
    while (n && c->step < COMING_UNLIMITED) {
        size_t some = swallow(c, bytes, n);
        bytes += some;
        n -= some;
        /* Each of these steps uses bytes up or asks for more. */
        while (!c->skip && c->have >= c->need && c->step < COMING_UNLIMITED)
            take(c);
        /* At the end of the last section nothing more has to come. */
        if (c->step == COMING_LAST && !c->skip)
            c->step = COMING_ALL;
    }
    return c->step != COMING_ALL;
}
