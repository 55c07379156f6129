/* test_merge.c - the order of events of several queues.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/by_time.h"
#include "tests/lib/t.h"

enum { QUEUES = 4, EVENTS = 8 };

static const uint32_t only_time = UINT32_MAX; /* in place of EV_* */

/* Per queue: times; 0 ends.  `from` tells which event it is. */
struct feed {
    uint64_t tsc[QUEUES][EVENTS];
    uint32_t what[QUEUES][EVENTS];
    struct pt_event ev[QUEUES][EVENTS];
    uint32_t given[QUEUES];
    bool pauses; /* in front of each event */
    bool paused[QUEUES];
    bool joined;    /* times that follow each other are one event */
    bool one_stack; /* calls of all queues change the same */
    bool at_once;   /* all events of a queue are one batch */
};

static uint32_t what_of(const struct feed *f, uint32_t q, uint32_t i)
{
    uint32_t what = f->what[q][i];

    return what == only_time ? 0 : what ? what : EV_BRANCH;
}

static void join_times(struct feed *f, uint32_t q, struct pt_event *ev)
{
    for (uint32_t *i = &f->given[q];
         f->joined && !ev->what && f->tsc[q][*i] && !what_of(f, q, *i); ++*i)
        ev->times[++ev->later] = f->tsc[q][*i];
}

/* One event at a time, so that batches end everywhere. */
static pts_status feed_next(void *ctx, uint32_t q, const struct relay_turn *turn,
                            struct event_batch *out)
{
    struct feed *f = ctx;
    (void)turn;
    uint32_t i = f->given[q];
    f->paused[q] = f->pauses && !f->paused[q];
    if (f->paused[q]) {
        *out = (struct event_batch){0};
        return PTS_OK;
    }
    if (i >= EVENTS || !f->tsc[q][i])
        return PTS_END;
    f->given[q]++;
    f->ev[q][i] = (struct pt_event){
        .from = q * 100 + i, .tsc = f->tsc[q][i], .what = what_of(f, q, i)};
    join_times(f, q, &f->ev[q][i]);
    *out = (struct event_batch){.at = &f->ev[q][i], .count = 1};
    return PTS_OK;
}

static struct merge *merge_of(struct feed *f, uint32_t queues)
{
    struct merge *m = NULL;
    const struct merge_source source = {feed_next, f};
    EQ(merge_new(queues, &source, &m), PTS_OK);
    for (uint32_t q = 0; q < queues; q++)
        merge_add(m, q, f->tsc[q][0]);
    return m;
}

/* All events before `until`, as "0 100 1 ...". */
static const char *taken(struct merge *m, uint64_t until)
{
    static char text[256];
    struct merge_event e;
    size_t n = 0;
    text[0] = '\0';
    while (merge_next(m, until, &e) == PTS_OK)
        n += !e.ev ? 0
                   : (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", n ? " " : "",
                                      (int)e.ev->from);
    return text;
}

T(events_come_by_time)
{
    struct feed f = {
        .tsc = {{10, 30, 50}, {20, 40, 60}}
    };
    struct merge *m = merge_of(&f, 2);
    STREQ(taken(m, UINT64_MAX), "0 100 1 101 2 102");
    merge_free(m);
}

T(a_source_that_pauses_changes_nothing)
{
    struct feed f = {
        .tsc = {{10, 20, 20, 21}, {20, 21}},
          .pauses = true
    };
    struct merge *m = merge_of(&f, 2);
    STREQ(taken(m, UINT64_MAX), "0 1 2 100 101 3");
    merge_free(m);
}

T(an_event_at_the_limit_waits)
{
    struct feed f = {.tsc = {{10, 20, 30}}};
    struct merge *m = merge_of(&f, 1);
    STREQ(taken(m, 20), "0");
    STREQ(taken(m, 21), "1");
    STREQ(taken(m, UINT64_MAX), "2");
    merge_free(m);
}

T(a_queue_keeps_running_up_to_the_time_of_the_next)
{
    /* equal times: the running queue goes on until it is past the other */
    struct feed f = {
        .tsc = {{10, 20, 20, 21}, {20, 21}}
    };
    struct merge *m = merge_of(&f, 2);
    STREQ(taken(m, UINT64_MAX), "0 1 2 100 101 3");
    merge_free(m);
}

T(faults_come_at_once_whatever_their_time)
{
    struct feed f = {
        .tsc = {{10, 99, 20}, {15, 30}},
          .what = {{0, EV_ERROR, 0}           }
    };
    struct merge *m = merge_of(&f, 2);
    STREQ(taken(m, UINT64_MAX), "0 1 100 2 101");
    merge_free(m);
}

T(time_only_events_are_passed_over_but_count)
{
    /* that of 28 lets the other queue come to 30 first, and so wait there */
    for (int joined = 0; joined < 2; joined++) {
        struct feed f = {
            .tsc = {{10, 15, 28, 30}, {25, 30}},
            .what = {{0, only_time, only_time}               },
            .joined = joined,
        };
        struct merge *m = merge_of(&f, 2);
        STREQ(taken(m, UINT64_MAX), "0 100 3 101");
        merge_free(m);
    }
}

