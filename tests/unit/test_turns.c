/* test_turns.c - which of several queues passes a time first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/turns.h"
#include "tests/lib/t.h"

enum { QUEUES = TURNS_FEW + 2, TIMES = 8 };

/* The order at tsc, as "1 0"; "?" where it is not known.  0 ends the times of a queue. */
static const char *order(uint64_t times[QUEUES][TIMES], uint32_t queues, uint64_t tsc,
                         const struct turns_stops *stops)
{
    static char text[64];
    struct turns t = {0};
    uint32_t tied[QUEUES], n = 0;

    EQ(turns_begin(&t, queues, tsc, stops), PTS_OK);
    for (uint32_t q = 0; q < queues; q++) {
        pts_status st = PTS_OK;
        for (int i = 0; st == PTS_OK && i < TIMES && times[q][i]; i++) {
            if (times[q][i] == tsc)
                tied[n++] = q;
            st = turns_time(&t, q, times[q][i]);
        }
    }
    snprintf(text, sizeof(text), "?");
    if (turns_order(&t, tied, n) == PTS_OK)
        for (uint32_t i = 0, at = 0; i < n; i++)
            at += (uint32_t)snprintf(text + at, sizeof(text) - at, "%s%u", i ? " " : "",
                                     tied[i]);
    turns_free(&t);
    return text;
}

T(who_stops_at_a_time_passes_it_behind_the_other)
{
    uint64_t times[QUEUES][TIMES] = {
        {10, 30, 40, 50},
        {20,  40,   60 }
    };
    struct turns_stops stops = {.since = 5};
    STREQ(order(times, 2, 40, &stops), "0 1");
}

T(two_that_wait_at_the_same_time_are_not_known)
{
    uint64_t times[QUEUES][TIMES] = {
        {10, 40},
        {10, 40}
    };
    struct turns_stops stops = {.since = 5};
    STREQ(order(times, 2, 40, &stops), "?");
}

/* From the beginning they come in order. */
T(at_the_beginning_the_first_queue_is_first)
{
    uint64_t times[QUEUES][TIMES] = {
        {10, 40},
        {10, 40}
    };
    struct turns_stops stops = {0};
    STREQ(order(times, 2, 40, &stops), "1 0");
}

/* Else 1 passes 40 in its turn; so it waits there, behind 0. */
T(a_stop_ends_a_turn)
{
    uint64_t times[QUEUES][TIMES] = {
        {10, 40},
        {12, 40}
    };
    struct turns_stops stops = {.since = 5};
    STREQ(order(times, 2, 40, &stops), "1 0");
    stops = (struct turns_stops){.since = 5, .count = 1, .at = {35}};
    STREQ(order(times, 2, 40, &stops), "0 1");
}

/* Of so many not all shapes of the heap are tried. */
T(of_many_queues_too)
{
    uint64_t times[QUEUES][TIMES] = {
        {10,  30, 40, 50},
        {20, 40, 60},
        {90  },
        {91},
        {92  },
        {93},
        {94  },
        {95},
        {96  },
        {97}
    };
    struct turns_stops stops = {.since = 5};
    STREQ(order(times, QUEUES, 40, &stops), "0 1");
    times[1][0] = 10;
    times[0][1] = 40;
    STREQ(order(times, QUEUES, 40, &stops), "?");
}

T(times_that_go_back_are_refused)
{
    struct turns_stops stops = {0};
    struct turns t = {0};
    EQ(turns_begin(&t, 1, 50, &stops), PTS_OK);
    EQ(turns_time(&t, 0, 20), PTS_OK);
    EQ(turns_time(&t, 0, 20), PTS_OK);
    EQ(turns_time(&t, 0, 19), PTS_E_UNSUPPORTED);
    EQ(turns_time(&t, 0, 51), PTS_END);
    turns_free(&t);
}

T(the_last_stops_are_kept)
{
    struct turns_stops stops = {0};
    for (uint64_t i = 1; i <= TURNS_STOPS; i++)
        turns_stop(&stops, i);
    turns_stop(&stops, 3);
    EQ(stops.since, 0);
    turns_stop(&stops, 100);
    EQ(stops.since, 1);
    EQ(stops.at[0], 2);
    EQ(stops.at[stops.count - 1], 100);
}

T_RUN(T_CASE(who_stops_at_a_time_passes_it_behind_the_other),
      T_CASE(two_that_wait_at_the_same_time_are_not_known),
      T_CASE(at_the_beginning_the_first_queue_is_first), T_CASE(a_stop_ends_a_turn),
      T_CASE(of_many_queues_too), T_CASE(times_that_go_back_are_refused),
      T_CASE(the_last_stops_are_kept))
