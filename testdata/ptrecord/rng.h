/* rng.h - a small random number generator, seeded: recordings can be made again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_RNG_H
#define PTRECORD_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

uint64_t rng_next(struct rng *r);
/* LOW..HIGH, both included. */
uint32_t rng_range(struct rng *r, uint32_t low, uint32_t high);
/* True once in N; N 0: never. */
bool rng_one_in(struct rng *r, uint32_t n);

#endif
