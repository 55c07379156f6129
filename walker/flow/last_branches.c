/* last_branches.c - the branches that were taken last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/last_branches.h"

#include "decoder/base/arena.h"
#include "walker/flow/leg_branches.h"

struct last_branches *last_new(uint32_t wanted)
{
    uint32_t size = 1;
    struct last_branches *l;

    while (size <= wanted)
        size *= 2;
    l = mem_zalloc(1, sizeof(*l) + size * sizeof(*l->ring));
    if (!l)
        return NULL;
    l->wanted = wanted;
    l->mask = size - 1;
    return l;
}

void last_log(struct last_branches *l, struct leg_log *log)
{
    for (const struct leg_passed *p = log->at, *end = p + log->count; p < end; p++)
        last_note(l, p, p->to ? LAST_END : LAST_DIRECT);
    log->count = 0;
}

static const struct leg *leg_of(uintptr_t tagged)
{
    return (const struct leg *)(tagged & ~(uintptr_t)LAST_TAGS);
}

static uint32_t branches_of(uintptr_t tagged)
{
    const uint32_t direct = tagged & LAST_DIRECT ? leg_of(tagged)->direct : 0;

    return direct + (tagged & LAST_END);
}

/* From which on there are as many as are wanted, if there are so many; *branches: how many there are. */
static uint32_t first_of(struct last_branches *l, uint32_t *branches)
{
    uint32_t kept = l->count - l->told, first = l->count;

    kept = kept < l->mask ? kept : l->mask;
    for (*branches = 0; kept && *branches < l->wanted; kept--)
        *branches += branches_of(last_at(l, --first)->leg);
    return first;
}

static struct pt_event *put_leg(struct pt_event *at, const struct flow *f,
                                const struct plain_form *form, uint32_t n)
{
    const struct last_leg *last = last_at(f->last, n);
    const uintptr_t tagged = last->leg;
    struct leg_passed p = {leg_of(tagged), last->in, 0, 0};
    struct plain_branch b;

    for (unsigned i = 0; tagged & LAST_DIRECT && i < p.leg->direct; i++) {
        b = branch_passed(f, &p, &p.leg->pass[i]);
        b.ninsn = f->walk.ninsn;
        at = plain_put(at, form, &b);
    }
    if (!(tagged & LAST_END))
        return at;
    p.to = p.leg->branch == BRANCH_COND ? legs_taken(p.in, p.leg) : last->to;
    b = branch_at_end(f, &p, false);
    b.ninsn = f->walk.ninsn;
    return plain_put(at, form, &b);
}

void last_tell(struct flow *f)
{
    struct last_branches *l = f->last;
    const struct plain_form form = plain_form(f);
    uint32_t branches, first = first_of(l, &branches);
    struct pt_event *at = branches ? plain_room(f, branches) : NULL;

    for (; at && first != l->count; first++)
        at = put_leg(at, f, &form, first);
    if (at)
        plain_told(f, at);
    l->told = l->count;
}
