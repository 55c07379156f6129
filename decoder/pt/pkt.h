/* pkt.h - the tokenizer's fast door, for code that eats millions of packets.
 *
 * SPDX-License-Identifier: MIT
 *
 * The frequent packets are told apart here, inline, by their first byte:
 *
 *     00000000 PAD   bbbbbbb0 TNT (not 00, not 02)   ccccce11 CYC   iii01101 TIP
 *     00000010 ext   iii10001 TIP.PGE   iii00001 TIP.PGD   iii11101 FUP   xxx11001 rest
 *
 * Those that begin with 02 are left to pkt_ext(), which goes by packets.def.  Wide loads
 * need 16 readable bytes, so the last packets of a buffer go through a padded copy
 * (pkt_tail).
 */
#ifndef PTS_DECODER_PT_PKT_H
#define PTS_DECODER_PT_PKT_H

#include <ptscript/packet.h>

#include "decoder/base/bytes.h"
#include "decoder/pt/pkt_marks.h"

/* Between BBP and BEP a byte with the low bits 100 starts a BIP, elsewhere it is a TNT. */
enum pkt_ctx { PKT_CTX_NONE = 0, PKT_CTX_BLK4 = 4, PKT_CTX_BLK8 = 8 };

enum { PKT_WIDE = 16, PKT_BAD = -1 };

/* What the frequent ones begin with, for who reads them without more ado. */
enum {
    PKT_TIP_LEAD = 0x0d, /* the low five bits */
    PKT_MTC_LEAD = 0x59,
    PKT_MTC_SIZE = 2,
    PKT_LONG_TNT = 0xa302, /* 02 a3, then 6 bytes of outcomes */
    PKT_LONG_TNT_SIZE = 8
};

/* The packet at p, which starts with 02; 16 bytes are readable. */
int pkt_ext(const uint8_t *p, struct pts_pkt *out);
/* pkt_next when fewer than 16 bytes are left. */
int pkt_tail(const uint8_t *p, size_t n, enum pkt_ctx *ctx, struct pts_pkt *out);

static inline int pkt_set(struct pts_pkt *out, enum pts_pkt_kind kind, unsigned size,
                          unsigned count, uint64_t value)
{
    out->kind = (uint8_t)kind;
    out->size = (uint8_t)size;
    out->count = (uint16_t)count;
    out->aux = 0;
    out->value = value;
    return (int)size;
}

static inline int pkt_bad(const uint8_t *p, struct pts_pkt *out)
{
    pkt_set(out, PTS_PKT_BAD, 1, 0, *p);
    return PKT_BAD;
}

/* bits: the payload left-aligned at bit 63: zeros, the stop bit, then at most `width`
 * branches. */
static inline int pkt_tnt(struct pts_pkt *out, unsigned size, unsigned width,
                          uint64_t bits)
{
    if (!bits)
        return pkt_set(out, PTS_PKT_TNT, size, 0, 0);
    unsigned lead = (unsigned)__builtin_clzll(bits);
    return pkt_set(out, PTS_PKT_TNT, size, width - lead, bits << lead << 1);
}

static inline int pkt_ip(const uint8_t *p, enum pts_pkt_kind kind, struct pts_pkt *out)
{
    /* Bytes of address for each IPBytes code; 5 and 7 are reserved. */
    static const uint8_t width[8] = {0, 2, 4, 6, 6, 0, 8, 0};
    unsigned code = *p >> 5;
    unsigned n = width[code];
    if (code == 5 || code == 7)
        return pkt_bad(p, out);
    uint64_t ip = n ? rd_u64(p + 1) & (~UINT64_C(0) >> (64 - 8 * n)) : 0;
    return pkt_set(out, kind, 1 + n, code, ip);
}

/* 5 bits, then 7 in each further byte; the bit below them says whether one follows. */
static inline int pkt_cyc(const uint8_t *p, struct pts_pkt *out)
{
    uint64_t cycles = *p >> 3;
    if (!(*p & 4))
        return pkt_set(out, PTS_PKT_CYC, 1, 0, cycles);
    for (unsigned i = 1, shift = 5; i <= 9; i++, shift += 7) {
        cycles |= (uint64_t)(p[i] >> 1) << shift;
        if (!(p[i] & 1))
            return pkt_set(out, PTS_PKT_CYC, i + 1, 0, cycles);
    }
    return pkt_bad(p, out);
}

