/* branch_flags.h - the word of a branch stack entry that says how the branch went.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SAMPLE_BRANCH_FLAGS_H
#define PTS_SYNTH_SAMPLE_BRANCH_FLAGS_H

#include <stdint.h>

/* Bits that entries made from the trace have. */
enum { BRF_MISPRED = 1u << 0, BRF_IN_TX = 1u << 2, BRF_ABORT = 1u << 3 };

struct branch_flags {
    unsigned mispred, predicted, in_tx, abort, cycles, type, extended, reserved;
};

struct branch_flags branch_flags(uint64_t word);
/* perf's name of the kind of branch, "" unknown. */
const char *branch_type(const struct branch_flags *b);

#endif
