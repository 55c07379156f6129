/* maker_line.c - the samples of events that follow each other and are of the common kinds.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all events are branches or instructions and nothing else.  Their samples are what
 * maker_event.c makes of them; but what many have in common is worked out once, and of a call
 * trace half of them only move a stack: no sample is begun for those.
 */
#include "synth/sample/branch_flags.h"
#include "synth/sample/event_flags.h"
#include "synth/sample/maker_queue.h"

#include <string.h>

/* What does not change from one event to the next. */
struct in_line {
    struct maker *m;
    struct maker_queue *q;
    const struct line_plan *plan;
    const struct event_batch *batch;
    struct chain_stack *top;  /* that of key, or NULL */
    struct chain_stack *last; /* the same where only last branches are kept */
    struct chain_key key;
    bool whole; /* an instruction that has no bytes is not for here */
    enum delivered delivered;
    uint64_t hidden;       /* samples that were kept back */
    uint64_t judged;       /* a time, */
    bool skipped;          /* ... and whether it is none that is asked for */
    struct sample *form;   /* of the queue */
    struct series *series; /* what is added to; NULL: none yet */
    uint64_t until;        /* of the line */
};

static void plan_line(struct maker *m)
{
    const struct plan *p = m->plan;
    const bool stacks = p->stack.any;
    const uint32_t *event = p->made.event;

    m->line = (struct line_plan){
        .chains = stacks ? &m->to->stacks.chains : NULL,
        .branch = event[MADE_BRANCHES],
        .insn = stacks || !(m->rare & EV_INSN) ? EVL_NONE : event[MADE_INSTRUCTIONS],
        .filter = p->branch_filter,
        .skips = p->opt.itrace.skip,
        .timeless = p->decode.timeless,
        .untimed_skipped = time_skips(&p->sel.time, UINT64_MAX),
    };
    m->line.only_insns = m->line.branch == EVL_NONE && !stacks;
}

void maker_line_init(struct maker *m)
{
    const struct decode_plan *d = &m->plan->decode;
    const bool interrupts = d->cap_event_trace;

    m->ns = d->timeless ? 0 : tsc_to_ns(0, &d->clock);
    plan_line(m);

    for (unsigned i = 0; i < MAKER_CLASSES; i++) {
        struct pt_event ev = {.from = 1, .to = 1, .what = EV_BRANCH, .cls = (uint8_t)i};
        m->flags_of[0][i] = event_flags(&ev, interrupts);
        ev.flags = EVF_TO_IF;
        m->flags_of[1][i] = event_flags(&ev, interrupts);
    }
}

enum { EVF_ODD = EVF_TX_ABORT | EVF_ASYNC | EVF_IN_TX | EVF_FROM_NR | EVF_TO_NR };

/* From one place to another, in the host; an instruction leads nowhere. */
static inline bool is_common(const struct pt_event *ev)
{
    return ev->from && !(ev->flags & EVF_ODD);
}

/* The trace begins there, in the host. */
static inline bool is_begin(const struct pt_event *ev)
{
    return !ev->from && ev->to && !(ev->flags & EVF_ODD);
}

/* It ends or begins there, the latter in user code: a sample that comes from nowhere is of that. */
static inline bool is_edge(const struct pt_event *ev)
{
    const uint32_t edges = EV_TRACE_BEGIN | EV_TRACE_END;

    return (ev->what & ~edges) == EV_BRANCH &&
           (is_begin(ev) ? !in_kernel(ev->to)
                         : is_common(ev) && ev->what & EV_TRACE_END);
}

/* The last of the times of an event. */
static inline uint64_t last_time(const struct pt_event *ev)
{
    return ev->what ? ev->tsc : ev->times[ev->later];
}

static inline uint64_t time_of(struct in_line *l, uint64_t tsc)
{
    struct maker *m = l->m;

    if (tsc != m->tsc) {
        m->tsc = tsc;
        m->ns = l->plan->timeless ? 0 : tsc_to_ns(tsc, &m->plan->decode.clock);
    }
    return m->ns;
}

