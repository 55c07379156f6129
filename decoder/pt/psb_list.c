/* psb_list.c - the PSBs of a buffer, found once and kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/psb_list.h"

#include "decoder/pt/lookahead.h"
#include "decoder/pt/psb.h"

#include <string.h>

enum {
    BYTES_FOR_ONE = 64, /* a processor writes one every 2 KB at most */
    BYTES_OF_ONE = 512  /* PSB+: a packet of each kind that it may have */
};

/* False: it cannot be told from the bytes that a PSB+ can have. */
static bool read_psb(const uint8_t *buf, const uint8_t *psb, const uint8_t *end,
                     struct pt_psb *out)
{
    bool whole = end - psb <= BYTES_OF_ONE;
    struct pkt_cursor c = {psb, whole ? end : psb + BYTES_OF_ONE, PKT_CTX_NONE};
    struct pts_pkt p;
    int n;

    *out = (struct pt_psb){(uint64_t)(psb - buf), PSB_UNTIMED};
    while ((n = pkt_cursor_next(&c, &p)) > 0 && p.kind != PTS_PKT_PSBEND) {
        if (p.kind == PTS_PKT_TSC) {
            out->tsc = p.value;
            return true;
        }
    }
    return n || whole;
}

static pts_status add_all(struct psb_list *l, const uint8_t *buf, size_t n)
{
    const uint8_t *end = buf + n, *psb = psb_find(buf, end);

    for (size_t left = n / BYTES_FOR_ONE + 1; psb; left--) {
        struct pt_psb *p = left ? VEC_PUSH(&l->psb) : NULL;
        if (!p)
            return left ? PTS_E_NOMEM : PTS_END;
        if (!read_psb(buf, psb, end, p))
            return PTS_END;
        psb = psb_find(psb + 1, end);
    }
    return PTS_OK;
}

pts_status psb_list_add(struct psb_list *l, const uint8_t *buf, size_t n)
{
    size_t before = l->psb.len;
    pts_status st = add_all(l, buf, n);

    if (st != PTS_OK)
        l->psb.len = before;
    return st;
}

uint64_t psb_list_from(const struct pt_psbs *l, uint64_t off)
{
    uint64_t lo = 0, hi = l->count;

    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (l->at[mid].off < off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool psb_is_there(const struct pt_psb *psb, const uint8_t *buf, size_t n)
{
    struct pt_psb p;

    return psb->off <= n && n - psb->off >= PSB_BYTES &&
           memcmp(buf + psb->off, psb_pattern, PSB_BYTES) == 0 &&
           read_psb(buf, buf + psb->off, buf + n, &p) && p.tsc == psb->tsc;
}
