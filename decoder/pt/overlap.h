/* overlap.h - what of one piece of trace was already in the piece before it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Snapshots and AUX samples are copies of the latest part of a buffer, so two of them
 * may have a stretch in common, and the second may go on right where the first ends.
 */
#ifndef PTS_DECODER_PT_OVERLAP_H
#define PTS_DECODER_PT_OVERLAP_H

#include <ptscript/bytes.h>

#include <stdbool.h>

/* By what two pieces are compared. */
enum overlap_by {
    OVERLAP_BY_BYTES, /* the trace has no timestamps */
    OVERLAP_BY_TIME,
    OVERLAP_BY_WILD_TIME /* guests have clocks of their own: times may go back */
};

/* How many bytes at the front of b to leave out: those before its first PSB and those
 * that a has; all when nothing is left.  *consecutive: the rest continues a. */
size_t overlap_find(struct pts_bytes a, struct pts_bytes b, enum overlap_by by,
                    bool *consecutive);

#endif