static inline int pkt_mode(const uint8_t *p, struct pts_pkt *out)
{
    static const uint8_t width[3] = {16, 64, 32};
    unsigned mode = p[1] & 3;
    if (mode == 3)
        return pkt_bad(p, out);
    switch (p[1] >> 5) {
    case 0:
        return pkt_set(out, PTS_PKT_MODE_EXEC, 2, p[1], width[mode]);
    case 1:
        return pkt_set(out, PTS_PKT_MODE_TSX, 2, 0, mode);
    default:
        return pkt_bad(p, out);
    }
}

/* The reserved bits are looked at: a byte of another packet that was damaged is more often
 * taken for a TRIG than there are any. */
static inline int pkt_trig(const uint8_t *p, struct pts_pkt *out)
{
    enum { RESERVED = 0x1f };
    if (p[1] & RESERVED)
        return pkt_bad(p, out);
    unsigned icnt = p[1] & 0x40, ip = p[1] & 0x80;
    pkt_set(out, ip ? PTS_PKT_TRIG_IP : PTS_PKT_TRIG, icnt ? 5 : 3, p[1], p[2]);
    out->aux = icnt ? rd_u16(p + 3) : 0;
    return out->size;
}

/* 16 bytes are readable at p; the block context is the caller's business. */
static inline int pkt_wide(const uint8_t *p, enum pkt_ctx ctx, struct pts_pkt *out)
{
    uint8_t b = *p;
    if (ctx != PKT_CTX_NONE && (b & 7) == 4)
        return pkt_set(out, PTS_PKT_BIP, 1 + (unsigned)ctx, b >> 3,
                       rd_u64(p + 1) & (~UINT64_C(0) >> (64 - 8 * (unsigned)ctx)));
    if (!(b & 1)) {
        if (b == 0)
            return pkt_set(out, PTS_PKT_PAD, 1, 0, 0);
        if (b == 2)
            return pkt_ext(p, out);
        return pkt_tnt(out, 1, 6, (uint64_t)b << 56);
    }
    if (b & 2)
        return pkt_cyc(p, out);
    switch (b & 0x1f) {
    case 0x01:
        return pkt_ip(p, PTS_PKT_TIP_PGD, out);
    case 0x0d:
        return pkt_ip(p, PTS_PKT_TIP, out);
    case 0x11:
        return pkt_ip(p, PTS_PKT_TIP_PGE, out);
    case 0x1d:
        return pkt_ip(p, PTS_PKT_FUP, out);
    case 0x19:
        break;
    default:
        return pkt_bad(p, out);
    }
    switch (b) {
    case 0x19:
        return pkt_set(out, PTS_PKT_TSC, 8, 0, rd_u64(p) >> 8);
    case 0x59:
        return pkt_set(out, PTS_PKT_MTC, 2, 0, p[1]);
    case 0x99:
        return pkt_mode(p, out);
    case 0xd9:
        return pkt_trig(p, out);
    default:
        return pkt_bad(p, out);
    }
}

/* pkt_next where PKT_WIDE bytes can be read. */
static inline int pkt_whole(const uint8_t *p, enum pkt_ctx *ctx, struct pts_pkt *out)
{
    int n = pkt_wide(p, *ctx, out);
    if (n > 0 && !pkt_has(out->kind, PKT_IN_BLOCK)) {
        *ctx = PKT_CTX_NONE;
        if (out->kind == PTS_PKT_BBP)
            *ctx = out->count ? PKT_CTX_BLK4 : PKT_CTX_BLK8;
    }
    return n;
}

/* The packet at p, p < end: returns its size.  0: only its beginning is there (out is
 * undefined).  PKT_BAD: no packet, skip one byte.  *ctx starts as PKT_CTX_NONE. */
static inline int pkt_next(const uint8_t *p, const uint8_t *end, enum pkt_ctx *ctx,
                           struct pts_pkt *out)
{
    if (__builtin_expect(end - p < PKT_WIDE, 0))
        return pkt_tail(p, (size_t)(end - p), ctx, out);
    return pkt_whole(p, ctx, out);
}

#endif
