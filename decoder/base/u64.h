/* u64.h - a double as a number of 64 bits, whatever it is.
 *
 * SPDX-License-Identifier: MIT
 *
 * C defines the conversion only for what fits.  A damaged file makes times that are
 * infinite, negative or no number, and perf prints what its compiler made of them: x86
 * converts to signed numbers only, and says 2^63 for all that is not one.
 */
#ifndef PTS_DECODER_BASE_U64_H
#define PTS_DECODER_BASE_U64_H

#include <stdint.h>

static inline uint64_t u64_of_double(double v)
{
    static const double top = 0x1p63;

    if (v >= top) /* the upper half: convert what is above it */
        return v - top < top ? (uint64_t)(v - top) + (UINT64_C(1) << 63) : 0;
    return v >= -top ? (uint64_t)(int64_t)v : UINT64_C(1) << 63;
}

#endif
