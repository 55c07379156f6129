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

static bool changes(const struct stretch *p)
{
    return p->end && p->code->patches;
}

/* Whether code is where it was: most records are about other threads, or about one of the same
 * process. */
static bool code_stays(const struct flow *f)
{
    const struct stretches *k = &f->code.known;

    if (f->walk.nr || changes(&f->code.at) ||
        !as_stays(f->code.view, f->told.who.thread, f->told.epoch))
        return false;
    for (uint32_t i = 0; i < k->count; i++)
        if (changes(&k->at[i]))
            return false;
    return true;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The next epoch at which anything is otherwise for the queue: most records are about others, and
 * each that stops the flow costs more than many packets. */
static uint32_t next_epoch(const struct flow *f, uint32_t shared_until)
{
    const struct told_state *t = &f->told;
    const struct flow_config *c = &f->conf;
    struct sb_switch r;

    if (c->range_count || c->guests)
        return t->epoch + 1;
    uint32_t next = lesser(sb_next_change(f->sb, t->epoch), t->who.until);
    next = lesser(next, shared_until);
    if (c->switch_to && sb_switch_at(f->sb, f->queue.cpu, t->sw.at, &r))
        next = lesser(next, r.epoch);
    return next;
}

/* Notes whether the thread is on another CPU, too; until which epoch it is, or is not. */
static uint32_t share(struct flow *f)
{
    struct told_state *t = &f->told;
    uint32_t until = UINT32_MAX;

    t->shared = f->conf.threads_shared &&
                (f->queue.tid == -1 || f->queue.use_current) &&
                sb_is_shared(f->sb, t->who.tid, t->epoch, &until);
    return until;
}

void flow_is(struct flow *f, const struct sb_who *who)
{
    last_told(f); /* of who it was */
    f->told.who = *who;
    if (!code_stays(f))
        stretch_forget(f);
    const uint32_t next = next_epoch(f, share(f));
    f->told.next_epoch_tsc =
        next <= sb_epoch_count(f->sb) ? sb_epoch_tsc(f->sb, next - 1) : UINT64_MAX;
}

/* Another epoch may mean other maps, and another thread on the CPU. */
void enter_epoch(struct flow *f, uint32_t epoch)
{
    struct told_state *t = &f->told;

    t->epoch = epoch;
    t->branch_due = true;
    const struct sb_who who = epoch >= t->who.until ? flow_who(f, epoch) : t->who;
    flow_is(f, &who);
}

void flow_tell_thread(struct flow *f, uint32_t what, int32_t tid)
{
    last_told(f);
    struct pt_event *ev = VEC_PUSH(&f->out.held.events);

    if (ev)
        *ev =
            (struct pt_event){.what = what, .from = (uint32_t)tid, .tsc = f->told.tsc};
    else
        f->out.no_memory = true;
}

/* The event before, if it has room for another time, which must not be before its others: the last one is looked
 * at for all.  Where gaps are told, one begins there. */
static struct pt_event *times_before(struct flow *f)
{
    const size_t n = f->out.held.events.len;
    struct pt_event *ev = n ? &f->out.held.events.at[n - 1] : NULL;

    if (!ev || f->gaps.wanted || ev->what || ev->later + 1 == EVENT_TIMES ||
        ev->times[ev->later] > f->told.tsc)
        return NULL;
    return ev;
}

void flow_tell_time(struct flow *f)
{
    struct pt_event *ev = times_before(f);

    if (ev)
        ev->times[++ev->later] = f->told.tsc;
    else if ((ev = VEC_PUSH(&f->out.held.events)))
        *ev = (struct pt_event){.tsc = f->told.tsc};
    else
        f->out.no_memory = true;
    f->told.told_tsc = f->told.tsc;
    gap_told(f);
}

bool flow_moved(struct flow *f, uint64_t now)
{
    struct told_state *t = &f->told;

    if (now > t->tsc)
        t->tsc = now;
    if (t->tsc < f->asked_tsc)
        return false;
    t->event_tsc = t->tsc;
    if (t->tsc == t->told_tsc)
        return true;
    flow_tell_time(f);
    f->out.ahead -= f->out.ahead > 0;
    return true;
}
