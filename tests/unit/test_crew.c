/* test_crew.c - what the owner of a crew does while it waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/crew.h"
#include "tests/lib/t.h"

#include <time.h>

enum {
    NOBODY = -1,
    LONG = 25,     /* naps in which somebody else would have begun */
    PATIENT = 5000 /* as one who is to begin may have to wait for a CPU */
};

struct job {
    struct crew_task task;
    atomic_int begun;  /* by whom */
    int turn;          /* how many had ended before it */
    int naps;          /* it takes so many, or, */
    struct job *until; /* ... if not NULL, fewer when this one is begun */
};

static atomic_int ended;

static void run(struct crew_task *task, uint32_t who)
{
    struct job *j = (struct job *)task;
    const struct timespec nap = {.tv_nsec = 2000000};

    j->turn = ended;
    j->begun = (int)who;
    for (int i = 0; i < j->naps && !(j->until && j->until->begun != NOBODY); i++)
        nanosleep(&nap, NULL);
    ended++;
}

static void job_make(struct job *j, bool brief)
{
    *j = (struct job){
        .task = {.run = run, .brief = brief},
          .begun = NOBODY
    };
}

static struct crew *crew_of(uint32_t hands)
{
    struct crew *c = NULL;

    EQ(crew_new(hands, &c), PTS_OK);
    EQ(crew_size(c), hands + 1);
    ended = 0;
    return c;
}

/* Not with the one that was given first. */
T(begins_with_what_it_waits_for)
{
    struct crew *c = crew_of(0);
    struct job first, second;

    job_make(&first, false);
    job_make(&second, false);
    crew_give(c, &first.task);
    crew_give(c, &second.task);
    crew_await(c, &second.task);
    EQ(second.begun, 0);
    EQ(first.begun, NOBODY);
    crew_await(c, &first.task);
    EQ(first.turn, 1);
    crew_free(c);
}

/* The only hand has one, and another one is there for the owner: begun before that has ended, or not. */
static void wait_beside(bool brief, bool other_is_brief, bool begins)
{
    struct crew *c = crew_of(1);
    struct job awaited, other;

    job_make(&awaited, brief);
    job_make(&other, other_is_brief);
    awaited.naps = begins ? PATIENT : LONG;
    awaited.until = begins ? &other : NULL;
    crew_give(c, &awaited.task);
    while (awaited.begun == NOBODY)
        ;
    crew_give(c, &other.task);
    crew_await(c, &awaited.task);
    crew_await(c, &other.task);
    EQ(awaited.begun, 1);
    EQ(other.turn, begins ? 0 : 1);
    crew_free(c);
}

T(begins_nothing_long_beside_something_brief)
{
    wait_beside(true, false, false);
    wait_beside(true, true, true);
    wait_beside(false, false, true);
    wait_beside(false, true, true);
}

T_RUN(T_CASE(begins_with_what_it_waits_for),
      T_CASE(begins_nothing_long_beside_something_brief))
