/* rec.c - the recorder: life, threads, CPUs and their time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each simulated CPU has a clock of its own that runs with what is executed on it.
 * Where one CPU's doing is seen on others, their clocks are raised, so that the order
 * of things in time is the order in which they happened.
 */
#include "testdata/ptrecord/machine.h"
#include "testdata/ptrecord/record.h"
#include "testdata/ptrecord/recorder.h"

#include <stdlib.h>
#include <string.h>

/* So much AUX data lets perf wake up and fetch it. */
enum { ROUND_BYTES = 256 << 10 };

/* --- time ---------------------------------------------------------------------------
 */

/* Perhaps the core runs at another speed from here on. */
static void cbr_drift(struct recorder *r, struct cpu *c)
{
    if (!rng_one_in(&r->rng, 16))
        return;
    clock_set_cbr(&c->clock, rng_range(&r->rng, MACHINE_CBR_LOW, MACHINE_CBR_HIGH));
    if (c->ring && c->ring->enc.on)
        enc_cbr(&c->ring->enc, &c->clock);
}

/* The speed changes only where the time is told: between such points a decoder guesses
 * with the latest speed for all that was executed. */
void cpu_settle(struct recorder *r, struct cpu *c)
{
    struct enc *e = c->ring ? &c->ring->enc : NULL;

    if (!c->settle || !e || !e->on)
        return;
    if (r->conf.cyc) {
        /* the next packet has a CYC in front of it */
        c->clock.cyc += 1ULL << r->conf.cyc_thresh;
        enc_time(e, &c->clock);
        cbr_drift(r, c);
    } else if (r->conf.mtc) {
        clock_wait_tsc(&c->clock, clock_ctc_start(&r->model, e->mtc_next));
        enc_time(e, &c->clock);
        cbr_drift(r, c);
    } else {
        if (e->enabled)
            return; /* after the interrupt that is asked for now */
        cbr_drift(r, c);
        enc_restart(e, &c->clock);
    }
    c->settle = false;
}

void cpus_raise(struct recorder *r, uint64_t tsc)
{
    for (uint32_t i = 0; i < r->conf.cpus; i++) {
        struct cpu *c = &r->cpu[i];

        if (clock_tsc(&c->clock) >= tsc)
            continue;
        clock_wait_tsc(&c->clock, tsc);
        c->settle = true;
        if (c->now && c->now->in_user)
            cpu_settle(r, c);
    }
}

static void pass_ns(struct recorder *r, struct cpu *c, uint32_t low, uint32_t high)
{
    clock_wait_ns(&c->clock, rng_range(&r->rng, low, high));
    if (c->ring)
        enc_time(&c->ring->enc, &c->clock);
}

/* --- life ---------------------------------------------------------------------------
 */

static void cpu_init(struct recorder *r, uint32_t nr, uint64_t tsc)
{
    struct cpu *c = &r->cpu[nr];

    *c = (struct cpu){.nr = nr, .cpi16 = 32};
    clock_init(&c->clock, &r->model, tsc, MACHINE_NONTURBO);
    if (r->conf.mode == REC_PER_CPU)
        c->own = ring_new(r, nr, 0);
}

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
    r->model = (struct clock_model){.nonturbo = MACHINE_NONTURBO,
                                    .ctc_num = MACHINE_CTC_NUM,
                                    .ctc_den = MACHINE_CTC_DEN,
                                    .shift = MACHINE_SHIFT,
                                    .mult = MACHINE_MULT,
                                    .zero = 0};
    event_list(r->events, conf);
    if (!perfdata_open(&r->file)) {
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
    free(r->rings);
    free(r);
}

int rec_close(struct recorder *r)
{
    struct buf front = {0};
    struct perfdata_head head = {.path = r->conf.output,
                                 .events = r->events,
                                 .ring_n = r->ring_n,
                                 .front = &front,
                                 .cpus = r->conf.cpus,
                                 .argc = r->argc,
                                 .argv = r->argv};
    bool ok;

    for (uint32_t i = 0; i < r->conf.cpus; i++)
        if (r->cpu[i].now)
            rec_sched_out(r, r->cpu[i].now, false);
    ring_round(r);
    front_put(r, &front);
    head.first_ns = clock_ns(&r->model, r->first_tsc);
    head.last_ns = clock_ns(&r->model, r->last_tsc);
    ok = perfdata_close(&r->file, &head);
    buf_free(&front);
    recorder_free(r);
    return ok ? 0 : -1;
}

/* --- threads ------------------------------------------------------------------------
 */

