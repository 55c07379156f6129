/* relay.c - one queue, followed by several at once.
 *
 * SPDX-License-Identifier: MIT
 *
 *     relay_give   segments are given to the crew, in order (relay_give.c)
 *     go_on        own flow at its end: the next segment is looked at
 *     tell         it is true: told piece by piece, then it is what is taken on from
 *     follow_on    it is not, or others come in the middle of it: the own flow goes on
 *     follow_alone nobody follows ahead as long as no others come in between
 *
 * Where segments are chained, go_on_chained gives the next one when it looks at one.
 */
#include "walker/relay/relay.h"

#include "decoder/base/arena.h"
#include "walker/relay/relay_give.h"

#include <string.h>

enum {
    /* Of a segment: the first one of each queue where all are given at once.  Who tells waits for it, and it may turn
     * out to be of no use. */
    START_SHARE = 4,
    CROWDED = 8,  /* segments in which nobody came in between, until that is expected */
    LONE_MOST = 6 /* as long as nobody does, segments grow by so many powers of two */
};

/* --- Following by oneself ---------------------------------------------------------- */

/* From the truth to where a segment begins, or to the end. */
static pts_status follow_on(struct relay *r, const struct cut *to)
{
    struct flow_queue queue = r->conf.queue;
    struct flow *f;

    queue.missing = r->missing;
    pts_status st = flow_new(r->conf.flow, &queue, r->conf.sb, &r->conf.images, &f);
    if (st < 0)
        return st;
    flow_resume(f, r->truth, r->flow);
    if (to->any)
        flow_stop_at(f, to->begin.buf, to->begin.off);
    flow_mark(f, r->marks);
    flow_free(r->flow);
    r->flow = f;
    r->following = true;
    return PTS_OK;
}

/* Instead of what a segment told, or the rest of it. */
static pts_status follow_again(struct relay *r)
{
    const struct segment *s = relay_first_given(r);
    const struct cut to = s->to;

    r->skip = segment_told(s);
    relay_first_gone(r);
    relay_guess_less(r);
    return follow_on(r, r->count ? &to : &r->next);
}

/* Whether others come in between, where nobody follows ahead unless they do. */
static void crowd_met(struct relay *r)
{
    if (r->kind.crowds_only && r->among > r->alone) {
        r->crowded = CROWDED;
        r->lone = 0;
    }
    r->alone = r->among = 0;
}

static void flow_ends(struct relay *r)
{
    crowd_met(r);
    r->following = false;
    r->met |= flow_met(r->flow);
    r->ended = !flow_carry(r->flow, r->truth);
}

/* Leaves out what was told before. */
static void skip_told(struct relay *r, struct event_batch *b)
{
    while (r->skip && b->count) {
        r->skip -= b->at->what != 0;
        b->at++;
        b->count--;
    }
}

static pts_status follow(struct relay *r, const struct relay_turn *turn,
                         struct event_batch *out)
{
    flow_until(r->flow, turn->until);
    pts_status st = flow_next(r->flow, out);
    ++*(flow_time(r->flow) < turn->others ? &r->alone : &r->among);
    if (st == PTS_END)
        flow_ends(r);
    r->paused = st == PTS_OK && !out->count;
    if (st == PTS_OK && r->skip)
        skip_told(r, out);
    return st;
}

/* --- Telling what others followed -------------------------------------------------- */

/* The guess had told the time there, but the flow before it had not. */
static bool time_is_due(const struct told_state *guess, const struct told_state *truth)
{
    return guess->told_tsc == guess->event_tsc && truth->told_tsc != truth->event_tsc;
}

/* The segment is true. */
static struct event_batch tell_begins(struct relay *r, struct segment *s)
{
    struct told_state *t = &r->truth->told;
    bool due = !segment_knows(s) && time_is_due(&s->guess.told, t);

    relay_guess_more(r);
    r->telling = true;
    if (due)
        t->told_tsc = t->event_tsc;
    segment_counted(s, r->truth);
    if (r->marks)
        segment_marks(s, r->truth, r->marks);
    r->time = (struct pt_event){.tsc = t->event_tsc};
    return (struct event_batch){.at = &r->time, .count = due};
}

