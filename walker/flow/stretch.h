/* stretch.h - which code is where.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_STRETCH_H
#define PTS_WALKER_FLOW_STRETCH_H

#include "walker/flow/flow_state.h"

/* Finds the map that holds ip. */
bool stretch_find(struct flow *f, uint64_t ip);

/* The bytes of the instruction at ip, which is in the stretch, and of the next map where it
 * goes on there; fewer at the end of all code. */
size_t stretch_joint(struct flow *f, uint64_t ip, uint8_t bytes[ILD_MAX]);

static inline bool stretch_at(struct flow *f, uint64_t ip)
{
    const struct stretch *s = &f->code.at;
    if (ip - s->start < s->end - s->start && ip < s->end)
        return true;
    return stretch_find(f, ip);
}

/* The bytes of the instruction at off of the code of a stretch; timed: they may change. */
static inline const uint8_t *stretch_bytes(struct flow *f, const struct stretch *p,
                                           uint64_t off, uint8_t len, bool timed)
{
    return timed ? code_read(p->code, p->epoch, off, f->code.last, len)
                 : p->code->bytes + off;
}

/* The code at walk.ip cannot be read. */
enum step fault_no_code(struct flow *f);

#endif
