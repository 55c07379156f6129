/* code_copy.h - code that changed while it was recorded, as it was at a point.
 *
 * SPDX-License-Identifier: MIT
 *
 * The kernel patches itself, and says so (TEXT_POKE).  Images do not change (image.h), so who
 * follows such code has a copy of its own, in which the changes up to some epoch are made.
 * Blocks and legs that were decoded from bytes that change are forgotten.
 */
#ifndef PTS_WALKER_FLOW_CODE_COPY_H
#define PTS_WALKER_FLOW_CODE_COPY_H

#include "decoder/base/vec.h"
#include "walker/code/block.h"
#include "walker/sideband/sideband.h"

struct code_copy {
    const struct sb_dso *dso;
    struct code code;
    uint8_t *bytes;
    uint32_t done;  /* changes that are made */
    uint32_t epoch; /* of the last one */
};

struct code_copy_slot {
    struct code_copy *copy;
};

/* Zero-initialise. */
struct code_copies {
    VEC(struct code_copy_slot) at;
};

/* The code of a dso at an epoch; `code` is that of its image, which is returned where it
 * never changed.  NULL: no memory. */
struct code *code_copy_at(struct code_copies *all, const struct sideband *sb,
                          const struct sb_dso *dso, struct code *code, uint32_t epoch);
void code_copies_free(struct code_copies *all);

#endif
