/* epoch.c - how far the side-band is in effect, and whom a flow follows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/epoch.h"

#include "walker/flow/gaps.h"

struct sb_who flow_who(const struct flow *f, uint32_t epoch)
{
    if (f->conf.switch_to)
        return sb_who_is(f->sb, f->queue.cpu, f->told.sw.tid, epoch);
    return sb_who(f->sb, f->queue.cpu, f->queue.tid, f->queue.use_current, epoch);
}

/* Another epoch may mean other maps, and another thread on the CPU. */
void enter_epoch(struct flow *f, uint32_t epoch)
{
    struct told_state *t = &f->told;

    t->epoch = epoch;
    t->branch_due = true;
    stretch_forget(f);
    if (epoch >= t->who.until)
        t->who = flow_who(f, epoch);
    t->next_epoch_tsc =
        epoch < sb_epoch_count(f->sb) ? sb_epoch_tsc(f->sb, epoch) : UINT64_MAX;
}

void flow_tell_thread(struct flow *f, uint32_t what, int32_t tid)
{
    struct pt_event *ev = VEC_PUSH(&f->out.held.events);

    if (ev)
        *ev =
            (struct pt_event){.what = what, .from = (uint32_t)tid, .tsc = f->told.tsc};
    else
        f->out.no_memory = true;
}

void flow_tell_time(struct flow *f)
{
    struct pt_event *ev = VEC_PUSH(&f->out.held.events);

    if (ev)
        *ev = (struct pt_event){.tsc = f->told.tsc};
    else
        f->out.no_memory = true;
    f->told.told_tsc = f->told.tsc;
    gap_told(f);
}