/* Whether a filter keeps the sample back. */
static inline bool is_hidden(struct in_line *l, const struct pt_event *ev)
{
    if (l->delivered != DELIVERED_IN_TIME)
        return l->delivered == DELIVERED_NONE;
    const uint64_t ns = l->form->untimed ? UINT64_MAX : time_of(l, ev->tsc);
    if (ns != l->judged) {
        l->judged = ns;
        l->skipped = time_skips(&l->m->plan->sel.time, ns);
    }
    return l->skipped;
}

/* Behind the last one of the batch; NULL: no memory. */
static inline struct sample *fill(struct in_line *l, const struct pt_event *ev,
                                  uint32_t flags)
{
    struct sample *s = batch_room(&l->m->to->batch);

    if (!s)
        return NULL;
    *s = *l->form;
    s->ip = ev->from;
    s->addr = ev->to;
    s->time = time_of(l, ev->tsc);
    s->flags = flags;
    s->cpumode = mode_at_addr(ev->from, false);
    s->insn_len = ev->ilen;
    const uint8_t *bytes = batch_insn(l->batch, ev);
    if (bytes)
        memcpy(s->insn, bytes, sizeof(s->insn));
    return s;
}

/* Into the batch as a brief, behind those that it is like. */
static inline pts_status add_brief(struct in_line *l, const struct pt_event *ev,
                                   uint32_t flags, uint32_t depth)
{
    struct series *s = l->series;

    l->m->samples++;
    if (is_hidden(l, ev)) {
        l->hidden++;
        return PTS_OK;
    }
    if (!s || s->form.event != l->form->event || s->form.period != l->form->period)
        s = l->series = batch_series(&l->m->to->batch, l->form);
    struct brief *b = s ? batch_brief(&l->m->to->batch, s) : NULL;
    if (!b)
        return PTS_E_NOMEM;
    b->ip = ev->from;
    b->addr = ev->to;
    b->time = time_of(l, ev->tsc);
    b->flags = flags;
    b->depth = depth;
    b->insn_len = ev->ilen;
    const uint8_t *bytes = batch_insn(l->batch, ev);
    if (bytes)
        memcpy(b->insn, bytes, sizeof(b->insn));
    else
        memset(b->insn, 0, sizeof(b->insn));
    return PTS_OK;
}

static inline struct chain_branch chain_branch_of(const struct pt_event *ev,
                                                  uint32_t flags)
{
    return (struct chain_branch){.from = ev->from,
                                 .to = ev->to,
                                 .flags = flags,
                                 .trace_nr = ev->trace_nr,
                                 .len = ev->ilen};
}

/* Whether branches are added to the series at hand. */
static inline bool in_branches(const struct in_line *l)
{
    return l->series && l->series->form.event == l->plan->branch &&
           l->series->form.period == 1;
}

/* Room for more branches, of the series at hand or of one that begins with them. */
static struct briefs briefs_of(const struct in_line *l)
{
    struct batch *b = &l->m->to->batch;

    if (in_branches(l))
        return batch_briefs(b);
    return l->m->to->series && l->plan->branch != EVL_NONE ? batch_briefs_apart(b)
                                                           : (struct briefs){0};
}

/* So many were filled in there. */
static void briefs_took(struct in_line *l, uint32_t count)
{
    struct batch *b = &l->m->to->batch;

    if (!in_branches(l)) {
        l->form->event = l->plan->branch;
        l->form->period = 1;
        l->series = batch_series(b, l->form); /* there is room for it */
    }
    batch_took(b, l->series, count);
}

/* One that no chain_step is needed for, as it ends or begins no trace and is in no transaction.  False: nothing
 * was done. */
