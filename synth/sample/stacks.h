/* stacks.h - call chains and last branches of samples: letters g G l L.
 *
 * SPDX-License-Identifier: MIT
 *
 * Those of made samples, and of recorded ones under G and L, are taken from what the
 * trace told of their thread so far; those of PEBS records stand in the trace itself.
 * Only what somebody wants is copied, and it lives as long as the batch.
 */
#ifndef PTS_SYNTH_SAMPLE_STACKS_H
#define PTS_SYNTH_SAMPLE_STACKS_H

#include "decoder/pt/event.h"
#include "synth/plan/plan.h"
#include "synth/sample/batch.h"
#include "synth/sample/chain.h"

/* Zero-initialise but for plan, which is lent. */
struct stacks {
    const struct plan *plan;
    struct chains chains;
    uint64_t words[2 * ITRACE_SIZE_MAX + 3]; /* of a chain, or of one from branches */
    struct pts_branch branches[ITRACE_SIZE_MAX];
};

void stacks_init(struct stacks *s, const struct plan *p);
void stacks_free(struct stacks *s);

/* Each sets sample->stacks. */
pts_status stacks_of_made(struct stacks *s, struct sample *sample, struct batch *b);
/* Those that were recorded are there already, lent. */
pts_status stacks_of_recorded(struct stacks *s, struct sample *sample, struct batch *b);
pts_status stacks_of_pebs(struct stacks *s, struct sample *sample,
                          const struct pt_block *block, struct batch *b);
/* Copies what is lent. */
pts_status stacks_keep(struct sample *sample, struct batch *b);

#endif
