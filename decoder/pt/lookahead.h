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
 * *fup is its FUP. */
bool psb_states_ip(struct pkt_cursor rest, struct pts_pkt *fup);

/* 64 outcomes of branches, `have` of them in the low bits of *value already, the others in
 * the TNTs that follow; false: something else comes first. */
bool tnt_payload(struct pkt_cursor rest, uint32_t have, uint64_t *value);

#endif
