/* idmap.c - a hash from numbers to numbers.
 *
 * SPDX-License-Identifier: MIT
 *
 * Open addressing, linear probing, never more than two thirds full; nothing is ever
 * taken out.
 */
#include "decoder/base/idmap.h"

#include "decoder/base/arena.h"
#include "decoder/base/hash.h"

struct idmap_cell {
    uint64_t key;
    uint32_t value; /* IDMAP_NONE: free */
};

/* Keys are small numbers (a tid, a CPU) or hashes already: one multiplication spreads
 * them, in half the time of XXH3, and every sample asks for its thread. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0x9e3779b97f4a7c15;
    return x ^ x >> 29;
}

/* The cell of key, or the free one where it would go; the map is not full. */
static struct idmap_cell *cell_of(struct idmap_cell *cell, uint32_t cap, uint64_t key)
{
    uint32_t i = (uint32_t)mix(key) & (cap - 1);
    while (cell[i].value != IDMAP_NONE && cell[i].key != key)
        i = (i + 1) & (cap - 1);
    return &cell[i];
}

static bool grow(struct idmap *m)
{
    uint32_t cap = m->cap ? m->cap * 2 : 64;
    struct idmap_cell *cell =
        cap > m->cap ? mem_resize(NULL, cap, sizeof(*cell)) : NULL;
    if (!cell)
        return false;
    for (uint32_t i = 0; i < cap; i++)
        cell[i].value = IDMAP_NONE;
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->cell[i].value != IDMAP_NONE)
            *cell_of(cell, cap, m->cell[i].key) = m->cell[i];
    mem_free(m->cell);
    m->cell = cell;
    m->cap = cap;
    return true;
}

uint32_t idmap_get(const struct idmap *m, uint64_t key)
{
    return m->cap ? cell_of(m->cell, m->cap, key)->value : IDMAP_NONE;
}

bool idmap_set(struct idmap *m, uint64_t key, uint32_t value)
{
    if (m->len >= m->cap / 3 * 2 && !grow(m))
        return false;
    struct idmap_cell *c = cell_of(m->cell, m->cap, key);
    m->len += c->value == IDMAP_NONE;
    *c = (struct idmap_cell){key, value};
    return true;
}

void idmap_free(struct idmap *m)
{
    mem_free(m->cell);
    *m = (struct idmap){0};
}

uint64_t idmap_hash(uint64_t h, const void *p, size_t n)
{
    return hash_bytes(h, p, n);
}
