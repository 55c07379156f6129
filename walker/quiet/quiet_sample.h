/* quiet_sample.h - instructions that are counted off, sampled on the quiet way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_QUIET_QUIET_SAMPLE_H
#define PTS_WALKER_QUIET_QUIET_SAMPLE_H

#include "walker/quiet/quiet_branches.h"

/* The n-th instruction of a leg, before its end, if a sample of it can be told from here. */
bool sample_place(const struct flow *f, const struct leg *leg, const struct stretch *in,
                  uint32_t n, struct leg_insn *out);
/* Tells it.  f is at the beginning of the leg, in the phase of what is followed, and stays there.
 * False: the end of the selected times. */
bool sample_tell(struct flow *f, const struct leg_insn *at, const struct stretch *in,
                 uint64_t n);

/* One of a run, behind so many instructions; it is what was walked last. */
struct plain_branch sample_insn(struct flow *f, const struct leg_insn *at,
                                const struct stretch *in, uint64_t insns);
/* What it is. */
static inline uint32_t sample_what(const struct leg_insn *at)
{
    return EV_INSN | (at->direct ? EV_BRANCH : 0);
}

/* Tells it. */
void sample_put(struct flow *f, struct quiet_walk *w, const struct plain_branch *at,
                uint32_t what, const struct tell_time *when);

#endif
