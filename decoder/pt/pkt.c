/* pkt.c - Intel PT packets: those that begin with 02, and the ends of buffers.
 *
 * SPDX-License-Identifier: MIT
 *
 * What they look like is in packets.def, from the SDM's chapter on Intel Processor Trace
 * ("Packet Definitions"); here it becomes one table, by the second byte.
 */
#include "decoder/pt/pkt.h"

#include "decoder/pt/psb.h"

/* --- packets.def as tables ------------------------------------------------------- */

/* Bits of the packet's bytes from `at` on, or a number that is always the same. */
struct bits {
    uint8_t at, shift, width, fixed;
};

static const struct encoding {
    uint8_t kind, size; /* size 0: not in the table */
    struct bits count, value;
} encodings[256] = {
#define BITS(at, shift, width)                                                         \
    {                                                                                  \
        at, shift, width, 0                                                            \
    }
#define FIXED(n)                                                                       \
    {                                                                                  \
        0, 0, 0, n                                                                     \
    }
#define NOTHING                                                                        \
    {                                                                                  \
        0, 0, 0, 0                                                                     \
    }
#define PTS_ENCODING(second, name, size, count, value)                                 \
    [second] = {PTS_PKT_##name, size, count, value},
#include <ptscript/packets.def>
#undef PTS_ENCODING
};

static inline uint64_t take(const uint8_t *p, const struct bits *b)
{
    if (!b->width)
        return b->fixed;
    return rd_u64(p + b->at) >> b->shift & (~UINT64_C(0) >> (64 - b->width));
}

/* Those that are more than bits at fixed places. */
static int ext_special(const uint8_t *p, struct pts_pkt *out)
{
    switch (p[1]) {
    case 0x13:
        return pkt_set(out, p[2] & 0x80 ? PTS_PKT_CFE_IP : PTS_PKT_CFE, 4, p[2] & 0x1f,
                       p[3]);
    case 0x82:
        if (memcmp(p, psb_pattern, PSB_BYTES) != 0)
            return pkt_bad(p, out);
        return pkt_set(out, PTS_PKT_PSB, PSB_BYTES, 0, 0);
    case 0xa3:
        return pkt_tnt(out, 8, 47, rd_u64(p) & ~UINT64_C(0xffff));
    case 0xc3:
        if (p[2] != 0x88)
            return pkt_bad(p, out);
        return pkt_set(out, PTS_PKT_MNT, 11, 0, rd_u64(p + 3));
    default:
        return pkt_bad(p, out);
    }
}

int pkt_ext(const uint8_t *p, struct pts_pkt *out)
{
    const struct encoding *e = &encodings[p[1]];
    if (!e->size)
        return ext_special(p, out);
    return pkt_set(out, (enum pts_pkt_kind)e->kind, e->size,
                   (unsigned)take(p, &e->count), take(p, &e->value));
}

/* --- The ends of buffers --------------------------------------------------------- */

/* True when the n bytes at p do not yet tell whether they begin a packet. */
static bool tail_undecided(const uint8_t *p, size_t n)
{
    if (p[0] != 2)
        return false;
    return n == 1 || (p[1] == 0xc3 && n == 2) || memcmp(p, psb_pattern, n) == 0;
}

/* Of a copy with zeros behind it: that a packet is cut off shows in its size. */
int pkt_tail(const uint8_t *p, size_t n, enum pkt_ctx *ctx, struct pts_pkt *out)
{
    uint8_t padded[PKT_WIDE] = {0};
    if (n == 0)
        return 0;
    memcpy(padded, p, n);
    if (tail_undecided(p, n))
        return 0;
    enum pkt_ctx after = *ctx;
    int size = pkt_whole(padded, &after, out);
    if (size > 0 && (size_t)size > n)
        return 0;
    *ctx = after;
    return size;
}

pts_status pts_pkt_next(struct pts_pkt_cursor *c, struct pts_pkt *pkt)
{
    struct pts_pkt next;
    enum pkt_ctx ctx = (enum pkt_ctx)c->ctx;
    if (c->at == c->end)
        return PTS_END;
    int n = pkt_next(c->at, c->end, &ctx, &next);
    if (n == 0)
        return PTS_END;
    c->at += n > 0 ? n : 1;
    c->ctx = ctx;
    *pkt = next;
    return PTS_OK;
}

pts_status pts_pkt_sync(struct pts_pkt_cursor *c)
{
    const uint8_t *psb = psb_find(c->at, c->end);
    c->at = psb ? psb : c->end;
    c->ctx = PKT_CTX_NONE;
    return psb ? PTS_OK : PTS_END;
}
