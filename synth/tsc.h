/* tsc.h - between TSC ticks and the nanoseconds of perf's clock (spec B7).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_TSC_H
#define PTS_SYNTH_TSC_H

#include <stdint.h>

struct tsc_conv {
    uint64_t zero, mult; /* mult is not 0 */
    uint8_t shift;       /* at most 63 */
};

static inline uint64_t tsc_to_ns(uint64_t tsc, const struct tsc_conv *c)
{
    uint64_t quot = tsc >> c->shift;
    uint64_t rem = tsc & ((1ull << c->shift) - 1);

    return c->zero + quot * c->mult + ((rem * c->mult) >> c->shift);
}

/* A length of time: no zero point. */
static inline uint64_t tsc_ticks_of_ns(uint64_t ns, const struct tsc_conv *c)
{
    uint64_t quot = ns / c->mult, rem = ns % c->mult;

    return (quot << c->shift) + (rem << c->shift) / c->mult;
}

static inline uint64_t tsc_of_ns(uint64_t ns, const struct tsc_conv *c)
{
    return tsc_ticks_of_ns(ns - c->zero, c);
}

#endif
