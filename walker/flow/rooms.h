/* rooms.h - room for events, used again.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is told of a segment takes some MB, which one who works takes and another gives back,
 * again and again: given back to the system each time, and by who did not take it, that costs
 * much time and more memory than is ever in use.  It is in many rooms of about the same size, as
 * one may tell ten times as much as another.
 */
#ifndef PTS_WALKER_FLOW_ROOMS_H
#define PTS_WALKER_FLOW_ROOMS_H

#include "decoder/base/vec.h"
#include "walker/flow/event.h"

#include <ptscript/status.h>

/* What a batch of events is in.  Zero-initialise: none. */
struct room {
    VEC(struct pt_event) events;
    VEC(struct pt_more) more;
    VEC(struct pt_insn) insns;
    VEC(struct pt_extra) extras;
    VEC(struct pt_block) blocks;
};
/* Nothing is in it any more. */
void room_clear(struct room *r);
void room_free(struct room *r);

struct rooms;
pts_status rooms_new(struct rooms **out);
void rooms_free(struct rooms *r); /* NULL is fine */

/* By any thread.  There may be none left: then it is a new one, which grows. */
void rooms_take(struct rooms *r, struct room *out);
void rooms_give(struct rooms *r, struct room *from);

#endif
