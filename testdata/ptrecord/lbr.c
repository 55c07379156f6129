/* lbr.c - the last branch records of a CPU.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/lbr.h"

#define INFO_MISPREDICTED (UINT64_C(1) << 63)
#define INFO_IN_TX        (UINT64_C(1) << 62)
enum { INFO_CYCLES = 0xffff };

void lbr_add(struct lbr *l, uint64_t from, uint64_t to, uint64_t cyc, bool in_tx,
             bool mispredicted)
{
    uint64_t passed = cyc - l->cyc;
    uint64_t info = passed < INFO_CYCLES ? passed : INFO_CYCLES;

    info |= (in_tx ? INFO_IN_TX : 0) | (mispredicted ? INFO_MISPREDICTED : 0);
    l->at[l->next] = (struct lbr_entry){from, to, info};
    l->next = (l->next + 1) % LBR_DEPTH;
    l->count += l->count < LBR_DEPTH;
    l->cyc = cyc;
}

const struct lbr_entry *lbr_back(const struct lbr *l, uint32_t i)
{
    return &l->at[(l->next + 2 * LBR_DEPTH - 1 - i) % LBR_DEPTH];
}
