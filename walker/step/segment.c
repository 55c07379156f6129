/* segment.c - a flow that begins, or ends, in the middle of its queue.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/emit.h"
#include "walker/flow/flow_state.h"

void flow_stop_at(struct flow *f, uint32_t buf, uint64_t off)
{
    f->end = (struct segment_end){.wanted = true, .buf = buf, .off = off};
}

static void carry_from(const struct flow *f, struct carry *out)
{
    *out = (struct carry){pt_where(&f->in), f->in.s, f->walk, f->told};
    if (out->walk.bytes == f->code.last)
        out->walk.bytes = NULL;
    out->told.from = f->out.ev.from;
    out->told.to = f->out.ev.to;
    out->told.flags = f->out.ev.flags;
}

bool flow_carry(const struct flow *f, struct carry *out)
{
    if (f->end.reached)
        carry_from(f, out);
    return f->end.reached;
}

void flow_mark(struct flow *f, struct marks *marks)
{
    f->marks = marks;
}

void flow_keep_mark(struct flow *f)
{
    if (pt_at_psb(&f->in, 0, 0))
        carry_from(f, marks_add(f->marks, f->in.st.pos));
}

/* What is looked up, maps and code, is not carried over: it is found again. */
void flow_resume(struct flow *f, const struct carry *from, const struct flow *before)
{
    pt_resume(&f->in, &from->at, &from->pt);
    f->walk = from->walk;
    f->told = from->told;
    event_begin(f);
    note_branch(f, from->told.from, from->told.to);
    f->out.ev.flags = from->told.flags;
    f->out.resumed = true;
    stretch_forget(f);
    /* Its stack begins empty where there may have been calls before: a return that
     * finds nothing is not a fault, but is noted (rets.missed). */
    f->code.rets.open = true;
    if (before)
        ret_copy(&f->code.rets, &before->code.rets);
}

void flow_use_rooms(struct flow *f, struct rooms *rooms)
{
    f->out.put_by.rooms = rooms;
    rooms_take(rooms, &f->out.held);
}

void flow_leave_rooms(struct flow *f)
{
    struct put_by *p = &f->out.put_by;

    if (!p->rooms)
        return;
    rooms_give(p->rooms, &f->out.held);
    while (p->at.len)
        rooms_give(p->rooms, &p->at.at[--p->at.len]);
    VEC_FREE(&p->at);
    *p = (struct put_by){0};
}

bool flow_missed(const struct flow *f)
{
    return f->code.rets.missed;
}

/* --- A beginning that nothing is known of -------------------------------------------- */

static bool goes_on(const struct flow_queue *q, uint32_t from, uint32_t to)
{
    while (from < to)
        if (!q->bufs[++from].consecutive)
            return false;
    return true;
}

pts_status flow_enter(struct flow *f, uint32_t buf, uint64_t off,
                      const struct flow_known *known)
{
    f->told.range = known->range;
    pt_enter(&f->in, buf, off);
    f->told.trace_nr = known->ranges && goes_on(&f->queue, known->buf, buf)
                           ? known->trace_nr
                           : f->in.trace_nr;
    return flow_start(f);
}

/* The event that was begun in front of the stop is the one that goes on. */
void flow_go_on(struct flow *f)
{
    events_clear(&f->out);
    f->out.ended = false;
    f->out.resumed = true;
    f->end = (struct segment_end){0};
    f->code.rets.open = true;
    stretch_forget(f);
}

/* No longer than that without anything to stop at: a damaged trace may have no end. */
enum { SEGMENT_MOST = 16 << 20 };

void flow_recalled_by(struct flow *f, const atomic_bool *recalled)
{
    f->out.recalled = recalled;
}

/* The batch goes to those before it, and the next one has room. */
static bool put_by(struct flow *f)
{
    struct put_by *p = &f->out.put_by;
    struct room *to = VEC_PUSH(&p->at);

    if (!to)
        return false;
    *to = f->out.held;
    p->events += (uint32_t)to->events.len;
    rooms_take(p->rooms, &f->out.held);
    return true;
}

/* Of a part: with those that belong together it stays below a power of two, to which room grows. */
enum { PART_EVENTS = 4000 };

/* Tells more, until there are `most` events. */
static bool flow_more(struct flow *f, size_t most)
{
    uint64_t end = flow_passed(f) + SEGMENT_MOST;
    struct event_batch b;

    do {
        f->out.kept = true;
        if (flow_next_some(f, PART_EVENTS, &b) < 0 || is_recalled(&f->out))
            return false;
        if (b.count >= PART_EVENTS && !put_by(f))
            return false;
    } while (!f->out.ended && flow_told_events(f) < most && flow_passed(f) < end);
    return true;
}

bool flow_to_stop(struct flow *f)
{
    uint64_t end = flow_passed(f) + SEGMENT_MOST;
    struct event_batch b;
    pts_status st = PTS_OK;

    while (st == PTS_OK && flow_passed(f) < end && !is_recalled(&f->out))
        st = flow_next(f, &b);
    return st == PTS_END && f->end.reached;
}

/* As far as it can be taken up from, and no further than as much again. */
static bool flow_to_psb(struct flow *f, size_t most)
{
    flow_stop_at(f, 0, 0);
    return flow_more(f, 2 * most) && f->out.ended;
}

bool flow_fill(struct flow *f, size_t most)
{
    if (!flow_more(f, most) || (!f->out.ended && !flow_to_psb(f, most)))
        return false;
    return !f->out.held.events.len || put_by(f);
}

static struct event_batch batch_in(const struct event_out *o, const struct room *r)
{
    return (struct event_batch){.at = r->events.at,
                                .count = (uint32_t)r->events.len,
                                .more = r->more.at,
                                .extra = r->extras.at,
                                .block = r->blocks.at,
                                .insn = r->insns.at,
                                .insns = o->more_insns,
                                .cycles = o->more_cycles};
}

struct event_batch flow_told(const struct flow *f)
{
    return batch_in(&f->out, &f->out.held);
}

struct event_batch flow_told_part(const struct flow *f, size_t i)
{
    const struct put_by *p = &f->out.put_by;

    return i < p->at.len ? batch_in(&f->out, &p->at.at[i]) : (struct event_batch){0};
}

uint32_t flow_told_events(const struct flow *f)
{
    return f->out.put_by.events + (uint32_t)f->out.held.events.len;
}

bool flow_told_errors(const struct flow *f)
{
    return f->out.errors;
}

bool flow_counts_cycles(const struct flow *f)
{
    return f->in.s.clk.have_cyc;
}

bool flow_knows_callers(const struct flow *f)
{
    return !f->code.rets.open && !f->code.rets.missed;
}

void flow_counted(struct flow *f, const struct carry *guess, const struct carry *truth,
                  struct carry *end)
{
    f->out.more_insns = truth->walk.ninsn - guess->walk.ninsn;
    f->out.more_cycles = truth->pt.clk.cycles - guess->pt.clk.cycles;
    if (end)
        carry_counted(guess, truth, end);
}
