/* chance.h - the same dice each time: what a test does at random can be done again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_TESTS_PROP_CHANCE_H
#define PTS_TESTS_PROP_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Set it to any number but 0. */
static uint64_t chance;

static uint32_t below(uint32_t n)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (uint32_t)((chance >> 20) % n);
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

#endif
