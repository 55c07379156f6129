/* pkt_text.h - packets in the words perf uses in its dump and its debug log.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_PT_PKT_TEXT_H
#define PTS_DECODER_PT_PKT_TEXT_H

#include <ptscript/packet.h>

#include "decoder/base/digits.h"

/* Writes at most PTS_PKT_TEXT_MAX - 1 bytes at p, no NUL; returns the new end. */
char *pkt_put(char *p, const struct pts_pkt *pkt);

/* Branches as letters, the oldest in the highest bit, one in each byte of the result. */
static inline uint64_t tnt_letters(uint8_t branches)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t bit = branches * ones & UINT64_C(0x0102040810204080);
    uint64_t taken = (bit + 0x7f * ones) >> 7 & ones;

    return 'N' * ones + taken * ('T' - 'N');
}

/* "TNTT (4)", of at most 47 branches. */
static inline char *pkt_put_tnt(char *p, const struct pts_pkt *pkt)
{
    uint64_t bits = pkt->value;
    unsigned n = pkt->count;

    for (unsigned i = 0; i < n; i += 8, bits <<= 8) {
        uint64_t letters = tnt_letters((uint8_t)(bits >> 56));
        memcpy(p + i, &letters, sizeof(letters));
    }
    p = put_mem(p + n, " (", 2);
    if (n >= 10)
        *p++ = (char)('0' + n / 10);
    *p++ = (char)('0' + n % 10);
    return put_char(p, ')');
}

#endif
