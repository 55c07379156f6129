/* seek.h - finding one's feet: PSB+, the first address.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_STEP_SEEK_H
#define PTS_WALKER_STEP_SEEK_H

#include "walker/flow/flow_state.h"

/* To the next PSB. */
enum step sync_psb(struct flow *f);
/* To the next packet that has an address. */
enum step sync_ip(struct flow *f);
/* Before the first look for another address. */
void forget_place(struct flow *f);
/* A PSB+ that was read. */
enum step psb_event(struct flow *f);
/* To the ip that a PSB+ will state, then through the PSB+. */
enum step psb_walk_on(struct flow *f);
/* Whether the segment that was asked for ends here, between two packets. */
bool segment_ends(struct flow *f);
/* Whether it has gone on for so long that who waits for events should be asked.  True: the
 * step goes on here when the next one is made. */
bool pause_due(struct flow *f);

#endif
