/* cursor.h - packets one after the other within one buffer, for looking ahead.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_CURSOR_H
#define PTS_DECODER_CURSOR_H

#include "decoder/pkt.h"

/* Small and copied freely: a copy looks ahead, the original stays. */
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

#endif