T(running_one_queue_ignores_times)
{
    struct feed f = {
        .tsc = {{10, 5, 7}, {1, 1}}
    };
    const struct merge_source source = {feed_next, &f};
    struct merge *m = NULL;
    EQ(merge_new(2, &source, &m), PTS_OK);
    merge_run(m, 0);
    STREQ(taken(m, UINT64_MAX), "0 1 2");
    merge_run(m, 1);
    STREQ(taken(m, UINT64_MAX), "100 101");
    merge_free(m);
}

/* All events at once. */
static pts_status feed_all(void *ctx, uint32_t q, const struct relay_turn *turn,
                           struct event_batch *out)
{
    struct feed *f = ctx;
    (void)turn;
    if (f->given[q])
        return PTS_END;
    for (; f->tsc[q][f->given[q]]; f->given[q]++)
        f->ev[q][f->given[q]] = (struct pt_event){.from = q * 100 + f->given[q],
                                                  .tsc = f->tsc[q][f->given[q]],
                                                  .what = what_of(f, q, f->given[q])};
    *out = (struct event_batch){.at = f->ev[q], .count = f->given[q]};
    return PTS_OK;
}

T(those_that_follow_may_be_taken_at_once)
{
    struct feed f = {
        .tsc = {{10, 11, 12, 20, 21, 30}, {20, 31}}
    };
    const struct merge_source source = {feed_all, &f};
    struct merge *m = NULL;
    struct merge_event e;
    EQ(merge_new(2, &source, &m), PTS_OK);
    merge_add(m, 0, 10);
    merge_add(m, 1, 20);
    EQ(merge_next(m, UINT64_MAX, &e), PTS_OK);
    EQ(e.ev->from, 0);
    struct merge_line line = merge_line(m);
    EQ(line.count, 5);
    EQ(line.until, 21); /* up to and with the time of the other queue */
    EQ(line.at[0].from, 1);
    merge_took(m, 2);
    EQ(merge_line(m).at[0].from, 3);
    STREQ(taken(m, UINT64_MAX), "3 100 4 5 101");
    merge_free(m);
}

/* --- By time alone --- */

static uint64_t feed_reached(void *ctx, uint32_t q)
{
    const struct feed *f = ctx;
    return f->given[q] < EVENTS ? f->tsc[q][f->given[q]] : 0;
}

static bool feed_prints(void *ctx, const struct pt_event *ev)
{
    (void)ctx;
    return !(ev->what & (EV_THREAD | EV_TRACE_END));
}

static bool feed_matters(void *ctx, const struct merge_event *silent,
                         const struct merge_event *other)
{
    const struct feed *f = ctx;
    CHECK(silent->queue != other->queue);
    return f->one_stack && silent->ev->what & EV_TRACE_END;
}

static pts_status no_order(void *ctx, const struct by_time_tie *tie)
{
    (void)ctx;
    (void)tie;
    return PTS_E_UNSUPPORTED;
}

static struct by_time *by_time_of(struct feed *f, uint32_t queues)
{
    struct by_time *b = NULL;
    const struct by_time_source source = {
        {f->at_once ? feed_all : feed_next, f},
        feed_reached,
        feed_prints,
        feed_matters,
        no_order
    };
    EQ(by_time_new(queues, &source, &b), PTS_OK);
    for (uint32_t q = 0; q < queues; q++)
        by_time_add(b, q, f->tsc[q][0]);
    return b;
}

/* As taken(); a tie is "=". */
static const char *timed(struct by_time *b, uint64_t until)
{
    static char text[256];
    struct merge_event e;
    pts_status st;
    size_t n = 0;
    text[0] = '\0';
    while ((st = by_time_next(b, until, &e)) == PTS_OK)
        n += !e.ev ? 0
                   : (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", n ? " " : "",
                                      (int)e.ev->from);
    if (st == PTS_E_UNSUPPORTED)
        snprintf(text + n, sizeof(text) - n, " =");
    return text;
}

T(by_time_events_of_different_times_come_as_from_the_merge)
{
    struct feed f = {
        .tsc = {{10, 30, 30, 50}, {20, 40, 60}},
          .pauses = true
    };
    struct by_time *b = by_time_of(&f, 2);
    STREQ(timed(b, 30), "0 100");
    STREQ(timed(b, UINT64_MAX), "1 2 101 3 102");
    by_time_free(b);
}

T(by_time_a_line_ends_where_another_queue_is)
{
    struct feed f = {
        .tsc = {{10, 20, 15, 30, 50}, {30, 40}},
          .at_once = true
    };
    struct by_time *b = by_time_of(&f, 2);
    struct merge_event e;
    EQ(by_time_next(b, UINT64_MAX, &e), PTS_OK);
    struct merge_line line = by_time_line(b);
    EQ(line.at[0].from, 1);
    EQ(line.until, 30);
    by_time_took(b, 2);
    EQ(by_time_line(b).at[0].from, 3);
    STREQ(timed(b, UINT64_MAX), " ="); /* both are at 30 */
    by_time_free(b);
}

