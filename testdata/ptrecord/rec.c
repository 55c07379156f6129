/* rec.c - the recorder: its life, threads, which CPU they are on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/machine.h"
#include "testdata/ptrecord/record.h"
#include "testdata/ptrecord/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- life ---------------------------------------------------------------------- */

struct recorder *rec_open(const struct rec_conf *conf, int argc, char **argv)
{
    struct recorder *r = mem_get(NULL, sizeof(*r));
    uint64_t tsc;

    memset(r, 0, sizeof(*r));
    r->conf = *conf;
    r->argc = argc;
    r->argv = argv;
    r->rng.state = conf->seed;
    r->threads_end = &r->threads;
    r->log.on = conf->repeat > 1;
    r->model = (struct clock_model){.nonturbo = MACHINE_NONTURBO,
                                    .ctc_num = MACHINE_CTC_NUM,
                                    .ctc_den = MACHINE_CTC_DEN,
                                    .shift = MACHINE_SHIFT,
                                    .mult = MACHINE_MULT,
                                    .zero = 0};
    if (conf->aux_sample || conf->snapshot)
        r->conf.aux_bytes = (uint32_t)overwrite_size(r);
    r->snapshot_at = r->conf.aux_bytes;
    if (conf->psb_period == REC_PSB_DEFAULT)
        r->conf.psb_period = conf->aux_sample ? 0 : 3;
    event_list(r->events, &r->conf);
    if (!perfdata_open(&r->file, conf->output)) {
        free(r);
        return NULL;
    }
    tsc = 0x21a7c10000000 + rng_next(&r->rng) % (1ULL << 36);
    for (uint32_t i = 0; i < conf->cpus; i++)
        cpu_init(r, i, tsc);
    return r;
}

static void recorder_free(struct recorder *r)
{
    for (uint32_t i = 0; i < r->ring_n; i++) {
        buf_free(&r->rings[i]->records);
        enc_free(&r->rings[i]->enc);
        free(r->rings[i]);
    }
    while (r->threads) {
        struct rec_thread *next = r->threads->next;

        free(r->threads);
        r->threads = next;
    }
    buf_free(&r->synthesized);
    log_free(&r->log);
    free(r->rings);
    free(r);
}

static void all_out(struct recorder *r)
{
    for (uint32_t i = 0; i < r->conf.cpus; i++)
        if (r->cpu[i].now)
            rec_sched_out(r, r->cpu[i].now, false);
}

static void repeat(struct recorder *r)
{
    uint32_t pids = r->log.high_pid - r->log.low_pid + 1;

    r->log.on = false;
    for (uint32_t k = 1; k < r->conf.repeat; k++) {
        r->thread_n = 0;
        log_play(r, &r->log, k * pids);
        all_out(r);
    }
}

bool rec_failed(const struct recorder *r)
{
    return r->file.error;
}

int rec_close(struct recorder *r)
{
    struct buf front = {0};
    struct perfdata_head head = {.events = r->events,
                                 .front = &front,
                                 .cpus = r->conf.cpus,
                                 .argc = r->argc,
                                 .argv = r->argv};
    bool ok;

    all_out(r);
    repeat(r);
    head.ring_n = r->ring_n;
    if (r->conf.snapshot)
        snapshot_take(r);
    ring_round(r);
    front_put(r, &front);
    head.first_ns = clock_ns(&r->model, r->first_tsc);
    head.last_ns = clock_ns(&r->model, r->last_tsc);
    ok = perfdata_close(&r->file, &head);
    buf_free(&front);
    if (r->faults)
        fprintf(stderr, "ptrecord: %u faults in the trace\n", r->faults);
    recorder_free(r);
    return ok ? 0 : -1;
}

void rec_drop(struct recorder *r)
{
    perfdata_drop(&r->file);
    recorder_free(r);
}

/* --- threads ------------------------------------------------------------------- */

