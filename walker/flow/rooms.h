/* rooms.h - room for events, used again.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is told of a segment takes some MB, which one who works takes and another gives back,
 * again and again: given back to the system each time, and by who did not take it, that costs
 * much time and more memory than is ever in use.
 */
#ifndef PTS_WALKER_FLOW_ROOMS_H
#define PTS_WALKER_FLOW_ROOMS_H

#include "decoder/base/vec.h"
#include "walker/flow/event.h"

#include <ptscript/status.h>

/* Zero-initialise: none. */
struct room {
    VEC(struct pt_event) events;
    VEC(struct pt_more) more;
    VEC(struct pt_insn) insns;
};

struct rooms;
/* At most so many are kept. */
pts_status rooms_new(uint32_t most, struct rooms **out);
void rooms_free(struct rooms *r); /* NULL is fine */

/* By any thread.  There may be none left: then a new one is as large as was needed so far. */
void rooms_take(struct rooms *r, struct room *out);
void rooms_give(struct rooms *r, struct room *from);

#endif
