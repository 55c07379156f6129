/* sched.h - simulated CPUs: who runs where, for how long.
 *
 * SPDX-License-Identifier: MIT
 *
 * Several CPUs have a thread each, and take turns of a few hundred instructions; on
 * each, threads are switched when their time slice is over.  All of it counts
 * instructions and draws from the seeded generator, so it is the same in every run.
 */
#ifndef PTRECORD_SCHED_H
#define PTRECORD_SCHED_H

#include <stdint.h>

struct engine;
struct task;

enum { SCHED_CPUS = 64 };

struct sched_cpu {
    struct task *task; /* NULL: idle */
    int64_t slice;     /* instructions until it is switched */
    int64_t interrupt; /* instructions until a simulated interrupt */
};

struct sched {
    struct sched_cpu cpu[SCHED_CPUS];
    unsigned n;
    unsigned turn;  /* whose it was last */
    uint64_t clock; /* counts threads that became ready */
};

void sched_init(struct engine *e);
/* T may run from now on. */
void sched_ready(struct engine *e, struct task *t);
/* The thread whose turn it is, with e->left set; NULL: none can run. */
struct task *sched_next(struct engine *e);
/* The turn of T is over, after RAN instructions. */
void sched_turn_end(struct engine *e, struct task *t, int64_t ran);

#endif
