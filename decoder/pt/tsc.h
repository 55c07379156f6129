/* tsc.h - between TSC ticks and the nanoseconds of perf's clock.
 *
 * SPDX-License-Identifier: MIT
 *
 * The kernel publishes ns = zero + (ticks * mult >> shift).  The product is taken in two
 * parts, as it does not fit 64 bits.  Several ticks may fall into one nanosecond, so a tick
 * does not come back from a round trip: whoever needs all ticks of a time looks around
 * (time_in_ticks).
 */
#ifndef PTS_DECODER_PT_TSC_H
#define PTS_DECODER_PT_TSC_H

#include <stdint.h>

struct tsc_conv {
    uint64_t zero;
    uint32_t mult; /* not 0 */
    uint8_t shift; /* at most 63 */
};

/* From the numbers of a file.  perf keeps 32 bits of mult and shifts as x86 does; where
 * mult is 0 it dies, and here it is 1. */
static inline struct tsc_conv tsc_conv_of(uint64_t shift, uint64_t mult, uint64_t zero)
{
    return (struct tsc_conv){
        .zero = zero, .mult = (uint32_t)mult ? (uint32_t)mult : 1, .shift = shift & 63};
}

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
