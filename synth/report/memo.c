/* memo.c - where an address was counted the last time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/memo.h"

#include <string.h>

_Static_assert(sizeof(struct memo_owner) == 40, "owners are compared as bytes");

uint32_t memo_owner(struct memo_owners *all, const struct memo_owner *key)
{
    uint64_t hash = idmap_hash(0, key, sizeof(*key));
    uint32_t first = idmap_get(&all->by_hash, hash), i = first;

    while (i != IDMAP_NONE && memcmp(&all->known.at[i].key, key, sizeof(*key)) != 0)
        i = all->known.at[i].next;
    if (i != IDMAP_NONE)
        return i;
    i = (uint32_t)all->known.len;
    struct owner_known *new = i < IDMAP_NONE ? VEC_PUSH(&all->known) : NULL;
    if (!new || !idmap_set(&all->by_hash, hash, i))
        return IDMAP_NONE;
    *new = (struct owner_known){*key, first};
    return i;
}

void memo_owners_free(struct memo_owners *all)
{
    VEC_FREE(&all->known);
    idmap_free(&all->by_hash);
}
