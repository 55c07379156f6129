/* guest.h - whose samples of guests are.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf goes by the sample's mode: one of a guest is of the machine that the thread's process
 * runs, and its thread is looked for there.
 */
#ifndef PTS_SYNTH_SAMPLE_GUEST_H
#define PTS_SYNTH_SAMPLE_GUEST_H

#include "synth/symbol/place.h"
#include "walker/sideband/sideband.h"

/* The rest of *whose, of which the host's thread is known; *until: as in struct sb_who, lowered. */
void guest_whose(const struct sideband *sb, struct whose *whose, uint32_t *until);

/* Moves whom a record is about into the guest that it is of.  from: its counter, or NULL;
 * runner: the process that runs the guest if the counter does not tell. */
struct guest_of {
    const struct pts_counter *from;
    int32_t runner;
    struct pts_thread about;
};
void guest_record(const struct sideband *sb, const struct guest_of *g, struct who *who);

#endif
