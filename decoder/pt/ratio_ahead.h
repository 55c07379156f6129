/* ratio_ahead.h - the ratios that a trace may still say.
 *
 * SPDX-License-Identifier: MIT
 *
 * How long a cycle is, is measured over a stretch of packets that are not read yet (clock.h).  It cannot be
 * much longer than the ratio makes it, the one now or that of a CBR in the stretch.  Bytes that may be one
 * are looked for, which takes no time compared to reading packets:
 *
 *     MTC .... MTC ... 02 03 28 00 ... MTC ... PSB TSC ...
 *     here             it may be 0x28          nothing is measured over a TSC
 */
#ifndef PTS_DECODER_PT_RATIO_AHEAD_H
#define PTS_DECODER_PT_RATIO_AHEAD_H

#include <stdint.h>

/* A part of a stream, as offsets into it; {0}: none. */
struct ratio_ahead {
    uint64_t from, to;
    uint8_t lowest;
};

enum { RATIO_NONE = UINT8_MAX };

/* Not more than any (0: it is not known) in the stretch that begins with the packet at `at`, in a buffer that ends at `end`; pos: its
 * offset in the stream. */
uint8_t ratio_lowest(struct ratio_ahead *r, uint64_t pos, const uint8_t *at,
                     const uint8_t *end);

#endif
