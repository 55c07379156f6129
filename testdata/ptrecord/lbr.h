/* lbr.h - the last branch records of a CPU (SDM volume 3, "Last Branch Records").
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_LBR_H
#define PTRECORD_LBR_H

#include <stdbool.h>
#include <stdint.h>

enum { LBR_DEPTH = 32 };

struct lbr_entry {
    uint64_t from, to;
    uint64_t info; /* as LBR_INFO: cycles since the one before, and flags */
};

struct lbr {
    struct lbr_entry at[LBR_DEPTH];
    uint32_t next, count;
    uint64_t cyc; /* of the latest */
};

/* A branch taken in cycle CYC. */
void lbr_add(struct lbr *l, uint64_t from, uint64_t to, uint64_t cyc, bool in_tx,
             bool mispredicted);
/* The latest branch but I. */
const struct lbr_entry *lbr_back(const struct lbr *l, uint32_t i);

#endif
