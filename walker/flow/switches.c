/* switches.c - threads that change where the kernel switches them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/switches.h"

#include "walker/flow/epoch.h"

void switches_init(struct flow *f)
{
    f->told.sw = (struct switch_state){
        .on = f->conf.switch_to != 0, .tid = -1, .next = -1, .told = -1};
}

static void thread_is(struct flow *f, int32_t tid)
{
    if (f->told.sw.tid == tid)
        return;
    f->told.sw.tid = tid;
    f->told.branch_due = true;
    const struct sb_who who = flow_who(f, f->told.epoch);
    flow_is(f, &who);
}

/* --- Records ---------------------------------------------------------------------- */

/* The thread that comes next is told. */
static void told_next(struct flow *f, int32_t tid)
{
    struct switch_state *s = &f->told.sw;

    s->next = -1;
    switch (s->phase) {
    case SWITCH_UNKNOWN:
    case SWITCH_TRACING:
        s->next = tid;
        s->phase = SWITCH_WAITS_FOR_BRANCH;
        return;
    case SWITCH_WAITS_FOR_RECORD:
        s->phase = SWITCH_TRACING;
        break;
    case SWITCH_NOT_TRACING:
    case SWITCH_WAITS_FOR_BRANCH:
        break;
    }
    thread_is(f, tid);
}

/* A thread says that it runs now. */
static void told_in(struct flow *f, int32_t tid)
{
    struct switch_state *s = &f->told.sw;

    s->next = -1;
    if (s->phase == SWITCH_WAITS_FOR_BRANCH || s->phase == SWITCH_WAITS_FOR_RECORD)
        s->phase = SWITCH_TRACING;
    thread_is(f, tid);
}

static void record_take(struct flow *f, const struct sb_switch *r)
{
    f->told.sw.at++;
    if (!f->told.sw.on || r->how == SB_SWITCH_SET)
        thread_is(f, r->tid);
    else if (r->how == SB_SWITCH_NEXT)
        told_next(f, r->tid);
    else
        told_in(f, r->tid);
}

/* The next record of the queue's CPU. */
static bool record_next(const struct flow *f, struct sb_switch *out)
{
    return sb_switch_at(f->sb, f->queue.cpu, f->told.sw.at, out);
}

/* Whoever shows the events has to know whose they are. */
static void tell_thread(struct flow *f, uint32_t what)
{
    struct switch_state *s = &f->told.sw;

    if (!switches_untold(f))
        return;
    s->told = s->tid;
    flow_tell_thread(f, what, s->tid);
}

void switches_before(struct flow *f)
{
    struct sb_switch r;
    uint32_t epoch;

    epoch = sb_epoch_at(f->sb, f->told.tsc);
    while (record_next(f, &r) && r.epoch <= epoch)
        record_take(f, &r);
    tell_thread(f, EV_THREAD);
}

/* --- The trace -------------------------------------------------------------------- */

/* A jump or call that was made, and not an interrupt. */
static bool plain_branch(const struct flow *f)
{
    const struct pt_event *ev = &f->out.ev;

    if (!(ev->what & EV_BRANCH) || ev->flags & (EVF_ASYNC | EVF_TX_ABORT))
        return false;
    if (!ev->from)
        return true;
    switch (f->walk.cls) {
    case INSN_CALL:
    case INSN_RET:
    case INSN_JMP:
    case INSN_SYSCALL:
    case INSN_SYSRET:
    case INSN_VMENTRY:
        return true;
    default:
        return false;
    }
}

static bool switches(const struct flow *f)
{
    return f->out.ev.to == f->conf.switch_to && plain_branch(f);
}

bool switches_unseen(const struct flow *f)
{
    const struct switch_state *s = &f->told.sw;

    return s->on && s->phase == SWITCH_UNKNOWN && s->next == -1 && switches(f);
}

/* The queue goes on at the time of the record that it waits for.  Without one perf decodes no
 * more of it, and says nothing; nor if the record is that of a thread that runs already. */
static void wait_for_record(struct flow *f)
{
    struct switch_state *s = &f->told.sw;
    struct sb_switch r = {.how = SB_SWITCH_SET};

    while (r.how == SB_SWITCH_SET && record_next(f, &r))
        record_take(f, &r);
    if (s->phase == SWITCH_WAITS_FOR_RECORD) {
        s->phase = SWITCH_TRACING;
        return;
    }
    if (f->told.tsc < sb_epoch_tsc(f->sb, r.epoch - 1))
        f->told.tsc = sb_epoch_tsc(f->sb, r.epoch - 1);
    flow_tell_time(f);
    enter_epoch(f, sb_epoch_at(f->sb, f->told.tsc));
}

static void branch_switches(struct flow *f)
{
    struct switch_state *s = &f->told.sw;

    if (s->phase == SWITCH_TRACING || s->phase == SWITCH_WAITS_FOR_RECORD) {
        s->phase = SWITCH_WAITS_FOR_RECORD;
        wait_for_record(f);
        return;
    }
    s->phase = SWITCH_TRACING;
    if (s->next != -1)
        thread_is(f, s->next);
    s->next = -1;
}

void switches_after(struct flow *f)
{
    const struct pt_event *ev = &f->out.ev;
    struct switch_state *s = &f->told.sw;

    if (!s->on || !(ev->what & EV_BRANCH))
        return;
    if (switches(f))
        branch_switches(f);
    else if (!ev->to)
        s->phase = SWITCH_NOT_TRACING;
    else if (s->phase == SWITCH_NOT_TRACING)
        s->phase = SWITCH_UNKNOWN;
    else if (s->phase == SWITCH_UNKNOWN && ev->to == f->conf.switch_hook &&
             f->walk.cls == INSN_CALL)
        s->phase = SWITCH_TRACING;
}

void switches_passed(struct flow *f)
{
    struct switch_state *s = &f->told.sw;

    if (!s->on)
        return;
    if (s->next != -1)
        thread_is(f, s->next);
    s->next = -1;
    s->phase = SWITCH_UNKNOWN;
}

void switches_error(struct flow *f, uint64_t from)
{
    struct switch_state *s = &f->told.sw;

    if (s->on && in_kernel(from)) {
        s->on = false;
        if (s->next != -1)
            thread_is(f, s->next);
        s->next = -1;
    }
    if (f->conf.switch_to && f->conf.want & EV_ERROR)
        tell_thread(f, EV_THREAD | EV_ERROR);
}
