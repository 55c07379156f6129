/* pkt.c - Intel PT packets: those that begin with 02, and the ends of buffers.
 *
 * SPDX-License-Identifier: MIT
 *
 * SDM volume 3, "Intel Processor Trace", trace packet definitions.
 */
#include "decoder/pkt.h"

#include "decoder/psb.h"

/* size of the whole packet, of which the last `n` bytes are the payload */
static int ext_payload(const uint8_t *p, enum pts_pkt_kind kind, unsigned n,
                       unsigned count, struct pts_pkt *out)
{
    return pkt_set(out, kind, 2 + n, count,
                   rd_u64(p + 2) & (~UINT64_C(0) >> (64 - 8 * n)));
}

static int ext_ptwrite(const uint8_t *p, struct pts_pkt *out)
{
    enum pts_pkt_kind kind = p[1] & 0x80 ? PTS_PKT_PTWRITE_IP : PTS_PKT_PTWRITE;
    unsigned code = p[1] >> 5 & 3;
    if (code > 1)
        return pkt_bad(p, out);
    unsigned n = code ? 8 : 4;
    return ext_payload(p, kind, n, n, out);
}

static int ext_pip(const uint8_t *p, struct pts_pkt *out)
{
    uint64_t payload = rd_u64(p) >> 16;
    return pkt_set(out, PTS_PKT_PIP, 8, payload & 1, payload >> 1);
}

static int ext_tma(const uint8_t *p, struct pts_pkt *out)
{
    return pkt_set(out, PTS_PKT_TMA, 7, p[5] | (p[6] & 1u) << 8, rd_u16(p + 2));
}

static int ext_cfe(const uint8_t *p, struct pts_pkt *out)
{
    enum pts_pkt_kind kind = p[2] & 0x80 ? PTS_PKT_CFE_IP : PTS_PKT_CFE;
    return pkt_set(out, kind, 4, p[2] & 0x1f, p[3]);
}

static int ext_simple(enum pts_pkt_kind kind, struct pts_pkt *out)
{
    return pkt_set(out, kind, 2, 0, 0);
}

int pkt_ext(const uint8_t *p, struct pts_pkt *out)
{
    switch (p[1]) {
    case 0x03:
        return pkt_set(out, PTS_PKT_CBR, 4, p[3], p[2]);
    case 0x12:
    case 0x32:
    case 0x52:
    case 0x72:
    case 0x92:
    case 0xb2:
    case 0xd2:
    case 0xf2:
        return ext_ptwrite(p, out);
    case 0x13:
        return ext_cfe(p, out);
    case 0x22:
        return ext_payload(p, PTS_PKT_PWRE, 2, 0, out);
    case 0x23:
        return ext_simple(PTS_PKT_PSBEND, out);
    case 0x33:
        return ext_simple(PTS_PKT_BEP, out);
    case 0x43:
        return ext_pip(p, out);
    case 0x53:
        return pkt_set(out, PTS_PKT_EVD, 11, p[2] & 0x3f, rd_u64(p + 3));
    case 0x62:
        return ext_simple(PTS_PKT_EXSTOP, out);
    case 0x63:
        return pkt_set(out, PTS_PKT_BBP, 3, p[2] >> 7, p[2] & 0x1f);
    case 0x73:
        return ext_tma(p, out);
    case 0x82:
        if (memcmp(p, psb_pattern, PSB_BYTES) != 0)
            return pkt_bad(p, out);
        return pkt_set(out, PTS_PKT_PSB, PSB_BYTES, 0, 0);
    case 0x83:
        return ext_simple(PTS_PKT_TRACESTOP, out);
    case 0xa2:
        return ext_payload(p, PTS_PKT_PWRX, 5, 0, out);
    case 0xa3:
        return pkt_tnt(out, 8, 47, rd_u64(p) & ~UINT64_C(0xffff));
    case 0xb3:
        return ext_simple(PTS_PKT_BEP_IP, out);
    case 0xc2:
        return ext_payload(p, PTS_PKT_MWAIT, 8, 0, out);
    case 0xc3:
        if (p[2] != 0x88)
            return pkt_bad(p, out);
        return pkt_set(out, PTS_PKT_MNT, 11, 0, rd_u64(p + 3));
    case 0xc8:
        return ext_payload(p, PTS_PKT_VMCS, 5, 0, out);
    case 0xe2:
        return ext_simple(PTS_PKT_EXSTOP_IP, out);
    case 0xf3:
        return ext_simple(PTS_PKT_OVF, out);
    default:
        return pkt_bad(p, out);
    }
}

/* True when the n bytes at p do not yet tell whether they begin a packet. */
static bool tail_undecided(const uint8_t *p, size_t n)
{
    if (p[0] != 2)
        return false;
    return n == 1 || (p[1] == 0xc3 && n == 2) || memcmp(p, psb_pattern, n) == 0;
}

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