static inline bool note_last(const struct in_line *l, const struct pt_event *ev)
{
    const struct chains *c = l->plan->chains;
    const struct pts_branch b = {ev->from, ev->to, c->mispredicted ? BRF_MISPRED : 0};

    if (l->last->trace_nr != ev->trace_nr)
        return false;
    (void)lbr_push(&l->last->last, c->last_branches, &b); /* the ring is there */
    return true;
}

/* Branches that are plain and move no more than the top of the stack, which nearly all do.  Returns
 * the first event that is still to be put. */
static const struct pt_event *put_plain(struct in_line *l, const struct pt_event *ev,
                                        const struct pt_event *end)
{
    const struct briefs room = briefs_of(l);
    const uint32_t filter = l->plan->filter ? l->plan->filter : UINT32_MAX;
    const uint64_t until = l->until;
    struct chain_stack *top = l->top;
    /* Where cycles are counted they are so of samples that are kept back, too. */
    const bool none = l->delivered == DELIVERED_NONE && l->plan->branch != EVL_NONE &&
                      l->m->to->series;
    struct brief *at = room.at;
    uint64_t hidden = 0;

    if (l->plan->skips || (l->plan->chains && !top && !l->last))
        return ev;
    for (; ev < end && (at < room.end || none); ev++) {
        if (!ev->what && last_time(ev) < until)
            continue;
        if (ev->what != EV_BRANCH || !is_common(ev) || !ev->to || ev->tsc >= until ||
            (l->whole && !ev->ilen))
            break;
        const uint32_t flags =
            l->m->flags_of[(ev->flags & EVF_TO_IF) != 0][ev->cls % MAKER_CLASSES];
        if (top) {
            const struct chain_branch b = chain_branch_of(ev, flags);
            if (!chain_move(top, &b))
                break;
        } else if (l->last && !note_last(l, ev)) {
            break;
        }
        if (!(filter & flags))
            continue;
        if (is_hidden(l, ev)) {
            hidden++;
            continue;
        }
        const bool returns = flags & PTS_FLAG_RETURN;
        *at = (struct brief){.ip = ev->from,
                             .addr = ev->to,
                             .time = time_of(l, ev->tsc),
                             .flags = flags,
                             .depth = top ? (uint32_t)top->call.len + returns
                                          : l->last && returns,
                             .insn_len = ev->ilen};
        const uint8_t *bytes = batch_insn(l->batch, ev);
        if (bytes)
            memcpy(at->insn, bytes, sizeof(at->insn));
        at++;
    }
    l->m->samples += (uint64_t)(at - room.at) + hidden;
    l->hidden += hidden;
    if (at > room.at)
        briefs_took(l, (uint32_t)(at - room.at));
    return ev;
}

/* The same where nobody wants branches for themselves, and of begins of the trace. */
static const struct pt_event *put_stack(const struct in_line *l,
                                        const struct pt_event *ev,
                                        const struct pt_event *end)
{
    struct chain_stack *top = l->top;

    if (!top || l->plan->branch != EVL_NONE)
        return ev;
    for (; ev < end && ev->what == EV_BRANCH && ev->to && ev->tsc < l->until; ev++) {
        if (is_begin(ev) && top->trace_nr == ev->trace_nr) {
            chain_begin(top, ev->to);
            continue;
        }
        const uint32_t flags = l->m->flags_of[0][ev->cls % MAKER_CLASSES];
        const struct chain_branch b = chain_branch_of(ev, flags);
        if (!is_common(ev) || !chain_move(top, &b))
            break;
    }
    return ev;
}

static inline void add(struct in_line *l, const struct pt_event *ev)
{
    l->m->samples++;
    if (is_hidden(l, ev))
        l->hidden++;
    else
        batch_add(&l->m->to->batch);
}

/* It may have moved, or is there now. */
static inline void stack_look(struct in_line *l)
{
    struct chains *c = l->plan->chains;

    l->top = c ? chain_top(c, l->key) : NULL;
    l->last = c && !c->calls && c->last_branches ? chain_last(c, l->key) : NULL;
}

