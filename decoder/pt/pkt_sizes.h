/* pkt_sizes.h - how long packets are, by their first two bytes.
 *
 * SPDX-License-Identifier: MIT
 *
 * For who goes through a trace in which most packets mean nothing to him: he looks up how far the next one
 * is, and reads only those of which the table does not say it.
 */
#ifndef PTS_DECODER_PT_PKT_SIZES_H
#define PTS_DECODER_PT_PKT_SIZES_H

#include "decoder/pt/pkt.h"

/* Of one packet, or of one of a single byte and the one behind it; 0: it is to be looked at. */
struct pkt_sizes {
    uint8_t of[1 << 16];
};

/* What one step may pass: a TNT, and a PTWRITE of 8 bytes. */
enum { PKT_SIZES_LONGEST = 11 };

/* Whether a packet means nothing, whatever is before and behind it, and whatever it says.  first: its first byte. */
typedef bool pkt_means_nothing(uint8_t first, enum pts_pkt_kind kind);

void pkt_sizes_make(struct pkt_sizes *out, pkt_means_nothing *nothing);

#endif
