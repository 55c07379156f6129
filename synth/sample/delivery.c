/* delivery.c - a sample's last steps: is it wanted, how did execution get there.
 *
 * SPDX-License-Identifier: MIT
 *
 * Filters come first: most samples do not pass them when there are any, and stacks cost
 * most.  A sample that they keep is in the batch only for the dump, which says that it
 * was there, and only if it is in the selected time, for which perf looks before it
 * dumps.
 */
#include "synth/sample/delivery.h"

#include <ptscript/sample.h>

pts_status delivery_init(struct delivery *d, const struct plan *plan,
                         const struct lookup *look)
{
    d->plan = plan;
    d->plain = !plan->filtering && !plan->opt.dlfilter && !plan->opt.debug_mode;
    on_off_init(&d->on_off, plan);
    stacks_init(&d->stacks, plan);
    d->stitch.depth = plan->stitch_depth;
    return filter_init(&d->filter, plan, &d->stacks.chains, look);
}

void delivery_free(struct delivery *d)
{
    filter_free(&d->filter);
    stacks_free(&d->stacks);
    stitch_free(&d->stitch);
    batch_free(&d->batch);
}

/* Whether those who are asked for it let a sample pass, in perf's order: the times, the
 * order of times, all else. */
static bool passes(struct delivery *d, const struct sample *s)
{
    if (d->plan->opt.debug_mode) {
        if (!time_skips(&d->plan->sel.time, sample_when(s)))
            in_order_look(&d->in_order, d->plan, sample_when(s));
        return false;
    }
    return !d->plan->filtering ||
           (filter_passes(&d->filter, s) && on_off_passes(&d->on_off, s));
}

enum delivered delivery_of(const struct delivery *d, const struct who *w)
{
    const struct plan *p = d->plan;
    const struct select *s = &p->sel;

    if (d->plain)
        return DELIVERED_ALL;
    if (!p->filtering || p->opt.dlfilter || p->opt.debug_mode || d->hidden_too)
        return DELIVERED_ONE_BY_ONE;
    if (!filter_lets(&d->filter, w))
        return DELIVERED_NONE;
    if (select_places(s) || s->graph || s->switch_on != EVL_NONE ||
        s->switch_off != EVL_NONE)
        return DELIVERED_ONE_BY_ONE;
    return s->time.r.len ? DELIVERED_IN_TIME : DELIVERED_ALL;
}

/* Whether the dump says that a hidden sample was there. */
static bool is_mentioned(const struct delivery *d, const struct sample *s)
{
    const struct plan *p = d->plan;
    bool in = p->opt.dump_cpus ? !time_skips(&p->sel.time, sample_when(s))
                               : filter_in_time(p, s);

    return d->hidden_too && in && !p->opt.debug_mode;
}

static void set_depth(struct delivery *d, struct sample *s)
{
    const struct chains *c = &d->stacks.chains;
    struct chain_key key = chain_key_of(&s->who);

    if (s->who.guest) /* perf asks for the guest's thread, which has no stack */
        return;
    s->depth = (uint32_t)chain_depth(c, key);
    s->depth += s->flags & PTS_FLAG_RETURN && chain_is_live(c, key);
}

/* Of those that are shown perf joins the chains. */
static pts_status join(struct delivery *d, struct sample *s, enum sample_kind kind)
{
    return d->stitch.depth && kind == SAMPLE_RECORDED && !s->hidden &&
                   plan_wants(d->plan, s->event) & WANT_CHAINS
               ? stitch_sample(&d->stitch, s)
               : PTS_OK;
}

static pts_status set_stacks(struct delivery *d, struct sample *s,
                             enum sample_kind kind)
{
    switch (kind) {
    case SAMPLE_BRANCH:
    case SAMPLE_PEBS:
        return PTS_OK;
    case SAMPLE_MADE:
        return d->plan->stack.any ? stacks_of_made(&d->stacks, s, &d->batch) : PTS_OK;
    case SAMPLE_RECORDED:
        return d->plan->stack.any && d->plan->has_trace
                   ? stacks_of_recorded(&d->stacks, s, &d->batch)
                   : stacks_keep(s, &d->batch);
    }
    return PTS_OK;
}

/* Nobody asked for guests: perf drops them where it shows samples. */
static bool is_unasked(const struct delivery *d, const struct sample *s)
{
    return plan_leaves_out(d->plan, s->cpumode) && !d->plan->opt.unseen;
}

/* The same with a gate in front and one behind the filters.  It may put text into the
 * batch, so the sample is taken out of there, and put back behind that. */
static pts_status deliver_gated(struct delivery *d, const struct sample *from,
                                enum sample_kind kind)
{
    const struct gate *g = &d->gate;
    struct sample own = *from;
    const bool guest = is_unasked(d, &own);

    if (d->plan->stack.any)
        set_depth(d, &own);
    pts_status st = set_stacks(d, &own, kind);
    if (st == PTS_OK)
        st = g->early(g->ctx, &own, &d->batch);
    if (st < 0)
        return st;
    own.hidden = st == PTS_END;
    d->guests += guest && !own.hidden;
    own.hidden |=
        (guest && !d->plan->opt.guests_come) || (!own.hidden && !passes(d, &own));
    if (!own.hidden) {
        if (d->without_insn && !own.insn_len)
            d->without_insn(d->ctx, &own);
        st = g->late(g->ctx, &own, &d->batch);
        own.hidden = st == PTS_END;
        if (st == PTS_OK && d->stitch.depth) {
            st = join(d, &own, kind);
            if (st == PTS_OK)
                st = stacks_keep(&own, &d->batch);
        }
    }
    if (st < 0)
        return st;
    d->passed += !own.hidden;
    d->hidden += own.hidden;
    if (own.hidden && !is_mentioned(d, &own))
        return PTS_OK;
    struct sample *room = batch_room(&d->batch);
    if (!room)
        return PTS_E_NOMEM;
    *room = own;
    batch_add(&d->batch);
    return PTS_OK;
}

pts_status deliver(struct delivery *d, struct sample *s, enum sample_kind kind)
{
    if (d->gate.ctx)
        return deliver_gated(d, s, kind);
    const bool guest = is_unasked(d, s);

    d->guests += guest;
    s->hidden = (guest && !d->plan->opt.guests_come) || !passes(d, s);
    d->passed += !s->hidden;
    d->hidden += s->hidden;
    if (s->hidden && !is_mentioned(d, s))
        return PTS_OK;
    if (d->without_insn && !s->insn_len && !s->hidden)
        d->without_insn(d->ctx, s);
    if (d->plan->stack.any)
        set_depth(d, s);
    pts_status st = join(d, s, kind);
    if (st == PTS_OK)
        st = set_stacks(d, s, kind);
    if (st == PTS_OK)
        batch_add(&d->batch);
    return st;
}
