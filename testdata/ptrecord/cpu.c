/* cpu.c - time on the simulated CPUs.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each has a clock of its own that runs with what is executed on it.  Where one CPU's
 * doing is seen on others, their clocks are raised, so that the order of things in time
 * is the order in which they happened.
 *
 * A decoder knows the time only as the packets tell it.  Code that depends on a record
 * (a mapping, a switch) must not be told to be earlier than the record: "settling" is
 * what a CPU does between the two.
 */
#include "testdata/ptrecord/machine.h"
#include "testdata/ptrecord/recorder.h"

enum { VECTOR_NMI = 2 };

/* Perhaps the core runs at another speed from here on.  Only where the time is told:
 * between such points a decoder guesses with the latest speed for all that ran. */
static void cbr_drift(struct recorder *r, struct cpu *c)
{
    if (!rng_one_in(&r->rng, 16))
        return;
    clock_set_cbr(&c->clock, rng_range(&r->rng, MACHINE_CBR_LOW, MACHINE_CBR_HIGH));
    if (c->ring && c->ring->enc.on)
        enc_cbr(&c->ring->enc, &c->clock);
}

void cpu_init(struct recorder *r, uint32_t nr, uint64_t tsc)
{
    struct cpu *c = &r->cpu[nr];

    *c = (struct cpu){.nr = nr, .cpi16 = 32, .chance_left = 1000};
    clock_init(&c->clock, &r->model, tsc, MACHINE_NONTURBO);
    if (r->conf.mode == REC_PER_CPU)
        c->own = ring_new(r, nr, 0);
}

bool cpu_pause(struct recorder *r, struct cpu *c)
{
    struct enc *e = &c->ring->enc;
    bool user = e->enabled;

    if (user && r->conf.event)
        enc_cfe_interrupt(e, &c->clock, VECTOR_NMI, e->ip);
    if (user)
        enc_async(e, &c->clock, e->ip);
    c->margin = false;
    cpu_pass(r, c, 50, 500);
    enc_stop(e, &c->clock);
    return user;
}

void cpu_resume(struct recorder *r, struct cpu *c, bool user)
{
    struct enc *e = &c->ring->enc;

    cbr_drift(r, c);
    enc_start(e, &c->clock);
    c->settle = false; /* the start tells the time */
    cpu_pass(r, c, 50, 500);
    if (user && r->conf.event)
        enc_cfe_iret(e, &c->clock);
    if (user)
        enc_pge(e, &c->clock, e->ip);
}

void cpu_interrupt(struct recorder *r, struct cpu *c)
{
    bool user = cpu_pause(r, c);

    if (ring_aux_due(c->ring))
        side_aux(r, c, c->ring);
    cpu_resume(r, c, user);
}

void cpu_settle(struct recorder *r, struct cpu *c)
{
    struct enc *e = c->ring ? &c->ring->enc : NULL;

    if (!c->settle || !e || !e->on)
        return;
    c->settle = false;
    if (r->conf.cyc && r->conf.mtc) {
        /* the next packet has a CYC in front of it */
        c->clock.cyc += 1ULL << r->conf.cyc_thresh;
        enc_time(e, &c->clock);
        cbr_drift(r, c);
    } else if (r->conf.mtc) {
        clock_wait_tsc(&c->clock, clock_ctc_start(&r->model, e->mtc_next));
        enc_time(e, &c->clock);
        cbr_drift(r, c);
    } else {
        /* CYC alone counts on from the last time told, which a pause leaves behind */
        cpu_interrupt(r, c);
    }
}

void cpus_raise(struct recorder *r, uint64_t tsc)
{
    for (uint32_t i = 0; i < r->conf.cpus; i++) {
        struct cpu *c = &r->cpu[i];

        if (clock_tsc(&c->clock) >= tsc)
            continue;
        clock_wait_tsc(&c->clock, tsc);
        c->settle = true;
        if (c->ring && c->ring->enc.enabled)
            cpu_settle(r, c);
    }
}

void cpu_pass(struct recorder *r, struct cpu *c, uint32_t low_ns, uint32_t high_ns)
{
    clock_wait_ns(&c->clock, rng_range(&r->rng, low_ns, high_ns));
    if (c->ring)
        enc_time(&c->ring->enc, &c->clock);
}

/* CYC tells the time of every packet; else a decoder guesses two cycles an instruction,
 * and must not be ahead of what is recorded next. */
static void cpi_draw(struct recorder *r, struct cpu *c)
{
    bool exact = r->conf.cyc && !r->conf.cyc_thresh;

    c->cpi_left = rng_range(&r->rng, 100, 3000);
    c->cpi16 = rng_range(&r->rng, exact ? 4 : 32, 96);
}

void cpu_execute(struct recorder *r, struct cpu *c, uint32_t insns)
{
    uint64_t cyc16 = (uint64_t)insns * c->cpi16 + c->cyc16;

    c->clock.cyc += cyc16 >> 4;
    c->cyc16 = cyc16 & 15;
    c->cpi_left -= insns;
    if (c->cpi_left < 0)
        cpi_draw(r, c);
    if (c->ring)
        enc_time(&c->ring->enc, &c->clock);
}

void cpu_trace_start(struct recorder *r, struct cpu *c, struct rec_thread *t)
{
    cbr_drift(r, c);
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

void cpu_trace_stop(struct recorder *r, struct cpu *c)
{
    if (!c->ring)
        return;
    enc_stop(&c->ring->enc, &c->clock);
    side_aux(r, c, c->ring);
    c->ring = NULL;
}