/* Its time has gone back, but it is as late as the one before it. */
T(by_time_a_line_is_empty_where_another_queue_has_come)
{
    struct feed f = {
        .tsc = {{10, 20, 15}, {20, 40}   },
          .what = {{0},          {EV_THREAD}},
          .at_once = true
    };
    struct by_time *b = by_time_of(&f, 2);
    struct merge_event e;
    EQ(by_time_next(b, UINT64_MAX, &e), PTS_OK);
    EQ(by_time_line(b).until, 20);
    EQ(by_time_next(b, UINT64_MAX, &e), PTS_OK);
    EQ(e.ev->from, 100);
    EQ(by_time_next(b, UINT64_MAX, &e), PTS_OK);
    EQ(e.ev->from, 1);
    STREQ(timed(b, UINT64_MAX), "2 101");
    by_time_free(b);
}

T(by_time_two_at_the_same_time_are_a_tie)
{
    struct feed f = {
        .tsc = {{10, 20, 20, 30}, {15, 30}}
    };
    struct by_time *b = by_time_of(&f, 2);
    STREQ(timed(b, 30), "0 100 1 2");
    STREQ(timed(b, UINT64_MAX), " =");
    by_time_free(b);
}

/* That a queue has come to a time is none, nor who runs from then on. */
T(by_time_what_prints_nothing_ties_with_nothing)
{
    struct feed f = {
        .tsc = {{10, 20}, {10, 10, 20, 20, 25}                        },
        .what = {{0},      {EV_THREAD, only_time, only_time, EV_THREAD}}
    };
    struct by_time *b = by_time_of(&f, 2);
    STREQ(timed(b, UINT64_MAX), "100 0 103 1 104");
    by_time_free(b);
}

/* What prints comes behind all that does not, as more of its time may follow that. */
T(by_time_what_prints_nothing_goes_first)
{
    struct feed f = {
        .tsc = {{20, 30}, {20, 20, 25},                 {20, 40}      },
        .what = {{0},      {EV_TRACE_END, EV_TRACE_END}, {EV_TRACE_END}}
    };
    struct by_time *b = by_time_of(&f, 3);
    STREQ(timed(b, UINT64_MAX), "100 101 200 0 102 1 201");
    by_time_free(b);
}

T(by_time_what_prints_nothing_hides_no_tie)
{
    struct feed f = {
        .tsc = {{20}, {20, 20}      },
          .what = {{0},  {EV_TRACE_END}}
    };
    struct by_time *b = by_time_of(&f, 2);
    STREQ(timed(b, UINT64_MAX), "100 =");
    by_time_free(b);
}

T(by_time_calls_on_one_stack_are_a_tie)
{
    struct feed f = {
        .tsc = {{20}, {20}          },
          .what = {{0},  {EV_TRACE_END}},
          .one_stack = true
    };
    struct by_time *b = by_time_of(&f, 2);
    STREQ(timed(b, UINT64_MAX), " =");
    by_time_free(b);
}

/* ... and not when its own time has come; where time went back it is still that of before. */
T(by_time_an_error_comes_with_the_event_before_it)
{
    struct feed f = {
        .tsc = {{10, 99, 20},  {15, 19, 12, 30}        },
        .what = {{0, EV_ERROR}, {0, only_time, EV_ERROR}}
    };
    struct by_time *b = by_time_of(&f, 2);
    STREQ(timed(b, UINT64_MAX), "0 1 100 102 2 103");
    by_time_free(b);
}

T_RUN(T_CASE(events_come_by_time), T_CASE(a_source_that_pauses_changes_nothing),
      T_CASE(an_event_at_the_limit_waits),
      T_CASE(a_queue_keeps_running_up_to_the_time_of_the_next),
      T_CASE(faults_come_at_once_whatever_their_time),
      T_CASE(time_only_events_are_passed_over_but_count),
      T_CASE(running_one_queue_ignores_times),
      T_CASE(those_that_follow_may_be_taken_at_once),
      T_CASE(by_time_events_of_different_times_come_as_from_the_merge),
      T_CASE(by_time_a_line_ends_where_another_queue_is),
      T_CASE(by_time_a_line_is_empty_where_another_queue_has_come),
      T_CASE(by_time_two_at_the_same_time_are_a_tie),
      T_CASE(by_time_what_prints_nothing_ties_with_nothing),
      T_CASE(by_time_what_prints_nothing_goes_first),
      T_CASE(by_time_what_prints_nothing_hides_no_tie),
      T_CASE(by_time_calls_on_one_stack_are_a_tie),
      T_CASE(by_time_an_error_comes_with_the_event_before_it))
