/* lookahead.c - packets that come later, looked at before their time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each goes on until a packet rules the answer out: execution goes elsewhere, or
 * something stands where it may not.  What it says is as good as the packets; in a
 * damaged trace the reader may find something else when it gets there.
 */
#include "decoder/pt/lookahead.h"

#include "decoder/pt/psb.h"

#include <limits.h>

const uint8_t *psb_tsc(const uint8_t *psb, const uint8_t *end, uint64_t *tsc)
{
    struct pkt_cursor c = {psb, end, PKT_CTX_NONE};
    const uint8_t *at = psb;
    struct pts_pkt p;

    for (; pkt_cursor_next(&c, &p) > 0 && p.kind != PTS_PKT_PSBEND; at = c.at) {
        if (p.kind == PTS_PKT_TSC) {
            *tsc = p.value;
            return at;
        }
    }
    return NULL;
}

/* Up to the next TSC or to what is no packet, where the cursor stays. */
static bool tsc_ahead(struct pkt_cursor *c, uint64_t *tsc, bool *late)
{
    struct pts_pkt p;

    while (pkt_cursor_next(c, &p) > 0) {
        if (p.kind == PTS_PKT_TSC) {
            *tsc = p.value;
            return true;
        }
        *late |= p.kind == PTS_PKT_PSBEND;
    }
    return false;
}

/* Behind a place that is no packet: whatever was misread before it may have eaten the start
 * of a PSB, of which no packet takes more than the first bytes. */
static const uint8_t *behind_bad(const uint8_t *psb, const uint8_t *bad)
{
    return bad - psb > 2 * PSB_BYTES ? bad - 2 * PSB_BYTES : psb + 1;
}

bool trace_tsc(const uint8_t *at, const uint8_t *end, uint64_t *tsc, bool *late)
{
    *late = false;
    while ((at = psb_find(at, end))) {
        struct pkt_cursor c = {at, end, PKT_CTX_NONE};
        if (tsc_ahead(&c, tsc, late))
            return true;
        *late = true;
        at = behind_bad(at, c.at);
    }
    return false;
}

/* While tracing is off there is time and status, and nothing else but an overflow. */
static bool is_of_traced_code(const struct pts_pkt *p, struct pkt_cursor rest)
{
    return !pkt_has(p->kind, PKT_IN_PSB) || cyc_is_cut(p, rest);
}

/* PSB ... FUP ... PSBEND, and then nothing that voids the FUP: some processors give the
 * address at which tracing will begin, and a TIP.PGE right after it (erratum BDM70 and its
 * kin). */
bool psb_states_ip(struct pkt_cursor c, int *left, struct pts_pkt *fup)
{
    struct pts_pkt p;
    bool have = false, after = false;

    while (pkt_cursor_next(&c, &p) > 0) {
        if (p.kind == PTS_PKT_PAD)
            continue;
        if (p.kind == PTS_PKT_FUP) {
            if (after || have || !p.count)
                return have;
            *fup = p;
            have = true;
            continue;
        }
        if (p.kind == PTS_PKT_PSBEND) {
            if (!have)
                return false;
            after = true;
            continue;
        }
        if (p.kind == PTS_PKT_TIP_PGE)
            return have && !after;
        if (pkt_has(p.kind, PKT_NEW_IP) || (!after && !pkt_has(p.kind, PKT_IN_PSB)))
            return have;
        if (after && !--*left)
            return have;
        if (*left > PERF_LOOKS_AFTER && after && is_of_traced_code(&p, c))
            return have;
    }
    return have;
}

bool next_telling(struct pkt_cursor c, struct pts_pkt *p)
{
    enum { FAR = 256 };

    for (int i = 0; i < FAR && pkt_cursor_next(&c, p) > 0; i++) {
        if (!pkt_has(p->kind, PKT_IN_PSB) || p->kind == PTS_PKT_MODE_TSX ||
            p->kind == PTS_PKT_TRIG_IP)
            return true;
    }
    return false;
}

/* Erratum APL12.  Branches show that tracing is on, as does a PSB+ that states where. */
bool tracing_is_off(struct pkt_cursor c)
{
    struct pts_pkt p;
    int left = INT_MAX;

    while (pkt_cursor_next(&c, &p) > 0) {
        switch (p.kind) {
        case PTS_PKT_TIP_PGE:
        case PTS_PKT_TRACESTOP:
            return true;
        case PTS_PKT_TNT:
        case PTS_PKT_TIP:
        case PTS_PKT_TIP_PGD:
        case PTS_PKT_OVF:
            return false;
        case PTS_PKT_PSB:
            return !psb_states_ip(c, &left, &p);
        default:
            break;
        }
    }
    return false;
}

bool tnt_payload(struct pkt_cursor c, uint32_t have, uint64_t *value)
{
    struct pts_pkt p;

    while (have < 64) {
        if (pkt_cursor_next(&c, &p) <= 0)
            return false;
        if (p.kind == PTS_PKT_TNT) {
            uint32_t n = p.count < 64 - have ? p.count : 64 - have;
            if (n) /* n <= 47 */
                *value = *value << n | p.value >> (64 - n);
            have += n;
        } else if (pkt_has(p.kind, PKT_NEW_IP) && p.kind != PTS_PKT_PSB) {
            return false;
        }
    }
    return true;
}
