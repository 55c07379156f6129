/* hash.h - hashing of bytes, by xxHash.
 *
 * SPDX-License-Identifier: MIT
 *
 * The only file that knows the library, which is used as a header: nothing is linked.
 * XXH3 takes 10 ns for a path where a loop over its bytes takes 50, and mixes all bits.
 * A number is hashed by one multiplication where that is enough (idmap.c).
 *
 * Whoever includes this gets the code inlined: keep that to a file or two.
 */
#ifndef PTS_DECODER_BASE_HASH_H
#define PTS_DECODER_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdint.h>

/* n bytes of p, hashed on from h: any number, or the hash of what comes before. */
static inline uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
    return XXH3_64bits_withSeed(p, n, h);
}

#endif
