/* marks.c - places of a queue that it can be followed from again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/marks.h"

#include "decoder/base/arena.h"

struct marks *marks_new(uint32_t room, uint64_t bytes)
{
    struct marks *m = mem_zalloc(1, sizeof(*m) + room * sizeof(m->at[0]));

    if (m)
        *m = (struct marks){.room = room, .bytes = bytes};
    return m;
}

void marks_free(struct marks *m)
{
    mem_free(m);
}

struct carry *marks_add(struct marks *m, uint64_t pos)
{
    m->next = pos + m->bytes;
    return &m->at[m->count++ % m->room];
}

void marks_clear(struct marks *m)
{
    m->next = 0;
    m->count = 0;
}

uint32_t marks_kept(const struct marks *m)
{
    return m->count < m->room ? m->count : m->room;
}

const struct carry *marks_from_last(const struct marks *m, uint32_t n)
{
    return &m->at[(m->count - n) % m->room];
}

const struct carry *marks_before(const struct marks *m, uint64_t tsc)
{
    for (uint32_t i = 1; i <= marks_kept(m); i++) {
        const struct carry *c = marks_from_last(m, i);
        if (c->told.tsc < tsc)
            return c;
    }
    return NULL;
}
