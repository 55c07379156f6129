/* rng.c - a small random number generator.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/rng.h"

uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15; /* splitmix64 */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint32_t rng_range(struct rng *r, uint32_t low, uint32_t high)
{
    return low + (uint32_t)(rng_next(r) % (high - low + 1u));
}

bool rng_one_in(struct rng *r, uint32_t n)
{
    return n && rng_next(r) % n == 0;
}
