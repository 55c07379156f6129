/* ip.h - compressed addresses in packets.
 *
 * SPDX-License-Identifier: MIT
 *
 * A packet has as many of an address's low bytes as differ from the last address sent
 * (SDM, definition of TIP):
 *
 *     IPBytes code   0     1         2         3               4         6
 *     bytes          none  1:0       3:0       5:0, then bit   5:0       7:0
 *                                              47 goes on
 */
#ifndef PTS_DECODER_PT_IP_H
#define PTS_DECODER_PT_IP_H

#include <ptscript/packet.h>

static inline uint64_t pkt_full_ip(const struct pts_pkt *p, uint64_t last)
{
    /* Bits of the last ip that stay, for each IPBytes code. */
    static const uint64_t kept[8] = {
        [1] = ~UINT64_C(0xffff),
        [2] = ~UINT64_C(0xffffffff),
        [4] = ~UINT64_C(0xffffffffffff),
    };
    uint64_t ip = (last & kept[p->count & 7]) | p->value;
    return p->count == 3 ? (uint64_t)((int64_t)(ip << 16) >> 16) : ip;
}

#endif
