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

const struct carry *marks_before(const struct marks *m, uint64_t tsc)
{
    const uint32_t kept = m->count < m->room ? m->count : m->room;

    for (uint32_t i = 1; i <= kept; i++) {
        const struct carry *c = &m->at[(m->count - i) % m->room];
        if (c->told.tsc < tsc)
            return c;
    }
    return NULL;
}
