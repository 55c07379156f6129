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
    l = mem_zalloc(1, sizeof(*l) + size * (sizeof(*l->ring) + sizeof(*l->events)));
    if (!l)
        return NULL;
    l->wanted = wanted;
    l->mask = size - 1;
    l->events = (struct pt_event *)(l->ring + size);
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

    return tagged ? direct + (tagged & LAST_END) : 1;
}

/* From which on there are as many as are wanted, if there are so many; *branches: how many there are. */
static uint32_t first_of(struct last_branches *l, uint32_t *branches)
{
    uint32_t kept = l->rested - l->told, first = l->rested;

    kept = kept < l->mask ? kept : l->mask;
    for (*branches = 0; kept && *branches < l->wanted; kept--)
        *branches += branches_of(last_at(l, --first)->leg);
    return first;
}

static struct pt_event *put_leg(struct pt_event *at, struct flow *f,
                                const struct last_leg *last)
{
    const struct plain_form *form = &f->last->form;
    const uintptr_t tagged = last->leg;
    struct leg_passed p = {leg_of(tagged), last->in, 0, 0};
    struct plain_branch b;

    for (unsigned i = 0; tagged & LAST_DIRECT && i < p.leg->direct; i++) {
        b = branch_passed(f, &p, &p.leg->pass[i]);
        b.ninsn = f->walk.ninsn;
        at = plain_put(f, at, form, &b);
    }
    if (!(tagged & LAST_END))
        return at;
    p.to = p.leg->branch == BRANCH_COND ? legs_taken(p.in, p.leg) : last->to;
    b = branch_at_end(f, &p, false);
    b.ninsn = f->walk.ninsn;
    return plain_put(f, at, form, &b);
}

static struct pt_event *put_event(struct pt_event *at, const struct last_branches *l,
                                  uint32_t n)
{
    *at = l->events[n & l->mask];
    at->tsc = l->form.tsc;
    return at + 1;
}

void last_tell(struct flow *f)
{
    struct last_branches *l = f->last;
    uint32_t branches, n = first_of(l, &branches);
    struct pt_event *at = branches ? plain_room(f, branches) : NULL;

    for (; at && n != l->rested; n++) {
        const struct last_leg *last = last_at(l, n);
        at = last->leg ? put_leg(at, f, last) : put_event(at, l, n);
    }
    if (at)
        plain_put_up_to(f, at);
    l->told = l->rested;
    f->out.last_waits = false;
}

/* As if they were told: that they may not be is nothing that others are to see.  (All times are told by
 * themselves.) */
static void rested(struct flow *f)
{
    f->last->rested = f->last->count;
    f->out.last_waits = true;
    if (!f->conf.want_times)
        plain_time_told(f);
}

void last_wait(struct flow *f)
{
    if (f->last->rested == f->last->count)
        return;
    f->last->form = plain_form(f);
    rested(f);
}

/* Its flags are its own: it may be one into a transaction. */
void last_event(struct flow *f, const struct pt_event *ev)
{
    struct last_branches *l = f->last;

    l->events[l->count & l->mask] = *ev;
    *last_at(l, l->count++) = (struct last_leg){0};
    l->form.tsc = ev->tsc;
    rested(f);
}
