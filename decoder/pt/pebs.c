/* pebs.c - blocks of items: what a PEBS record in a trace holds.
 *
 * SPDX-License-Identifier: MIT
 *
 *     BBP type  BIP id value  BIP id value ...  BBP type  BIP ...   BEP
 *
 * A BBP begins a group; the first one after something that is no part of a block begins
 * a new record, BEP ends it.  In a damaged trace a record may lack its first group, or
 * all: then the items of the one before it are still there, as in perf.
 */
#include "decoder/pt/pebs.h"

#include <string.h>

static enum block_group group_of(uint64_t type)
{
    static const uint8_t group[] = {
        [1] = BLOCK_GPRS + 1, [4] = BLOCK_BASIC + 1, [5] = BLOCK_MEMORY + 1,
        [8] = BLOCK_LBR0 + 1, [9] = BLOCK_LBR1 + 1,  [10] = BLOCK_LBR2 + 1,
        [16] = BLOCK_XMM + 1,
    };
    bool known = type < sizeof(group) && group[type];

    return known ? (enum block_group)(group[type] - 1) : BLOCK_GROUPS;
}

void pebs_group(struct pt_pebs *p, const struct pts_pkt *bbp, bool outside)
{
    if (outside) {
        memset(p->block.has, 0, sizeof(p->block.has));
        p->block.narrow = false;
    }
    p->group = group_of(bbp->value);
    if (p->group == BLOCK_GPRS)
        p->block.narrow = bbp->count;
}

void pebs_item(struct pt_pebs *p, const struct pts_pkt *bip)
{
    if (p->group == BLOCK_GROUPS)
        return;
    p->block.has[p->group] |= UINT32_C(1) << (bip->count & 31);
    p->block.item[p->group][bip->count & 31] = bip->value;
}