struct rec_thread *rec_fork(struct recorder *r, struct rec_thread *parent, int pid,
                            int tid)
{
    struct rec_thread *t = mem_get(NULL, sizeof(*t));

    *t = (struct rec_thread){.parent = parent,
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
    side_comm(r, t, comm, exec);
}

static void trace_start(struct recorder *r, struct cpu *c, struct rec_thread *t)
{
    if (!r->enabled)
        return;
    c->ring = c->own ? c->own : t->own;
    enc_start(&c->ring->enc, &c->clock);
    c->settle = false;
    if (t->started >> c->nr & 1)
        return;
    t->started |= 1ULL << c->nr;
    side_itrace_start(r, c, t);
}

static void trace_stop(struct recorder *r, struct cpu *c)
{
    if (!c->ring)
        return;
    enc_stop(&c->ring->enc, &c->clock);
    side_aux(r, c, c->ring, 0);
    c->ring = NULL;
}

void rec_exec(struct recorder *r, struct rec_thread *t, bool is64)
{
    struct cpu *c = &r->cpu[t->cpu];

    if (t->is64 != is64 && c->ring)
        c->ring->enc.mode_sent = false;
    t->is64 = is64;
    if (r->enabled)
        return;
    r->enabled = true;
    trace_start(r, c, t);
}

void rec_mmap(struct recorder *r, struct rec_thread *t, const struct rec_map *m)
{
    side_mmap(r, t, m);
}

void rec_exit(struct recorder *r, struct rec_thread *t)
{
    t->exited = true;
    if (t->on_cpu)
        trace_stop(r, &r->cpu[t->cpu]);
    side_exit(r, t);
}

/* --- scheduling ---------------------------------------------------------------------
 */

void rec_sched_in(struct recorder *r, struct rec_thread *t, int cpu)
{
    struct cpu *c = &r->cpu[cpu];

    clock_wait_tsc(&c->clock, t->seen_tsc);
    c->now = t;
    t->cpu = cpu;
    t->on_cpu = true;
    cbr_drift(r, c);
    side_switch_to(r, c, t);
    trace_start(r, c, t);
    side_switch_in(r, c, t);
}

void rec_sched_out(struct recorder *r, struct rec_thread *t, bool preempt)
{
    struct cpu *c = &r->cpu[t->cpu];

    side_switch_out(r, c, t, preempt);
    trace_stop(r, c);
    t->on_cpu = false;
    t->seen_tsc = clock_tsc(&c->clock);
    c->now = NULL;
    c->out_thread = t;
    c->out_tsc = t->seen_tsc;
    if (r->unread >= ROUND_BYTES)
        ring_round(r);
}

void rec_sync_clocks(struct recorder *r, struct rec_thread *t)
{
    cpus_raise(r, clock_tsc(&r->cpu[t->cpu].clock));
}

/* --- execution ----------------------------------------------------------------------
 */

void rec_enter_user(struct recorder *r, struct rec_thread *t, uint64_t ip)
{
    struct cpu *c = &r->cpu[t->cpu];
    struct enc *e = c->ring ? &c->ring->enc : NULL;

    cpu_settle(r, c);
    pass_ns(r, c, 40, 200);
    t->in_user = true;
    if (!e)
        return;
    e->is64 = t->is64;
    enc_pge(e, &c->clock, ip);
}

void rec_leave_user(struct recorder *r, struct rec_thread *t, enum rec_leave why,
                    uint64_t ip)
{
    struct cpu *c = &r->cpu[t->cpu];

    t->in_user = false;
    c->margin = false;
    if (c->ring && why == REC_SYSCALL)
        enc_pgd(&c->ring->enc, &c->clock);
    else if (c->ring)
        enc_async(&c->ring->enc, &c->clock, ip);
    pass_ns(r, c, 50, why == REC_SYSCALL ? 300 : 900);
    if (c->ring && enc_offset(&c->ring->enc) - c->ring->aux_head >= ROUND_BYTES) {
        enc_stop(&c->ring->enc, &c->clock);
        side_aux(r, c, c->ring, 0);
        enc_start(&c->ring->enc, &c->clock);
    }
    if (r->unread >= ROUND_BYTES)
        ring_round(r);
}

/* CYC tells the time of every packet; else a decoder guesses two cycles an instruction,
 * and must not be ahead of what is recorded next. */
static void cpi_draw(struct recorder *r, struct cpu *c)
{
    bool exact = r->conf.cyc && !r->conf.cyc_thresh;

    c->cpi_left = rng_range(&r->rng, 100, 3000);
    c->cpi16 = rng_range(&r->rng, exact ? 4 : 32, 96);
}

void rec_insns(struct recorder *r, struct rec_thread *t, uint32_t n)
{
    struct cpu *c = &r->cpu[t->cpu];
    uint64_t cyc16 = (uint64_t)n * c->cpi16 + c->cyc16;

    c->clock.cyc += cyc16 >> 4;
    c->cyc16 = cyc16 & 15;
    c->cpi_left -= n;
    if (c->cpi_left < 0)
        cpi_draw(r, c);
    if (c->ring)
        enc_time(&c->ring->enc, &c->clock);
}

void rec_branch(struct recorder *r, struct rec_thread *t,
                const struct rec_insn_branch *b)
{
    struct cpu *c = &r->cpu[t->cpu];
    struct enc *e = c->ring ? &c->ring->enc : NULL;

    if (!e)
        return;
    switch (b->kind) {
    case REC_JCC:
        enc_cond(e, &c->clock, b->taken, b->to);
        return;
    case REC_JMP:
        return;
    case REC_CALL:
        if (b->to != b->next)
            enc_call(e, b->next);
        return;
    case REC_CALL_IND:
        enc_call(e, b->next);
        enc_indirect(e, &c->clock, b->to);
        return;
    case REC_JMP_IND:
    case REC_FAR:
        enc_indirect(e, &c->clock, b->to);
        return;
    case REC_RET:
        enc_ret(e, &c->clock, b->to);
        return;
    }
}

bool rec_wants_interrupt(const struct recorder *r, const struct rec_thread *t)
{
    const struct cpu *c = &r->cpu[t->cpu];

    return c->ring && ((c->settle && c->ring->enc.enabled) ||
                       enc_offset(&c->ring->enc) - c->ring->aux_head >= ROUND_BYTES);
}
