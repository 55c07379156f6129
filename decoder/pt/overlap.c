/* overlap.c - what of one piece of trace was already in the piece before it.
 *
 * SPDX-License-Identifier: MIT
 *
 *     a    ......PSB+(tsc 7)....PSB+(tsc 8)..rest|
 *     b        ..PSB+(tsc 7)....PSB+(tsc 8)..rest|what is new....
 *
 * With timestamps it is enough to find the last of a in b: they never repeat.  Without,
 * a from one of its PSBs on must be what b begins with.  The rules are perf's, down to
 * the up to seven zero bytes with which it pads a piece.
 */
#include "decoder/pt/overlap.h"

#include "decoder/pt/lookahead.h"
#include "decoder/pt/psb.h"

#include <string.h>

enum { PADDING = 7 }; /* perf makes pieces multiples of 8 bytes */

static struct pts_bytes from(struct pts_bytes s, const uint8_t *p)
{
    return (struct pts_bytes){p, s.len - (size_t)(p - s.ptr)};
}

/* From the first PSB on that begins at least `skip` bytes behind the front. */
static bool next_psb(struct pts_bytes *s, size_t skip)
{
    const uint8_t *p = s->len >= skip ? psb_find(s->ptr + skip, s->ptr + s->len) : NULL;
    if (p)
        *s = from(*s, p);
    return p;
}

static bool last_psb(struct pts_bytes *s)
{
    struct pts_bytes at = *s;
    bool any = next_psb(&at, 0);
    while (any && next_psb(&at, 1)) {
    }
    if (any)
        *s = at;
    return any;
}

/* The timestamp of the PSB+ at the front, and how much there is from its packet on. */
static bool psb_stamp(struct pts_bytes s, uint64_t *tsc, size_t *rest)
{
    const uint8_t *p = psb_tsc(s.ptr, s.ptr + s.len, tsc);
    if (p)
        *rest = from(s, p).len;
    return p;
}

/* The last timestamp in a PSB+ of a.  Its last PSB+ may be cut off: then a ends before
 * that. */
static bool last_stamp(struct pts_bytes *a, uint64_t *tsc, size_t *rest)
{
    struct pts_bytes last = *a;
    if (!last_psb(&last))
        return false;
    if (psb_stamp(last, tsc, rest))
        return true;
    a->len -= last.len;
    last = *a;
    return last_psb(&last) && psb_stamp(last, tsc, rest);
}

/* Timestamps have 56 bits and may wrap around. */
static bool stamp_before(uint64_t a, uint64_t b)
{
    static const uint64_t half = UINT64_C(1) << 55;
    return a < b ? b - a < half : a - b >= half;
}

/* Behind the common stretch, which ends at `end`, the zero bytes that pad a are not the
 * trace's. */
static const uint8_t *without_padding(const uint8_t *end, struct pts_bytes a)
{
    const uint8_t *p = end - PADDING, *q = a.ptr + a.len - PADDING;
    size_t same = 0;
    while (same < PADDING && p[same] == q[same])
        same++;
    return p + same;
}

static const uint8_t *by_stamp(struct pts_bytes a, struct pts_bytes b, bool wild,
                               bool *consecutive)
{
    uint64_t tsc_a, tsc_b;
    size_t rest_a, rest_b;
    if (!last_stamp(&a, &tsc_a, &rest_a))
        return b.ptr;
    do {
        if (!psb_stamp(b, &tsc_b, &rest_b))
            continue;
        if (tsc_a == tsc_b && rest_b >= rest_a) {
            *consecutive = true;
            return without_padding(b.ptr + b.len - (rest_b - rest_a), a);
        }
        if (!wild && stamp_before(tsc_a, tsc_b))
            return b.ptr;
    } while (next_psb(&b, 1));
    return b.ptr + b.len;
}

static const uint8_t *by_bytes(struct pts_bytes a, struct pts_bytes b,
                               bool *consecutive)
{
    for (;;) {
        if (a.len <= b.len && memcmp(a.ptr, b.ptr, a.len) == 0) {
            *consecutive = true;
            return without_padding(b.ptr + a.len, a);
        }
        if (!next_psb(&a, 1))
            return b.ptr;
    }
}

size_t overlap_find(struct pts_bytes a, struct pts_bytes b, enum overlap_by by,
                    bool *consecutive)
{
    struct pts_bytes first = b;
    *consecutive = false;
    if (!next_psb(&b, 0))
        return first.len;
    const uint8_t *at = b.ptr;
    if (next_psb(&a, 0))
        at = by == OVERLAP_BY_BYTES
                 ? by_bytes(a, b, consecutive)
                 : by_stamp(a, b, by == OVERLAP_BY_WILD_TIME, consecutive);
    size_t skip = (size_t)(at - first.ptr);
    if (skip == first.len)
        *consecutive = false;
    return skip;
}