struct rec_thread *rec_fork(struct recorder *r, struct rec_thread *parent, int pid,
                            int tid)
{
    struct rec_thread *t = mem_get(NULL, sizeof(*t));

    log_fork(&r->log, parent ? parent->nr + 1 : 0, (uint32_t)pid, (uint32_t)tid);
    *t = (struct rec_thread){.parent = parent,
                             .nr = r->thread_n++,
                             .pid = (uint32_t)pid,
                             .tid = (uint32_t)tid,
                             .ppid = (uint32_t)pid - 1,
                             .cpu = NOBODY,
                             .is64 = parent ? parent->is64 : true};
    *r->threads_end = t;
    r->threads_end = &t->next;
    if (r->conf.mode == REC_PER_THREAD)
        t->own = ring_new(r, UINT32_MAX, t->tid);
    if (!parent) {
        for (uint32_t i = 0; i < r->ring_n; i++)
            r->rings[i]->tid = t->tid;
        return t;
    }
    t->ppid = parent->pid == t->pid ? parent->ppid : parent->pid;
    side_fork(r, t);
    t->seen_tsc = clock_tsc(&r->cpu[parent->cpu].clock);
    return t;
}

void rec_comm(struct recorder *r, struct rec_thread *t, const char *comm, bool exec)
{
    log_call(&r->log, LOG_COMM, t->nr, (const uint64_t[]){exec}, 1, comm);
    side_comm(r, t, comm, exec);
}

void rec_exec(struct recorder *r, struct rec_thread *t, bool is64)
{
    struct cpu *c = &r->cpu[t->cpu];

    log_call(&r->log, LOG_EXEC, t->nr, (const uint64_t[]){is64}, 1, NULL);
    if (t->is64 != is64 && c->ring)
        c->ring->enc.mode_sent = false;
    t->is64 = is64;
    if (r->enabled)
        return;
    r->enabled = true;
    cpu_trace_start(r, c, t);
}

void rec_mmap(struct recorder *r, struct rec_thread *t, const struct rec_map *m)
{
    log_map(&r->log, t->nr, m);
    side_mmap(r, t, m);
}

void rec_exit(struct recorder *r, struct rec_thread *t)
{
    log_call(&r->log, LOG_EXIT, t->nr, NULL, 0, NULL);
    t->exited = true;
    if (t->on_cpu)
        cpu_trace_stop(r, &r->cpu[t->cpu]);
    side_exit(r, t);
}

/* --- scheduling ---------------------------------------------------------------- */

void rec_sched_in(struct recorder *r, struct rec_thread *t, int cpu)
{
    struct cpu *c = &r->cpu[cpu];

    log_call(&r->log, LOG_SCHED_IN, t->nr, (const uint64_t[]){(uint64_t)cpu}, 1, NULL);
    clock_wait_tsc(&c->clock, t->seen_tsc);
    c->now = t;
    c->lbr.count = 0; /* the kernel clears them */
    t->cpu = cpu;
    t->on_cpu = true;
    side_switch_to(r, c, t);
    cpu_trace_start(r, c, t);
    side_switch_in(r, c, t);
}

void rec_sched_out(struct recorder *r, struct rec_thread *t, bool preempt)
{
    struct cpu *c = &r->cpu[t->cpu];

    log_call(&r->log, LOG_SCHED_OUT, t->nr, (const uint64_t[]){preempt}, 1, NULL);
    side_switch_out(r, c, t, preempt);
    cpu_trace_stop(r, c);
    t->on_cpu = false;
    t->seen_tsc = clock_tsc(&c->clock);
    c->now = NULL;
    c->out_thread = t;
    c->out_tsc = t->seen_tsc;
    ring_round_if_due(r);
}

void rec_sync_clocks(struct recorder *r, struct rec_thread *t)
{
    log_call(&r->log, LOG_SYNC, t->nr, NULL, 0, NULL);
    cpus_raise(r, clock_tsc(&r->cpu[t->cpu].clock));
}
