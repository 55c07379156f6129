/* lookahead.h - packets that come later, looked at before their time.
 *
 * SPDX-License-Identifier: MIT
 *
 * A few decisions need what is not there yet: how long a cycle is, where a PSB+ will say
 * that execution is, what an emulated ptwrite says.  A cursor is a small copy that runs
 * ahead within one buffer while the stream stays where it is.  None looks beyond the end
 * of its buffer, as perf does not.
 */
#ifndef PTS_DECODER_PT_LOOKAHEAD_H
#define PTS_DECODER_PT_LOOKAHEAD_H

#include "decoder/pt/pkt.h"

struct pkt_cursor {
    const uint8_t *at, *end;
    enum pkt_ctx ctx;
};

/* As pkt_next: bytes of the packet; 0 at the end or when cut off, negative when bad. */
static inline int pkt_cursor_next(struct pkt_cursor *c, struct pts_pkt *pkt)
{
    int n = c->at < c->end ? pkt_next(c->at, c->end, &c->ctx, pkt) : 0;
    if (n > 0)
        c->at += n;
    return n;
}

/* The TSC packet of the PSB+ that begins at psb, NULL when it has none.  *tsc: its
 * payload of 56 bits. */
const uint8_t *psb_tsc(const uint8_t *psb, const uint8_t *end, uint64_t *tsc);

/* The first TSC packet of a trace, behind the first PSB; false: there is none.  *late: it
 * is not in the first PSB+. */
bool trace_tsc(const uint8_t *at, const uint8_t *end, uint64_t *tsc, bool *late);

/* What follows a PSB: whether the PSB+ states an address at which tracing is already on;
 * *fup is its FUP.  *left: behind how many packets after PSBEND a TIP.PGE that voids it is
 * not looked for any more; 0 when so many have been seen.  When it is more than perf's, only
 * packets that come while tracing is off may stand between. */
enum { PERF_LOOKS_AFTER = 6 };
bool psb_states_ip(struct pkt_cursor rest, int *left, struct pts_pkt *fup);

/* The first packet that is neither time nor status; false: there is none among the next few hundred.  What
 * belongs together comes at once, and a damaged trace may have nothing else for long. */
bool next_telling(struct pkt_cursor c, struct pts_pkt *p);

/* Behind an OVF and a FUP: what follows shows that tracing was off all the time. */
bool tracing_is_off(struct pkt_cursor c);

/* Whether an OVF took the place of all but the first byte of this packet, a CYC:
 *
 *     xxxxx111 | 02 f3     first byte of a longer CYC, OVF; it reads as two CYCs
 */
static inline bool cyc_is_cut(const struct pts_pkt *cyc, struct pkt_cursor rest)
{
    return cyc->kind == PTS_PKT_CYC && cyc->size == 2 && cyc->value >> 5 == 1 &&
           rest.at < rest.end && *rest.at == 0xf3;
}

/* 64 outcomes of branches, `have` of them in the low bits of *value already, the others in
 * the TNTs that follow; false: something else comes first. */
bool tnt_payload(struct pkt_cursor rest, uint32_t have, uint64_t *value);

#endif
