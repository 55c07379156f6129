/* relay_segment.c - a segment of a queue, followed ahead of its turn.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/relay/relay_segment.h"

#include <string.h>

enum { SEGMENT_EVENTS = 200000 }; /* told at once, at most */

/* --- Following it ------------------------------------------------------------------ */

static struct code *code_asked(void *ctx, const struct sb_dso *dso)
{
    struct segment *s = ctx;
    uint32_t number = sb_dso_number(s->conf->sb, dso);

    if (number < s->dsos && !s->is_asked[number]) {
        struct asked_dso *new = VEC_PUSH(&s->asked);
        if (new)
            new->dso = dso;
        s->is_asked[number] = 1;
    }
    return s->images->code(s->images->ctx, dso);
}

static void asked_clear(struct segment *s)
{
    memset(s->is_asked, 0, s->dsos);
    s->asked.len = 0;
}

static pts_status segment_flow(struct segment *s, struct flow_config conf,
                               struct flow **out)
{
    const struct flow_images images = {code_asked, s};
    struct flow_queue queue = s->conf->queue;

    conf.pause = 1 << 20;
    queue.missing = s->missing;
    pts_status st = flow_new(&conf, &queue, s->conf->sb, &images, out);
    if (st >= 0)
        flow_recalled_by(*out, &s->task.recalled);
    return st;
}

/* From the PSB before it; what is told on the way is nobody's. */
static bool guess(struct segment *s, struct flow *f)
{
    flow_until(f, UINT64_MAX);
    if (flow_enter(f, s->from.enter.buf, s->from.enter.off, &s->known) != PTS_OK)
        return false;
    flow_stop_at(f, s->from.begin.buf, s->from.begin.off);
    return flow_to_stop(f) && flow_carry(f, &s->guess);
}

/* Branches need not be told on the way, which takes three times as long; but the last of them, those that
 * do not cancel out and samples count from there. */
static bool can_guess_quietly(const struct flow_config *c)
{
    return c->want & EV_BRANCH && !(c->want & EV_INSN) && !c->quick && !c->net_calls &&
           !c->last_branches;
}

static bool guess_quietly(struct segment *s)
{
    struct flow_config conf = *s->conf->flow;
    struct flow *f;

    conf.want &= ~(uint32_t)(EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END);
    if (segment_flow(s, conf, &f) < 0)
        return false;
    const bool guessed = guess(s, f);
    if (guessed) {
        carry_as_told(&s->guess);
        flow_resume(s->flow, &s->guess, NULL);
    }
    flow_free(f);
    return guessed;
}

static bool guess_and_go_on(struct segment *s)
{
    if (!guess(s, s->flow))
        return false;
    flow_go_on(s->flow);
    return true;
}

/* What it tells can be put in order, whenever others come in between. */
static bool is_alone(const struct segment *s)
{
    return s->all_times || !s->conf->flow->want_times;
}

static bool begin(struct segment *s)
{
    if (s->before) {
        flow_resume(s->flow, &s->guess, s->before);
        return true;
    }
    if (s->starts)
        return flow_start(s->flow) == PTS_OK;
    if (!(can_guess_quietly(s->conf->flow) ? guess_quietly(s) : guess_and_go_on(s)))
        return false;
    asked_clear(s); /* it is asked for again */
    return true;
}

static void follow(struct segment *s)
{
    if (!begin(s))
        return;
    memcpy(s->missing_before, s->missing, s->dsos);
    flow_mark(s->flow, s->marks);
    if (s->all_times)
        flow_until(s->flow, 0);
    else if (s->conf->flow->want_times)
        flow_tell_gaps(s->flow);
    if (s->to.any)
        flow_stop_at(s->flow, s->to.begin.buf, s->to.begin.off);
    s->guessed = flow_fill(s->flow, SEGMENT_EVENTS);
    /* An error does not wait for its turn, so where it stands among the events of other queues
     * depends on each time before it. */
    s->guessed &= is_alone(s) || !flow_told_errors(s->flow);
    s->carries = flow_carry(s->flow, &s->last);
}

void segment_follow(struct crew_task *task, uint32_t who)
{
    struct segment *s = (struct segment *)task;

    s->images = &s->conf->team->images[who];
    if (segment_flow(s, *s->conf->flow, &s->flow) < 0)
        return;
    flow_use_rooms(s->flow, s->conf->team->rooms);
    follow(s);
}

struct flow *segment_leave(struct segment *s)
{
    struct flow *f = s->flow;

    if (!f)
        return NULL;
    flow_recalled_by(f, NULL);
    flow_leave_rooms(f);
    s->flow = NULL;
    return f;
}

void segment_clear(struct segment *s)
{
    flow_free(segment_leave(s));
    s->before = NULL;
    s->starts = false;
    s->guessed = s->carries = false;
    s->piece = 0;
    s->told = (struct told_part){0};
    if (s->marks)
        marks_clear(s->marks);
    asked_clear(s);
    VEC_FREE(&s->asked);
}