/* All of it is told: the queue is where the segment ends. */
static struct event_batch tell_ends(struct relay *r, struct segment *s)
{
    for (uint32_t i = 0; i < r->dsos; i++) {
        if (s->missing[i])
            r->missing[i] = s->missing[i];
    }
    for (size_t i = 0; i < s->asked.len; i++)
        (void)r->conf.images.code(r->conf.images.ctx, s->asked.at[i].dso);
    flow_free(r->flow);
    r->flow = segment_leave(s);
    r->met |= flow_met(r->flow);
    r->ended = !s->carries;
    *r->truth = s->last;
    if (!r->ended && mark_is_due(r->marks, r->truth->at.pos))
        *marks_add(r->marks, r->truth->at.pos) = *r->truth;
    const bool told = s->all_times || !r->conf.flow->want_times;
    relay_first_gone(r);
    r->paused = r->conf.flow->pause;
    if (told)
        return (struct event_batch){0};
    r->time = (struct pt_event){.tsc = flow_time(r->flow)};
    r->truth->told.told_tsc = r->time.tsc;
    return (struct event_batch){.at = &r->time, .count = 1};
}

/* Only a time was told, which others are far from. */
static bool waits_long(const struct relay *r, const struct relay_turn *turn,
                       const struct event_batch *out)
{
    return r->kind.large && out->at == &r->time &&
           r->time.tsc - turn->others >= r->conf.team->far;
}

/* What was told ahead is followed again, and what comes behind it then, too. */
static pts_status forget_ahead(struct relay *r)
{
    const struct segment *s = relay_first_given(r);
    const struct cut to = s->to;

    r->skip = segment_told(s);
    relay_all_gone(r);
    r->next = to;
    return follow_on(r, &to);
}

/* Whether others came in between in a segment that told all times. */
static void crowd_seen(struct relay *r, bool is_crowd)
{
    if (is_crowd)
        r->crowded = CROWDED;
    else if (r->crowded)
        r->crowded--;
}

static pts_status tell(struct relay *r, const struct relay_turn *turn,
                       struct event_batch *out)
{
    struct segment *s = relay_first_given(r);
    const bool begins = !s->piece;
    pts_status st = segment_tell(s, turn, &r->time, out);

    if (st == PTS_OK && waits_long(r, turn, out))
        return forget_ahead(r);

    if (st == PTS_E_UNSUPPORTED) {
        r->crowded = CROWDED;
        return relay_chains(r) ? forget_ahead(r) : follow_again(r);
    }
    if (st == PTS_OK && s->all_times && begins)
        crowd_seen(r, flow_time(s->flow) >= turn->others);
    if (st == PTS_END)
        *out = tell_ends(r, s);
    return PTS_OK;
}

/* To the next PSB: perhaps in selected times. */
static pts_status follow_to_range(struct relay *r)
{
    struct cut next = {.any = true, .begin = relay_truth_at(r)};

    next.begin.off++;
    relay_all_gone(r);
    return follow_on(r, &next);
}

/* A segment that is true, and the one behind it. */
static struct event_batch tell_chained(struct relay *r, struct segment *s)
{
    /* What is counted of one that began with a guess, too. */
    const struct event_batch b = tell_begins(r, s);

    if (s->carries)
        relay_give_known(r, &s->last, s->flow, s->missing);
    return b;
}

/* From a beginning that others follow: its own flow has only started. */
static pts_status go_on_started(struct relay *r, struct segment *s,
                                struct event_batch *out)
{
    crew_await(r->conf.team->crew, &s->task);
    r->following = r->conf.team->distrust || !s->guessed;
    if (r->following)
        relay_first_gone(r);
    else
        *out = tell_chained(r, s);
    return PTS_OK;
}

/* The same where segments are chained: one is on its way while the one before it is told. */
static pts_status go_on_chained(struct relay *r, struct event_batch *out)
{
    relay_cut_again(r);
    if (!r->count)
        relay_give_known(r, r->truth, r->flow, r->missing);

    struct segment *s = relay_first_given(r);
    if (!s)
        return follow_on(r, &r->next);
    crew_await(r->conf.team->crew, &s->task);
    if (r->conf.team->distrust || !segment_is_true(s, r->truth, r->missing, &r->use))
        return follow_again(r);
    *out = tell_chained(r, s);
    return PTS_OK;
}