/* *depth: that of the stack, corrected for returns. */
static inline pts_status step(struct in_line *l, const struct pt_event *ev,
                              uint32_t flags, uint32_t *depth)
{
    const struct chain_branch b = chain_branch_of(ev, flags);
    const bool returns = flags & PTS_FLAG_RETURN,
               edge = flags & (PTS_FLAG_TRACE_BEGIN | PTS_FLAG_TRACE_END);
    pts_status st = PTS_OK;

    if (l->top && !edge && chain_move(l->top, &b)) {
        *depth = (uint32_t)l->top->call.len + returns;
        return PTS_OK;
    }
    st = chain_step(l->plan->chains, l->key, &b);
    *depth = (uint32_t)chain_depth(l->plan->chains, l->key);
    *depth += returns && chain_is_live(l->plan->chains, l->key);
    stack_look(l);
    return st;
}

static inline pts_status put_flagged(struct in_line *l, const struct pt_event *ev,
                                     uint32_t flags)
{
    uint32_t depth = 0;
    pts_status st = l->plan->chains ? step(l, ev, flags, &depth) : PTS_OK;
    if (st != PTS_OK || l->plan->branch == EVL_NONE ||
        (l->plan->filter && !(l->plan->filter & flags)) ||
        (l->plan->skips && maker_skips(l->m)))
        return st;
    if (l->m->to->series) {
        l->form->event = l->plan->branch;
        l->form->period = 1;
        return add_brief(l, ev, flags, depth);
    }
    struct sample *s = fill(l, ev, flags);
    if (!s)
        return PTS_E_NOMEM;
    s->event = l->plan->branch;
    s->period = 1;
    s->depth = depth;
    s->trace_nr = ev->trace_nr;
    maker_count_ipc(l->m, &(struct maker_at){l->batch, ev}, s, &l->q->branch_insns,
                    &l->q->branch_cycles);
    add(l, ev);
    return PTS_OK;
}

/* The three below: PTS_END, it is not for here. */
static inline pts_status put_branch(struct in_line *l, const struct pt_event *ev)
{
    const uint32_t flags =
        l->m->flags_of[(ev->flags & EVF_TO_IF) != 0][ev->cls % MAKER_CLASSES];

    return ev->to && (!l->whole || ev->ilen) ? put_flagged(l, ev, flags) : PTS_END;
}

static __attribute__((noinline)) pts_status put_edge(struct in_line *l,
                                                     const struct pt_event *ev)
{
    const uint32_t flags = event_flags(ev, l->m->plan->decode.cap_event_trace);

    return !l->whole || ev->ilen ? put_flagged(l, ev, flags) : PTS_END;
}

static inline pts_status put_insn(struct in_line *l, const struct pt_event *ev)
{
    if (l->plan->insn == EVL_NONE || (l->whole && !ev->ilen))
        return PTS_END;
    if (l->plan->skips && maker_skips(l->m))
        return PTS_OK;
    const uint32_t flags =
        l->m->flags_of[(ev->flags & EVF_TO_IF) != 0][ev->cls % MAKER_CLASSES];
    if (l->m->to->series) {
        l->form->event = l->plan->insn;
        l->form->period = maker_period(l->m, l->q, batch_ninsn(l->batch, ev));
        return add_brief(l, ev, flags, 0);
    }
    struct sample *s = fill(l, ev, flags);
    if (!s)
        return PTS_E_NOMEM;
    s->event = l->plan->insn;
    maker_count_insn(l->m, l->q, &(struct maker_at){l->batch, ev}, s);
    add(l, ev);
    return PTS_OK;
}

