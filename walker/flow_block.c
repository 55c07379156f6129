/* flow_block.c - blocks of items: what a PEBS record holds.
 *
 * SPDX-License-Identifier: MIT
 *
 *     BBP type  BIP id value  BIP id value ...  BBP type  BIP ...   BEP
 *
 * A BBP begins a group; the first one after something that is no part of a block begins
 * a new record, BEP ends it.  In a damaged trace a record may lack its first group, or
 * all: then the items of the one before it are still there, as in perf.
 */
#include "walker/flow_priv.h"

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

void block_group_begin(struct flow *f)
{
    const struct pts_pkt *p = &f->st.pkt;

    if (f->st.ctx_before == PKT_CTX_NONE) {
        memset(f->block.has, 0, sizeof(f->block.has));
        f->block.narrow = false;
    }
    f->block_group = group_of(p->value);
    if (f->block_group == BLOCK_GPRS)
        f->block.narrow = p->count;
}

void block_item(struct flow *f)
{
    const struct pts_pkt *p = &f->st.pkt;

    if (f->block_group == BLOCK_GROUPS)
        return;
    f->block.has[f->block_group] |= UINT32_C(1) << (p->count & 31);
    f->block.item[f->block_group][p->count & 31] = p->value;
}
