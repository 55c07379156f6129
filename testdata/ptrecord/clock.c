/* clock.c - the clocks of one simulated CPU.
 *
 * SPDX-License-Identifier: MIT
 *
 *     core cycles   run at cbr x bus clock, the only thing that is counted
 *     TSC           cycles x nonturbo / cbr, since the last change of cbr
 *     CTC           TSC x ctc_den / ctc_num, the crystal
 *
 * All TSCs of a machine agree, so CPUs are kept in step by comparing theirs.
 */
#include "testdata/ptrecord/clock.h"

void clock_init(struct clock *c, const struct clock_model *m, uint64_t tsc,
                uint32_t cbr)
{
    *c = (struct clock){.model = m, .cbr = cbr, .base_tsc = tsc};
}

uint64_t clock_tsc(const struct clock *c)
{
    return c->base_tsc + (c->cyc - c->base_cyc) * c->model->nonturbo / c->cbr;
}

uint64_t clock_cyc_at(const struct clock *c, uint64_t tsc)
{
    uint64_t ticks = tsc - c->base_tsc, nonturbo = c->model->nonturbo;

    return c->base_cyc + (ticks * c->cbr + nonturbo - 1) / nonturbo;
}

void clock_wait_tsc(struct clock *c, uint64_t tsc)
{
    if (tsc > clock_tsc(c))
        c->cyc = clock_cyc_at(c, tsc);
}

void clock_wait_ns(struct clock *c, uint32_t ns)
{
    clock_wait_tsc(c, clock_tsc(c) + clock_ticks(c->model, ns));
}

void clock_set_cbr(struct clock *c, uint32_t cbr)
{
    c->base_tsc = clock_tsc(c);
    c->base_cyc = c->cyc;
    c->cbr = cbr;
}

uint64_t clock_ns(const struct clock_model *m, uint64_t tsc)
{
    uint64_t whole = tsc >> m->shift, rest = tsc & ((1ULL << m->shift) - 1);

    return m->zero + whole * m->mult + (rest * m->mult >> m->shift);
}

uint64_t clock_ticks(const struct clock_model *m, uint64_t ns)
{
    return (ns << m->shift) / m->mult;
}

uint64_t clock_ctc(const struct clock_model *m, uint64_t tsc)
{
    return tsc * m->ctc_den / m->ctc_num;
}

uint64_t clock_ctc_start(const struct clock_model *m, uint64_t ctc)
{
    return (ctc * m->ctc_num + m->ctc_den - 1) / m->ctc_den;
}
