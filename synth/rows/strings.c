/* strings.c - strings as numbers.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same text always has the same number, from 1; 0 is "none".  Two ways lead to it:
 *
 *     pointer -> number     texts that stay where they are (names of symbols): no look
 *                           at their bytes, which is nearly every call
 *     hash -> chain -> number   all others, and each pointer the first time
 */
#include "synth/rows/strings.h"

#include <string.h>

static uint32_t add(struct strings *all, const char *s, size_t n, uint64_t hash)
{
    uint32_t index = (uint32_t)all->at.len;
    struct string *new = VEC_PUSH(&all->at);
    const char *kept = new ? arena_strndup(&all->arena, s, n) : NULL;

    /* Numbers are used up: as good as no memory. */
    if (!kept || index == IDMAP_NONE - 1)
        return 0;
    /* In front of those with the same hash, which may be other texts. */
    *new = (struct string){kept, n, idmap_get(&all->by_hash, hash)};
    return idmap_set(&all->by_hash, hash, index) ? index + 1 : 0;
}

uint32_t strings_of(struct strings *all, const char *s, size_t n)
{
    uint64_t hash = idmap_hash(0, s, n);
    uint32_t i = idmap_get(&all->by_hash, hash);

    for (; i != IDMAP_NONE; i = all->at.at[i].next)
        if (all->at.at[i].len == n && memcmp(all->at.at[i].at, s, n) == 0)
            return i + 1;
    return add(all, s, n, hash);
}

uint32_t strings_kept(struct strings *all, const char *s)
{
    uint64_t key = (uint64_t)(uintptr_t)s;
    uint32_t id = s ? idmap_get(&all->by_pointer, key) : 0;

    if (id != IDMAP_NONE)
        return id;
    id = strings_of(all, s, strlen(s));
    return id && idmap_set(&all->by_pointer, key, id) ? id : 0;
}

const struct string *strings_at(const struct strings *all, uint32_t id)
{
    return id && id <= all->at.len ? &all->at.at[id - 1] : NULL;
}

void strings_free(struct strings *all)
{
    VEC_FREE(&all->at);
    idmap_free(&all->by_hash);
    idmap_free(&all->by_pointer);
    arena_free(&all->arena);
}