/* --- Whether it is true ------------------------------------------------------------ */

/* How often it was told that files are missing decides what is told of them next. */
static bool missing_fits(const struct segment *s, const uint8_t *missing)
{
    for (uint32_t i = 0; i < s->dsos; i++) {
        if (s->missing[i] && missing[i] != s->missing_before[i])
            return false;
    }
    return true;
}

/* From where cycles are counted, a guess need not know as long as there are none (carry_fits): the first CYC, which a
 * damaged trace may have anywhere, makes a time of it. */
static bool cycles_fit(const struct segment *s, const struct carry *truth)
{
    const struct pt_clock *guess = &s->guess.pt.clk, *clk = &truth->pt.clk;

    return guess->have_cyc || !flow_counts_cycles(s->flow) ||
           (guess->cyc_base == clk->cyc_base && guess->cyc_count == clk->cyc_count);
}

bool segment_is_true(const struct segment *s, const struct carry *truth,
                     const uint8_t *missing, const struct carry_use *use)
{
    if (segment_knows(s))
        return s->guessed;
    return s->guessed && flow_knows_callers(s->flow) && missing_fits(s, missing) &&
           carry_fits(&s->guess, truth, use) && cycles_fit(s, truth);
}

void segment_counted(struct segment *s, const struct carry *truth)
{
    if (!segment_knows(s))
        flow_counted(s->flow, &s->guess, truth, s->carries ? &s->last : NULL);
}

void segment_marks(const struct segment *s, const struct carry *truth, struct marks *to)
{
    for (uint32_t i = 0; s->marks && i < marks_kept(s->marks); i++) {
        const struct carry *from = marks_from_last(s->marks, marks_kept(s->marks) - i);
        if (!mark_is_due(to, from->at.pos))
            continue;
        struct carry *c = marks_add(to, from->at.pos);
        *c = *from;
        if (!segment_knows(s))
            carry_counted(&s->guess, truth, c);
    }
}

/* --- Telling it -------------------------------------------------------------------- */

struct piece {
    uint32_t to; /* events of all */
    uint64_t begin,
        end; /* its first and last time; begin 0: it goes on from what was told */
};

/* What is left of the part that is being told. */
static struct event_batch part_left(const struct segment *s)
{
    struct event_batch b = flow_told_part(s->flow, s->told.part);

    b.at += s->told.at;
    b.count -= s->told.at;
    return b;
}

static bool piece_at(const struct segment *s, struct piece *out)
{
    const struct event_batch b = part_left(s);
    size_t count;
    const struct flow_gap *gap = flow_gaps(s->flow, &count);

    if (s->piece > count)
        return false;
    *out = (struct piece){.to = flow_told_events(s->flow), .end = flow_time(s->flow)};
    if (s->piece && b.count)
        out->begin = b.at->tsc;
    if (s->piece < count) {
        out->to = gap[s->piece].at;
        out->end = gap[s->piece].before;
    }
    return true;
}

/* As much of the piece as is in one part. */
static struct event_batch tell_part(struct segment *s)
{
    struct told_part *t = &s->told;
    struct event_batch b = part_left(s);
    const bool whole = b.count <= t->until - t->events;

    if (!whole)
        b.count = t->until - t->events;
    t->events += b.count;
    t->at = whole ? 0 : t->at + b.count;
    t->part += whole;
    return b;
}

static uint32_t say_more(const struct event_batch *b, uint32_t count)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++)
        n += b->at[i].what != 0;
    return n;
}

uint32_t segment_told(const struct segment *s)
{
    uint32_t told = 0;

    for (uint32_t i = 0; i < s->told.part; i++) {
        const struct event_batch b = flow_told_part(s->flow, i);
        told += say_more(&b, b.count);
    }
    if (s->told.at) {
        const struct event_batch b = flow_told_part(s->flow, s->told.part);
        told += say_more(&b, s->told.at);
    }
    return told;
}

pts_status segment_tell(struct segment *s, const struct relay_turn *turn,
                        struct pt_event *time, struct event_batch *out)
{
    const bool alone = is_alone(s);
    struct piece p;

    if (s->told.events < s->told.until) {
        *out = tell_part(s);
        return PTS_OK;
    }
    if (!piece_at(s, &p))
        return PTS_END;
    if (!alone && p.begin > turn->others) {
        *time = (struct pt_event){.tsc = p.begin};
        *out = (struct event_batch){.at = time, .count = 1};
        return PTS_OK;
    }
    if (!alone && p.end >= turn->others)
        return PTS_E_UNSUPPORTED;
    s->told.until = p.to;
    s->piece++;
    if (s->told.events < s->told.until)
        *out = tell_part(s);
    return PTS_OK;
}
