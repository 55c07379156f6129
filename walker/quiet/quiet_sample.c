/* quiet_sample.c - instructions that are counted off, sampled on the quiet way.
 *
 * SPDX-License-Identifier: MIT
 *
 * Going branch by branch to a sample and on from it costs more than a whole period from leg to
 * leg, and begins legs in the middle of others.  So one that is not at the end of its leg is told
 * from the leg's beginning, and the leg is then passed as a whole:
 *
 *     leg      mov; add; jmp ~~> mov; cmp; jne
 *     told                       ^ n = 4: the next period has counted -4 where the leg begins
 */
#include "walker/quiet/quiet_sample.h"

#include "walker/flow/emit.h"
#include "walker/flow/period.h"

bool sample_place(const struct flow *f, const struct leg *leg, const struct stretch *in,
                  uint32_t n, struct leg_insn *out)
{
    if (leg->branch == BRANCH_NONE || leg->timed)
        return false;
    /* Calls that are told come in front of it, or behind. */
    if (f->branches && leg->direct && leg->pass[0].ninsn <= n)
        return false;
    return leg_insn(in->legs, leg, n, out);
}

/* It is what was walked last. */
static void note_insn(struct flow *f, const struct leg_insn *at,
                      const struct stretch *in)
{
    f->walk.cls = at->cls;
    f->walk.ilen = at->len;
    f->walk.bytes = in->code->bytes + in->legs->off + at->at;
}

static uint64_t leads_to(const struct leg_insn *at, const struct stretch *in)
{
    const uint64_t to = at->direct ? in->start + at->to : 0;

    return ild_is_64(in->mode) ? to : (uint32_t)to;
}

static void count(struct flow *f, uint64_t n)
{
    f->walk.ninsn += n;
    f->in.s.clk.insns += n;
    f->told.sample_insns += n;
}

/* It has begun with the n-th instruction of the leg at hand, and the leg will be passed as a whole. */
static void period_next(struct flow *f, uint64_t n)
{
    if (f->conf.period_type == PERIOD_INSNS)
        f->walk.period_insns = 0 - n;
    else
        period_tick(f);
}

bool sample_tell(struct flow *f, const struct leg_insn *at, const struct stretch *in,
                 uint64_t n)
{
    note_insn(f, at, in);
    count(f, n);
    period_next(f, n);
    f->out.ev.what = sample_what(at);
    if (at->behind) /* a direct branch, which was an event of its own */
        f->out.ev.flags = 0;
    f->out.ev.flags |= f->in.s.tx & EVF_IN_TX;
    note_branch(f, in->start + at->at, leads_to(at, in));
    bool more = event_end(f);
    event_begin(f);
    count(f, 0 - n);
    return more;
}

struct plain_branch sample_insn(struct flow *f, const struct leg_insn *at,
                                const struct stretch *in, uint64_t insns)
{
    note_insn(f, at, in);
    return (struct plain_branch){
        .from = in->start + at->at,
        .to = leads_to(at, in),
        .ninsn = f->walk.ninsn + insns,
        .cls = at->cls,
        .ilen = at->len,
    };
}

void sample_put(struct flow *f, struct quiet_walk *w, const struct plain_branch *at,
                uint32_t what, const struct tell_time *when)
{
    const struct plain_form form = tell_form(f, w, when);
    struct pt_event *ev = plain_room(f, 1);

    if (!ev)
        return;
    plain_told(f, plain_put(f, ev, &form, at));
    ev->what = what;
    if (!form.counted)
        (void)event_more(f, ev, at->ninsn, form.ncyc);
}
