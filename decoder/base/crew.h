/* crew.h - threads that work off tasks for one who waits for the results.
 *
 * SPDX-License-Identifier: MIT
 *
 *     the owner      give a, b, c, d ....... await a ..... await b
 *     hand 1               a--------- c-------
 *     hand 2               b----- d---------
 *
 * A crew has one owner.  Tasks are begun in the order in which they were given, by whoever
 * is free: one of the hands, or the owner while it waits, which begins with what it waits for.
 * So a crew without hands does all of it, too, and later.
 *
 * What the system refuses is noted by thread (refused.h); what was refused while a task ran
 * is noted for the owner when it has waited for it.
 */
#ifndef PTS_DECODER_BASE_CREW_H
#define PTS_DECODER_BASE_CREW_H

#include "decoder/base/refused.h"

#include <ptscript/status.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum crew_state { CREW_IDLE, CREW_GIVEN, CREW_BEGUN, CREW_DONE };

/* Zero-initialise; set run, and perhaps brief.  It is given a number of who runs it: 0 is the owner, hands count
 * from 1. */
struct crew_task {
    void (*run)(struct crew_task *task, uint32_t who);
    bool brief; /* while it waits for one the owner begins none that is not */
    struct crew_task *next;
    enum crew_state state;
    atomic_bool recalled; /* while it runs: nobody wants its result any more */
    struct refusal refused;
};

struct crew;
/* Fewer hands than asked for where the system has no more threads. */
pts_status crew_new(uint32_t hands, struct crew **out);
/* Tasks that nobody has begun are forgotten. */
void crew_free(struct crew *c); /* NULL is fine */

void crew_give(struct crew *c, struct crew_task *task);
/* Returns when the task is done; until then the owner does others. */
void crew_await(struct crew *c, struct crew_task *task);
/* The same for a task whose result nobody wants: it is not begun any more. */
void crew_recall(struct crew *c, struct crew_task *task);
/* How many can work at once, the owner among them. */
uint32_t crew_size(const struct crew *c);

#endif
