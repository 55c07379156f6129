/* fast.h - the packets that make up nearly all bytes of a trace, without ceremony.
 *
 * SPDX-License-Identifier: MIT
 *
 * PAD, TNT, TIP, TIP.PGE, TIP.PGD, CYC and MTC are hundred for every other packet.  Reading
 * one through the reader costs more than following it, so whoever has nothing to do but to
 * follow takes them from here, and goes back to the reader at the first one that is
 * anything else.  This is the one door that leads past the reader; bytes are still looked
 * at in the decoder only.
 *
 *     struct pt_fast q;
 *     if (fast_begin(&q, r)) {
 *         while ((kind = fast_peek(&q)) != FAST_OTHER && ... )
 *             fast_take(&q);
 *         fast_end(&q, r);
 *     }
 */
#ifndef PTS_DECODER_PT_FAST_H
#define PTS_DECODER_PT_FAST_H

#include "decoder/pt/reader.h"

enum fast_kind {
    FAST_OTHER, /* not one of them, or too near to the end of the buffer */
    FAST_TNT,
    FAST_TIP,
    FAST_TIP_PGD,
    FAST_TIP_PGE,
    FAST_CYC,
    FAST_MTC
};

struct pt_fast {
    const uint8_t *at, *end;
    struct pts_pkt pkt; /* the one that was peeked at */
    uint8_t before;     /* kind of the one that was taken last */
};

/* False: the reader is inside a block, where bytes mean other things. */
static inline bool fast_begin(struct pt_fast *q, struct pt_reader *r)
{
    stream_skip(&r->st);
    q->at = r->st.at;
    q->end = r->st.end;
    q->before = r->st.pkt.kind;
    return r->st.ctx == PKT_CTX_NONE;
}

static inline void fast_end(const struct pt_fast *q, struct pt_reader *r)
{
    r->st.pos += (uint64_t)(q->at - r->st.at);
    r->st.at = q->at;
    r->st.pkt.kind = q->before;
}

/* How many PADs are at `at`, where one is and 8 bytes are readable; at most 8. */
static inline unsigned fast_pads(const uint8_t *at)
{
    uint64_t bytes = rd_u64(at);
    return bytes ? (unsigned)__builtin_ctzll(bytes) / 8 : 8;
}

/* A CYC of one byte or two, which most are, is taken without ceremony; 0: there is none that is
 * `below` so many cycles, or it may be a part of a longer one (cyc_is_cut).  Which of the two it is
 * cannot be foreseen, so no branch asks for it but where a part is likely. */
static inline unsigned fast_cyc(const uint8_t *at, uint64_t below, uint64_t *cycles)
{
    enum { CUT = 0xf3, LONGER = 0x104 };
    const uint64_t v = rd_u16(at), longer = v >> 2 & 1;

    if ((v & 3) != 3 || (v & LONGER) == LONGER || (at[2] == CUT && longer))
        return 0;
    *cycles = (v >> 3 & 0x1f) | (v >> 4 & 0xfe0 & (0 - longer));
    return *cycles >= below ? 0 : 1 + (unsigned)longer;
}

/* A TNT's outcomes, left-aligned, with a 1 behind the last; its size, or 0: there is none, or one of
 * none. */
static inline unsigned fast_tnt(const uint8_t *at, uint64_t *bits)
{
    uint64_t v = *at;
    unsigned size = 1;

    if (v & 1)
        return 0;
    if (__builtin_expect(v < 4, 0)) {
        if (rd_u16(at) != PKT_LONG_TNT)
            return 0;
        v = rd_u64(at) >> 16 << 1;
        size = PKT_LONG_TNT_SIZE;
        if (v < 4)
            return 0;
    }
    v |= 1;
    *bits = v << __builtin_clzll(v) << 1;
    return size;
}

static inline enum fast_kind fast_odd(struct pt_fast *q)
{
    switch (*q->at & 0x1f) {
    case PKT_TIP_LEAD:
        return pkt_ip(q->at, PTS_PKT_TIP, &q->pkt) < 0 ? FAST_OTHER : FAST_TIP;
    case 0x01:
        return pkt_ip(q->at, PTS_PKT_TIP_PGD, &q->pkt) < 0 ? FAST_OTHER : FAST_TIP_PGD;
    case 0x11:
        return pkt_ip(q->at, PTS_PKT_TIP_PGE, &q->pkt) < 0 ? FAST_OTHER : FAST_TIP_PGE;
    case 0x19:
        if (*q->at != PKT_MTC_LEAD)
            return FAST_OTHER;
        pkt_set(&q->pkt, PTS_PKT_MTC, 2, 0, q->at[1]);
        return FAST_MTC;
    default:
        return FAST_OTHER;
    }
}

/* One that begins with 02: of these a long TNT is for here. */
static inline enum fast_kind fast_ext(struct pt_fast *q)
{
    if (q->at[1] != 0xa3)
        return FAST_OTHER;
    pkt_ext(q->at, &q->pkt);
    return q->pkt.count ? FAST_TNT : FAST_OTHER;
}

/* The next packet but PAD, into q->pkt. */
__attribute__((always_inline)) static inline enum fast_kind fast_peek(struct pt_fast *q)
{
    for (;;) {
        if (q->end - q->at < PKT_WIDE)
            return FAST_OTHER;
        uint8_t lead = *q->at;
        if (lead & 2 && lead & 1)
            return pkt_cyc(q->at, &q->pkt) < 0 ? FAST_OTHER : FAST_CYC;
        if (lead & 1)
            return fast_odd(q);
        if (lead == 2)
            return fast_ext(q);
        if (lead) {
            pkt_tnt(&q->pkt, 1, 6, (uint64_t)lead << 56);
            return FAST_TNT;
        }
        q->at += fast_pads(q->at);
    }
}

/* What follows it in this buffer. */
static inline struct pkt_cursor fast_rest(const struct pt_fast *q)
{
    return (struct pkt_cursor){q->at + q->pkt.size, q->end, PKT_CTX_NONE};
}

static inline void fast_take(struct pt_fast *q)
{
    q->at += q->pkt.size;
    q->before = q->pkt.kind;
}

static inline uint64_t fast_last_ip(struct pt_reader *r, const struct pt_fast *q)
{
    r->s.have_last_ip = true;
    return r->s.last_ip = pkt_full_ip(&q->pkt, r->s.last_ip);
}

#endif
