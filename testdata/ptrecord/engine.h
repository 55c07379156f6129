/* engine.h - runs the program and tells what it does.
 *
 * SPDX-License-Identifier: MIT
 *
 *     engine.c  the loop: who runs next (sched), one turn of it, until nobody is left
 *     run.c     a turn: chain after chain, or step by step
 *     emul.c    instructions carried out for the program
 *     stop.c    what a thread stopped with: events, and on to sys.c and sig.c
 *     sys.c     system calls; memory maps they change
 *     sig.c     signals
 *     tell.c    what was executed, for the recorder and the truth list
 *
 * All user code runs in turns, one thread of all at a time; threads inside the kernel
 * go on there by themselves.
 */
#ifndef PTRECORD_ENGINE_H
#define PTRECORD_ENGINE_H

#include "testdata/ptrecord/interrupt.h"
#include "testdata/ptrecord/rec.h"
#include "testdata/ptrecord/rng.h"
#include "testdata/ptrecord/sched.h"
#include "testdata/ptrecord/task.h"
#include "testdata/ptrecord/truth.h"

struct opts;
struct symfs;

struct engine {
    const struct opts *opts;
    struct recorder *rec;
    struct truth *truth; /* NULL: not wanted */
    struct symfs *symfs; /* NULL: not wanted */
    struct ram *ram;
    struct task *tasks;
    struct sched sched;
    struct rng rng;
    struct interrupt interrupt;
    uint64_t insns;      /* told so far */
    uint64_t calls;      /* what may have sent signals: system calls, ends of threads */
    int64_t left;        /* of the turn */
    bool interrupt_next; /* the turn ends with a simulated interrupt */
    pid_t first;         /* the process that was started */
    bool started;        /* ... and has become the program */
    int exit_status;     /* of it, for our own exit */
    bool refused_told;   /* that a program cannot trace */
    bool ending;         /* --max-insns reached, or the user: all are being killed */
};

/* Starts the program of OPTS and runs it to its end. */
void engine_run(struct engine *e);

struct task *engine_task(const struct engine *e, pid_t tid); /* or NULL */
/* A new thread, stopped; mm and rec are the caller's to set. */
struct task *engine_adopt(struct engine *e, pid_t tid, pid_t pid);

/* --- run.c --- */
void run_turn(struct engine *e, struct task *t);
/* On into or through the kernel: until it stops again or sleeps there. */
void run_kernel(struct engine *e, struct task *t);

/* --- stop.c --- */
/* Handles t->status. */
void stop_handle(struct engine *e, struct task *t);

#endif
