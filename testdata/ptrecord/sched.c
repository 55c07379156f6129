/* sched.c - simulated CPUs: who runs where, for how long.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/sched.h"

#include "testdata/ptrecord/engine.h"
#include "testdata/ptrecord/opts.h"
#include "testdata/ptrecord/tell.h"

enum {
    TURN_MIN = 50, /* instructions until another CPU goes on */
    TURN_MAX = 1000,
    MIGRATE_ONE_IN = 8
};

/* About N, but never the same twice; N 0: never. */
static int64_t about(struct engine *e, uint32_t n)
{
    return n ? rng_range(&e->rng, n / 2 + 1, n + n / 2 + 1) : INT64_MAX;
}

void sched_init(struct engine *e)
{
    e->sched.n = e->opts->rec.cpus;
    e->sched.turn = rng_range(&e->rng, 0, e->sched.n - 1);
    for (unsigned i = 0; i < e->sched.n; i++)
        e->sched.cpu[i].interrupt = about(e, e->opts->interrupts);
}

void sched_ready(struct engine *e, struct task *t)
{
    t->ready_since = ++e->sched.clock;
}

/* The one that waits longest for a CPU. */
static struct task *longest_ready(const struct engine *e)
{
    struct task *best = NULL;
    for (struct task *t = e->tasks; t; t = t->next)
        if (t->state == TASK_STOPPED && t->cpu < 0 && t->rec &&
            (!best || t->ready_since < best->ready_since))
            best = t;
    return best;
}

static unsigned idle_count(const struct sched *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->n; i++)
        n += !s->cpu[i].task;
    return n;
}

/* Where it was, if it can be; now and then somewhere else. */
static int cpu_choose(struct engine *e, const struct task *t)
{
    struct sched *s = &e->sched;
    unsigned idle = idle_count(s);
    bool home = t->last_cpu >= 0 && !s->cpu[t->last_cpu].task;
    if (home && (idle == 1 || !rng_one_in(&e->rng, MIGRATE_ONE_IN)))
        return t->last_cpu;
    unsigned nth = rng_range(&e->rng, 0, idle - 1);
    for (unsigned i = 0; i < s->n; i++)
        if (!s->cpu[i].task && nth-- == 0)
            return (int)i;
    return 0;
}

static void cpu_give(struct engine *e, struct task *t)
{
    t->cpu = t->last_cpu = cpu_choose(e, t);
    struct sched_cpu *cpu = &e->sched.cpu[t->cpu];
    cpu->task = t;
    cpu->slice = about(e, e->opts->slice);
    rec_sched_in(e->rec, t->rec, t->cpu);
}

static void cpu_take(struct engine *e, struct task *t, bool preempt)
{
    if (preempt)
        tell_leave(e, t, REC_INTERRUPT, t->regs.rip);
    rec_sched_out(e->rec, t->rec, preempt);
    e->sched.cpu[t->cpu].task = NULL;
    t->cpu = -1;
    if (preempt)
        sched_ready(e, t);
}

struct task *sched_next(struct engine *e)
{
    struct sched *s = &e->sched;
    struct task *t;
    while (idle_count(s) && (t = longest_ready(e)))
        cpu_give(e, t);
    for (unsigned i = 0; i < s->n; i++) {
        s->turn = (s->turn + 1) % s->n;
        if (s->cpu[s->turn].task)
            break;
    }
    const struct sched_cpu *cpu = &s->cpu[s->turn];
    if (!cpu->task)
        return NULL;
    int64_t left = cpu->slice < cpu->interrupt ? cpu->slice : cpu->interrupt;
    if (idle_count(s) + 1 < s->n) {
        int64_t turn = rng_range(&e->rng, TURN_MIN, TURN_MAX);
        left = turn < left ? turn : left;
    }
    e->left = left;
    e->interrupt_next = left == cpu->interrupt;
    return cpu->task;
}

/* Its time slice is over: another thread's turn, or another CPU's. */
static void slice_end(struct engine *e, struct task *t, struct sched_cpu *cpu)
{
    bool waiting = longest_ready(e);
    bool moves = idle_count(&e->sched) && rng_one_in(&e->rng, MIGRATE_ONE_IN);
    if (waiting || moves)
        cpu_take(e, t, true);
    else
        cpu->slice = about(e, e->opts->slice);
}

void sched_turn_end(struct engine *e, struct task *t, int64_t ran)
{
    struct sched_cpu *cpu = &e->sched.cpu[t->cpu];
    cpu->slice -= ran;
    cpu->interrupt -= ran;
    if (t->state != TASK_STOPPED) {
        cpu_take(e, t, false);
        return;
    }
    if (cpu->interrupt <= 0) {
        tell_leave(e, t, REC_INTERRUPT, t->regs.rip);
        cpu->interrupt = about(e, e->opts->interrupts);
    }
    if (cpu->slice <= 0)
        slice_end(e, t, cpu);
}
