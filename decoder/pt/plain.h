/* plain.h - packets that nobody has to follow to know that nothing went wrong.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who follows no code, and wants to know of errors alone, is told nothing of most packets: whatever
 * branches say cannot be wrong then.  So it is enough to see that packets follow each other which are
 * understood, and where they end.  For that no state is needed but the place, and so several stretches are
 * read side by side: each packet says where the next one begins, and to wait for that takes most of the
 * time.
 *
 * Plain are branches and their outcomes, time, status, a PSB+ with its end, a FUP with its target, and a PTWRITE with
 * its FUP.  Not plain is what could be an error, and what is rare; it may well be none.
 */
#ifndef PTS_DECODER_PT_PLAIN_H
#define PTS_DECODER_PT_PLAIN_H

#include "decoder/pt/pkt_sizes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What means nothing, whatever is before and behind it. */
struct plain_sizes {
    struct pkt_sizes by;
    /* An OVF may look like a CYC (ERRATUM_SKD007): what could be one is not plain. */
    bool cut_cycs;
};
void plain_sizes_make(struct plain_sizes *out, bool cut_cycs);

/* A part of one buffer. */
struct plain_part {
    const uint8_t *at,
        *end; /* it begins and ends between two packets: at a PSB, or with the buffer */
    const uint8_t *buf_end;
    const uint8_t *
        plain; /* out: from where on it is plain to its end; that: nowhere.  A PSB, or `at` */
};

/* Looks through parts, in stretches of so many bytes that are read side by side. */
void plain_read(const struct plain_sizes *sizes, struct plain_part *part, size_t count,
                size_t stretch);

#endif
