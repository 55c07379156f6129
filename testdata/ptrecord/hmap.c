/* hmap.c - a hash from addresses to anything of 8 bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/hmap.h"

#include "testdata/ptrecord/buf.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct hmap *m, uint64_t key)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15 >> 32) & (m->cap - 1);
    while (m->at[i].key && m->at[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

struct hmap_entry *hmap_find(const struct hmap *m, uint64_t key)
{
    if (!m->len)
        return NULL;
    struct hmap_entry *e = &m->at[slot_of(m, key)];
    return e->key ? e : NULL;
}

static void table_resize(struct hmap *m, size_t cap)
{
    struct hmap old = *m;
    m->at = mem_get(NULL, cap * sizeof(*m->at));
    memset(m->at, 0, cap * sizeof(*m->at));
    m->cap = cap;
    for (size_t i = 0; i < old.cap; i++)
        if (old.at[i].key)
            m->at[slot_of(m, old.at[i].key)] = old.at[i];
    free(old.at);
}

void hmap_put(struct hmap *m, uint64_t key, uint64_t val)
{
    if (m->len * 2 >= m->cap)
        table_resize(m, m->cap ? m->cap * 2 : 64);
    struct hmap_entry *e = &m->at[slot_of(m, key)];
    m->len += !e->key;
    *e = (struct hmap_entry){key, val};
}

void hmap_sweep(struct hmap *m, bool (*drop)(struct hmap_entry *e, void *ctx),
                void *ctx)
{
    size_t dropped = 0;
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->at[i].key || !drop(&m->at[i], ctx))
            continue;
        m->at[i].key = 0;
        dropped++;
    }
    if (!dropped)
        return;
    m->len -= dropped;
    table_resize(m, m->cap); /* what a dropped entry stood in the way of moves up */
}

void hmap_copy(struct hmap *to, const struct hmap *from)
{
    *to = *from;
    if (!from->cap)
        return;
    to->at = mem_get(NULL, from->cap * sizeof(*to->at));
    memcpy(to->at, from->at, from->cap * sizeof(*to->at));
}

void hmap_free(struct hmap *m)
{
    free(m->at);
    *m = (struct hmap){0};
}
