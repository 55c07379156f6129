/* pebs.h - blocks of items: what a PEBS record in a trace holds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_PT_PEBS_H
#define PTS_DECODER_PT_PEBS_H

#include "decoder/pt/state.h"

/* A BBP; outside: it does not come inside a block that has begun. */
void pebs_group(struct pt_pebs *p, const struct pts_pkt *bbp, bool outside);
/* A BIP. */
void pebs_item(struct pt_pebs *p, const struct pts_pkt *bip);

#endif
