/* lbr.h - the last branches of a thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the processor's LBR registers would hold, made from the trace: letters l and L of
 * --itrace.  A thread keeps as many branches as a stack is to have, and for recorded
 * samples more, since they come later than they were taken.
 */
#ifndef PTS_SYNTH_SAMPLE_LBR_H
#define PTS_SYNTH_SAMPLE_LBR_H

#include <ptscript/record.h>
#include <ptscript/status.h>
#include <stdint.h>

/* A ring, the newest at `pos`.  Zero-initialise. */
struct lbr {
    struct pts_branch *at;
    uint32_t size, pos, count;
};

pts_status lbr_begin(struct lbr *l, uint32_t size);

/* size: of the ring, not 0, the same each time. */
static inline pts_status lbr_push(struct lbr *l, uint32_t size,
                                  const struct pts_branch *b)
{
    pts_status st = l->at ? PTS_OK : lbr_begin(l, size);

    if (st < 0)
        return st;
    l->pos = (l->pos ? l->pos : l->size) - 1;
    l->at[l->pos] = *b;
    l->count += l->count < l->size;
    return PTS_OK;
}
void lbr_clear(struct lbr *l);
void lbr_free(struct lbr *l);

/* Up to max entries, newest first; returns how many. */
uint32_t lbr_take(const struct lbr *l, struct pts_branch *out, uint32_t max);
/* The same for a recorded sample at ip: it was written somewhat later than it was
 * taken, so branches that came after it are left out. */
uint32_t lbr_take_late(const struct lbr *l, uint64_t ip, struct pts_branch *out,
                       uint32_t max);

#endif