/* PTS_END: it is not for here.  One that only tells a time is passed over. */
static inline pts_status put(struct in_line *l, const struct pt_event *ev)
{
    if (!ev->what)
        return last_time(ev) < l->until ? PTS_OK : PTS_END;
    if (ev->what == EV_BRANCH && is_common(ev))
        return put_branch(l, ev);
    if (is_edge(ev) && !(ev->what & l->m->rare))
        return put_edge(l, ev);
    if (!is_common(ev))
        return PTS_END;
    const bool insn = ev->what == EV_INSN || (l->plan->only_insns && ev->to &&
                                              ev->what == (EV_INSN | EV_BRANCH));
    return insn ? put_insn(l, ev) : PTS_END;
}

static bool is_plain_branch(const struct in_line *l, const struct pt_event *ev)
{
    return ev->what == EV_BRANCH && is_common(ev) && ev->to && (!l->whole || ev->ilen);
}

/* The branches in front of what is not one, where only last branches are kept: those that so
 * many others follow before anybody looks would be forgotten.  Returns the first event that is
 * still to be put. */
static const struct pt_event *put_last(struct in_line *l, const struct pt_event *ev,
                                       const struct pt_event *end, uint64_t until)
{
    const uint32_t kept =
        l->plan->chains && !l->plan->chains->calls ? l->plan->chains->last_branches : 0;
    const struct pt_event *behind = ev;
    size_t branches = 0;

    if (!kept || l->plan->branch != EVL_NONE)
        return ev;
    for (; behind < end && last_time(behind) < until; behind++) {
        if (behind->what && !is_plain_branch(l, behind))
            break;
        branches += behind->what != 0;
    }
    for (; branches > kept; ev++)
        branches -= ev->what != 0;
    while (l->last && ev < behind && (!ev->what || note_last(l, ev)))
        ev++;
    return ev;
}

/* The form of all samples of the queue is that of whoever it follows. */
static inline enum delivered for_whom(struct maker *m, struct maker_queue *q,
                                      const struct who *w)
{
    if (!q->formed || memcmp(&q->form.who, w, sizeof(*w)) != 0) {
        q->form.who = *w;
        q->formed = true;
        q->delivered = delivery_of(m->to, w);
    }
    return q->delivered;
}

/* (One by one: a literal is put together elsewhere, and copied.) */
static inline void line_begin(struct in_line *l, struct maker *m, struct maker_queue *q,
                              const struct maker_line *line, const struct whose *w)
{
    l->m = m;
    l->q = q;
    l->plan = &m->line;
    l->batch = line->batch;
    l->key = chain_key_of(&w->host);
    stack_look(l);
    l->whole = m->to->without_insn;
    l->form = &q->form;
    l->series = NULL;
    l->until = line->until;
    l->hidden = 0;
    l->judged = UINT64_MAX;
    l->skipped = m->line.untimed_skipped;
}

pts_status maker_line(struct maker *m, uint32_t queue, const struct maker_line *line,
                      const struct whose *w, uint32_t *done)
{
    struct maker_queue *q = maker_queue_at(m, queue);
    const struct pt_event *ev = line->at, *end = ev + line->count;
    pts_status st = PTS_OK;

    if (!q)
        return PTS_E_NOMEM;
    if (!m->plan->evl.ev.len || w->host.guest || (m->cbr && q->cbr != q->cbr_seen))
        return PTS_OK;
    struct in_line l;
    const uint64_t before = m->samples;
    l.delivered = for_whom(m, q, &w->host);
    if (l.delivered == DELIVERED_ONE_BY_ONE)
        return PTS_OK;
    line_begin(&l, m, q, line, w);
    ev = put_plain(&l, put_stack(&l, put_last(&l, ev, end, line->until), end), end);
    for (; ev < end && ev->tsc < line->until && !batch_full(&m->to->batch); ev++) {
        st = put(&l, ev);
        if (st != PTS_OK)
            break;
        ev = put_plain(&l, put_stack(&l, ev + 1, end), end) - 1;
    }
    m->to->hidden += l.hidden;
    m->to->passed += m->samples - before - l.hidden;
    *done = (uint32_t)(ev - line->at);
    return st == PTS_END ? PTS_OK : st;
}
