/* relay_give.h - segments of a queue on their way to the crew and back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_RELAY_RELAY_GIVE_H
#define PTS_WALKER_RELAY_RELAY_GIVE_H

#include "walker/relay/relay_state.h"

/* As many as are allowed, each from a guess. */
void relay_give_ahead(struct relay *r);
/* The next one, whose beginning is known, if it is there that a flow ended. */
void relay_give_known(struct relay *r, const struct carry *truth,
                      const struct flow *flow, const uint8_t *missing);
/* The beginning of the queue, from where its own flow has started: if it fails that goes on. */
void relay_give_start(struct relay *r);

/* The first one that was given is done with; all are. */
void relay_first_gone(struct relay *r);
void relay_all_gone(struct relay *r);
/* Where the next one begins is looked for anew, if what was to come next was left behind. */
void relay_cut_again(struct relay *r);

/* A guess was right, so that more are made; or wrong, and fewer are. */
void relay_guess_more(struct relay *r);
void relay_guess_less(struct relay *r);

#endif
