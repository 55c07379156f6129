/* stream.c - the packets of one AUX queue, across its buffers.
 *
 * SPDX-License-Identifier: MIT
 *
 * The packet in hand stays at `at` until the next one is asked for; only then are its
 * `step` bytes passed.  So it can be given back, and what follows it can be looked at,
 * with no second copy of the place:
 *
 *     ..|TIP|PAD|TNT|..
 *       ^   ^
 *       at  at + step       pkt: the TIP
 *
 * Everything that moves goes through skip(), so that `pos` counts the bytes of all
 * buffers.
 */
#include "decoder/pt/stream.h"

#include "decoder/pt/psb.h"

#include <string.h>

void stream_init(struct pt_stream *s, const struct pt_buf *bufs, uint32_t count)
{
    static const uint8_t nothing[1]; /* NULL is not for pointer arithmetic */

    *s =
        (struct pt_stream){.bufs = bufs, .count = count, .at = nothing, .end = nothing};
}

/* Buffers without bytes are passed over: pieces of trace may be cut to nothing. */
static enum stream_result next_buffer(struct pt_stream *s)
{
    s->step = 0;
    while (s->next < s->count && !s->bufs[s->next].len)
        s->next++;
    if (s->next >= s->count)
        return STREAM_END;
    const struct pt_buf *b = &s->bufs[s->next++];
    s->at = b->ptr;
    s->end = b->ptr + b->len;
    return b->consecutive ? STREAM_PKT : STREAM_BREAK;
}

static void skip(struct pt_stream *s, size_t n)
{
    s->at += n;
    s->pos += n;
}

static void tell(struct pt_stream *s, unsigned size)
{
    if (s->pos < s->told) /* it comes once more */
        return;
    s->told = s->pos + (size ? size : 1);
    s->watch(s->watch_ctx, s, size);
}

enum stream_result stream_next(struct pt_stream *s)
{
    s->prev = s->pkt.kind;
    do {
        skip(s, s->step);
        s->step = 0;
        if (s->at == s->end) {
            enum stream_result r = next_buffer(s);
            if (r != STREAM_PKT)
                return r;
        }
        s->ctx_before = s->ctx;
        int n = pkt_next(s->at, s->end, &s->ctx, &s->pkt);
        if (n <= 0) {
            /* No packet, or one that the buffer's end cuts off: perf makes no
             * difference. */
            s->pkt.kind = PTS_PKT_BAD;
            s->step = 1;
            if (s->watch)
                tell(s, 0);
            return STREAM_BAD;
        }
        s->step = (uint32_t)n;
    } while (s->pkt.kind == PTS_PKT_PAD);
    if (__builtin_expect(s->watch != NULL, 0))
        tell(s, s->step);
    return STREAM_PKT;
}

/* How many bytes at the end of the buffer may be the beginning of a PSB. */
static size_t psb_begun(const struct pt_stream *s)
{
    size_t left = (size_t)(s->end - s->at);
    for (size_t n = PSB_BYTES - 1; n; n--) {
        if (n <= left && memcmp(s->end - n, psb_pattern, n) == 0)
            return n;
    }
    return 0;
}

/* Takes the rest of a PSB whose first `begun` bytes ended the last buffer. */
static bool psb_completed(struct pt_stream *s, size_t begun)
{
    size_t rest = PSB_BYTES - begun;
    if (!begun || rest > (size_t)(s->end - s->at) ||
        memcmp(s->at, psb_pattern + begun, rest) != 0)
        return false;
    skip(s, rest);
    s->pkt = (struct pts_pkt){.kind = PTS_PKT_PSB, .size = PSB_BYTES};
    s->ctx = PKT_CTX_NONE;
    return true;
}

enum stream_result stream_find_psb(struct pt_stream *s)
{
    size_t begun = 0;

    s->step = 0;
    for (;;) {
        if (s->at == s->end) {
            enum stream_result r = next_buffer(s);
            if (r != STREAM_PKT)
                return r;
            if (psb_completed(s, begun))
                return STREAM_PKT;
        }
        const uint8_t *psb = psb_find(s->at, s->end);
        if (psb) {
            skip(s, (size_t)(psb - s->at));
            return stream_next(s);
        }
        begun = psb_begun(s);
        skip(s, (size_t)(s->end - s->at));
    }
}

bool stream_first_tsc(const struct pt_buf *bufs, uint32_t count, uint64_t *tsc)
{
    struct pt_stream s;
    stream_init(&s, bufs, count);
    enum stream_result r = stream_find_psb(&s);

    while (r != STREAM_END) {
        r = r == STREAM_BAD ? stream_find_psb(&s) : stream_next(&s);
        if (r == STREAM_PKT && s.pkt.kind == PTS_PKT_TSC) {
            *tsc = s.pkt.value;
            return true;
        }
    }
    return false;
}

void stream_move(struct pt_stream *s, uint32_t index, size_t off)
{
    const struct pt_buf *b = &s->bufs[index];
    skip(s, (size_t)(s->end - s->at));
    for (; s->next < index; s->next++)
        s->pos += s->bufs[s->next].len;
    if (s->next == index)
        s->next++;
    else
        s->pos -=
            b->len; /* staying in the same buffer: pos counts from its start again */
    s->at = b->ptr;
    s->end = b->ptr + b->len;
    s->step = 0;
    skip(s, off);
}
