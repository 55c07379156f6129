/* tee.h - one decode for several sinks.
 *
 * SPDX-License-Identifier: MIT
 *
 *     batch   [ 0 | 1 | 2 | ... | 127 ]
 *                   ^           ^
 *                   sink 1      sink 0     each at its own pace; the tee has taken what
 *                                          all of them have
 */
#ifndef PTS_SYNTH_SAMPLE_TEE_H
#define PTS_SYNTH_SAMPLE_TEE_H

#include "synth/sample/sink.h"

enum { TEE_SINKS = 4 };

/* Zero-initialise, but for the sinks. */
struct tee {
    struct sink sink[TEE_SINKS];
    size_t count;
    size_t taken[TEE_SINKS]; /* of the batch at hand */
    const struct sink *pace; /* whose `left` is that of all; NULL: all are wanted */
};

/* t is lent for the life of the result. */
struct sink tee_sink(struct tee *t);

#endif