/* One more segment, by oneself. */
static pts_status follow_alone(struct relay *r)
{
    r->next = cut_behind(&r->conf.queue, relay_truth_at(r),
                         relay_bytes_of_segment(r) << r->lone);
    if (r->lone < LONE_MOST)
        r->lone++;
    return follow_on(r, &r->next);
}

/* Before selected times the queue leaps; where to, only who follows it knows. */
static bool in_range(const struct relay *r)
{
    return !r->truth->told.range.start;
}

/* From where the truth is: the next segment, or to it. */
static pts_status go_on(struct relay *r, struct event_batch *out)
{
    struct segment *s = relay_first_given(r);

    if (s && s->starts)
        return go_on_started(r, s, out);
    if (relay_chains(r))
        return go_on_chained(r, out);
    if (r->kind.crowds_only && !r->count)
        return follow_alone(r);
    if (!in_range(r))
        return follow_to_range(r);
    relay_cut_again(r);
    relay_give_ahead(r);
    while ((s = relay_first_given(r)) && s->to.any &&
           !queue_place_before(relay_truth_at(r), s->to.begin))
        relay_first_gone(r);
    if (!s)
        return follow_on(r, &r->next);
    if (queue_place_before(relay_truth_at(r), s->from.begin))
        return follow_on(r, &s->from);
    crew_await(r->conf.team->crew, &s->task);
    if (r->conf.team->distrust || !segment_is_true(s, r->truth, r->missing, &r->use))
        return follow_again(r);
    *out = tell_begins(r, s);
    return PTS_OK;
}

/* --- Calls ------------------------------------------------------------------------- */

/* Of several queues the others begin while one is told: from where their own flows start. */
static bool starts_ahead(const struct relay *r)
{
    return relay_chains(r) && r->conf.team->queues > 1 && !r->conf.flow->want_times;
}

pts_status relay_start(struct relay *r)
{
    pts_status st = flow_start(r->flow);

    r->following = true;
    if (st != PTS_OK || !r->ring)
        return st;
    if (r->conf.flow->range_count) {
        flow_stop_at(r->flow, 0, 0);
        return PTS_OK;
    }
    const bool ahead = starts_ahead(r);
    r->next = cut_behind(&r->conf.queue, (struct queue_place){0, 0},
                         relay_bytes_of_segment(r) / (ahead ? START_SHARE : 1));
    r->cuts = true;
    if (r->next.any)
        flow_stop_at(r->flow, r->next.begin.buf, r->next.begin.off);
    if (!relay_chains(r))
        relay_give_ahead(r);
    r->following = !(ahead && r->next.any);
    if (!r->following)
        relay_give_start(r);
    return PTS_OK;
}

pts_status relay_next(struct relay *r, const struct relay_turn *turn,
                      struct event_batch *out)
{
    pts_status st = PTS_OK;

    if (!r->ring) { /* alone */
        flow_until(r->flow, turn->until);
        return flow_next(r->flow, out);
    }
    out->count = 0;
    r->paused = false;
    while (st >= 0 && !out->count && !r->paused && !r->ended) {
        if (r->following)
            st = follow(r, turn, out);
        else if (r->telling)
            st = tell(r, turn, out);
        else
            st = go_on(r, out);
    }
    return st < 0 ? st : out->count || !r->ended ? PTS_OK : PTS_END;
}

const struct relay_conf *relay_made_of(const struct relay *r)
{
    return &r->conf;
}

/* In front of the first mark it begins where the queue does, if that is not far. */
pts_status relay_scout(const struct relay *r, const struct flow_config *conf,
                       uint64_t tsc, struct relay_scout *out)
{
    enum { FAR = 2 << 20 }; /* bytes */
    const struct carry *mark = r->marks ? marks_before(r->marks, tsc) : NULL;
    struct flow_queue queue = r->conf.queue;

    if (!r->marks || (!mark && (marks_are_gone(r->marks) || relay_passed(r) > FAR)))
        return PTS_E_UNSUPPORTED;
    queue.missing = NULL;
    pts_status st = flow_new(conf, &queue, r->conf.sb, &r->conf.images, &out->flow);
    if (st < 0)
        return st;
    if (mark) {
        flow_resume(out->flow, mark, NULL);
        out->tsc = mark->told.tsc;
        return PTS_OK;
    }
    st = flow_start(out->flow);
    out->tsc = flow_time(out->flow);
    return st;
}

