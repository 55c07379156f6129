/* hops.h - frames that are ends of branches (--branch-history), and how often they were.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_HOPS_H
#define PTS_SYNTH_REPORT_HOPS_H

#include "synth/print/text.h"

#include <ptscript/record.h>

/* Of a frame of one sample. */
struct hop {
    uint64_t flags;  /* of struct pts_branch */
    uint64_t from;   /* of the target: where the branch came from; else 0 */
    uint64_t cycles; /* of the last of the rounds that were taken out */
    uint32_t rounds; /* of a loop that were taken out */
    bool branch;     /* or a frame of an ordinary chain */
};

/* Of a frame of a tree. */
struct hop_count {
    uint32_t branches, predicted, aborted,
        again; /* again: sources, but for the first */
    uint64_t cycles, rounds, round_cycles;
    uint32_t types;     /* bit 0 to 15: kinds of branches; from 16 on: newer kinds */
    uint8_t directions; /* enum hop_direction, as bits */
    bool target;
};

/* One more, of a frame at ip. */
void hop_first(struct hop_count *c, const struct hop *h, uint64_t ip);
void hop_again(struct hop_count *c, const struct hop *h, uint64_t ip);
/* What perf writes behind a frame, at most so many characters. */
void hop_put(const struct hop_count *c, size_t most, struct text *t);

#endif
