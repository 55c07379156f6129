/* lbr.h - the last branches of a thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the processor's LBR registers would hold, made from the trace (spec 32.5).
 */
#ifndef PTS_SYNTH_LBR_H
#define PTS_SYNTH_LBR_H

#include <ptscript/status.h>
#include <stdint.h>

struct last_branch {
    uint64_t from, to;
    uint64_t flags; /* branch_flags.h */
};

/* A ring, the newest at `pos`.  Zero-initialise. */
struct lbr {
    struct last_branch *at;
    uint32_t size, pos, count;
};

/* size: of the ring, not 0, the same each time. */
pts_status lbr_push(struct lbr *l, uint32_t size, const struct last_branch *b);
void lbr_clear(struct lbr *l);
void lbr_free(struct lbr *l);

/* Up to max entries, newest first; returns how many. */
uint32_t lbr_take(const struct lbr *l, struct last_branch *out, uint32_t max);
/* The same for a recorded sample at ip: it was written somewhat later than it was
 * taken, so branches that came after it are left out. */
uint32_t lbr_take_late(const struct lbr *l, uint64_t ip, struct last_branch *out,
                       uint32_t max);

#endif
