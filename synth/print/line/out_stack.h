/* out_stack.h - call chains and branch stacks of a sample, as perf script prints them.
 *
 * SPDX-License-Identifier: MIT
 *
 * All of these print addresses by way of spots, as lines do, so that the frames of a
 * chain that comes again are copied.
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_STACK_H
#define PTS_SYNTH_PRINT_LINE_OUT_STACK_H

#include "synth/print/line/out_opts.h"
#include "synth/print/line/out_spot.h"
#include "synth/sample/sample.h"

/* What is printed, and for which sample; that has stacks. */
struct out_stack {
    struct spots *spots;
    const struct lookup *look;
    const struct out_opts *opts;
    const struct sample *sample;
    uint8_t class;
    uint64_t on; /* fields of the class */
};

/* A line for each frame. */
void out_chain(const struct out_stack *o, struct text *t);
/* The first that is on of brstack, brstacksym and brstackoff. */
void out_brstack(const struct out_stack *o, struct text *t);
/* brstackinsn: the code between the branches, on lines of its own. */
void out_brinsn(const struct out_stack *o, struct text *t);

#endif