uint64_t relay_passed(const struct relay *r)
{
    return r->following || !r->ring ? flow_passed(r->flow) : r->truth->at.pos;
}

uint64_t relay_reach(const struct relay *r)
{
    const uint64_t own = r->conf.flow->pause;

    return r->ring ? own + (uint64_t)r->kind.most * relay_bytes_of_segment(r) : own;
}

uint32_t relay_met(const struct relay *r)
{
    return r->met | flow_met(r->flow);
}

struct flow *relay_flow(const struct relay *r)
{
    return r->flow;
}

/* --- Life -------------------------------------------------------------------------- */

/* Those of one segment are few enough that some of the one before it stay. */
enum { SEGMENT_MARKS = 16 };

static bool marks_wanted(const struct relay *r)
{
    return r->conf.team->marks >= 2;
}

static struct marks *segment_marks_new(const struct relay *r)
{
    const struct relay_team *t = r->conf.team;
    const uint32_t n = t->marks / 2 < SEGMENT_MARKS ? t->marks / 2 : SEGMENT_MARKS;
    const uint64_t bytes = r->kind.bytes / n;

    return marks_new(n, bytes > t->mark_bytes ? bytes : t->mark_bytes);
}

static bool ring_make(struct relay *r)
{
    uint32_t n = r->kind.most;
    size_t each = (size_t)r->dsos + 1;
    uint8_t *missing = mem_zalloc(3 * (size_t)n + 1, each);

    r->missing = missing;
    r->truth = mem_zalloc(1, sizeof(*r->truth));
    r->ring = mem_zalloc(n, sizeof(*r->ring));
    if (!missing || !r->truth || !r->ring)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        struct segment *s = &r->ring[i];
        s->task.run = segment_follow;
        s->conf = &r->conf;
        s->dsos = r->dsos;
        s->missing = missing += each;
        s->missing_before = missing += each;
        s->is_asked = missing += each;
        if (marks_wanted(r) && !(s->marks = segment_marks_new(r)))
            return false;
    }
    return true;
}

pts_status relay_new(const struct relay_conf *conf, struct relay **out)
{
    const struct flow_config *f = conf->flow;
    struct flow_queue queue = conf->queue;
    struct relay *r = mem_zalloc(1, sizeof(*r));
    pts_status st = PTS_OK;

    if (!r)
        return PTS_E_NOMEM;
    r->conf = *conf;
    r->dsos = sb_dso_total(conf->sb);
    r->use = (struct carry_use){f->period_type == PERIOD_INSNS,
                                f->period_type == PERIOD_TICKS, f->want_cycles,
                                (f->want & EV_BRANCH) != 0};
    r->kind = relay_kind_of(conf);
    r->crowded = conf->team->crowded ? CROWDED : 0;
    /* One of several queues is first tried with one. */
    r->allowed = f->want_times ? 1 : r->kind.most;
    if (r->kind.ahead && !ring_make(r))
        st = PTS_E_NOMEM;
    queue.missing = r->missing;
    if (conf->team->marks &&
        !(r->marks = marks_new(conf->team->marks, conf->team->mark_bytes)))
        st = PTS_E_NOMEM;
    if (st >= 0)
        st = flow_new(f, &queue, conf->sb, &conf->images, &r->flow);
    if (st < 0) {
        relay_free(r);
        return st;
    }
    flow_mark(r->flow, r->marks);
    *out = r;
    return PTS_OK;
}

void relay_free(struct relay *r)
{
    if (!r)
        return;
    relay_all_gone(r);
    for (uint32_t i = 0; r->ring && i < r->kind.most; i++)
        marks_free(r->ring[i].marks);
    flow_free(r->flow);
    marks_free(r->marks);
    mem_free(r->ring);
    mem_free(r->truth);
    mem_free(r->missing);
    mem_free(r);
}
