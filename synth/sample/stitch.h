/* stitch.h - call stacks that are deeper than the processor's branch registers.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf script --stitch-lbr: the registers hold the last calls of a thread, each in its
 * own register.  When two samples have calls in common, in the same registers, what the
 * first had below them is still there, though the registers hold newer calls by now.
 */
#ifndef PTS_SYNTH_SAMPLE_STITCH_H
#define PTS_SYNTH_SAMPLE_STITCH_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/sample/sample.h"

struct stitch_thread {
    VEC(struct pts_branch) last; /* of the last sample, newest first */
    uint64_t index;              /* register of the newest */
    bool any;
    /* Calls below those, youngest first; to: where the newest of their time came from. */
    VEC(struct pts_branch) below;
};

/* Zero-initialise but for depth; give back with stitch_free. */
struct stitch {
    uint64_t depth; /* registers; 0: not known, nothing is done */
    VEC(struct stitch_thread) thread;
    struct idmap by_thread; /* index in thread */
    struct sample_stacks stacks;
    VEC(uint64_t) chain;
};

/* A sample with a chain from its branches gets what is known to be below them.  What it then
 * points to is there until the next call. */
pts_status stitch_sample(struct stitch *x, struct sample *s);
void stitch_free(struct stitch *x);

#endif
