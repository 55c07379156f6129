/* net_calls.h - calls and returns, less those that cancel out.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who asks for call stacks only never looks at one between two other events, so a call that
 * has returned by then, to where it came from, need not be told:
 *
 *     sample   call a   call b   return from b   call c   return from c   sample
 *              told                                                     ^ here
 */
#ifndef PTS_WALKER_FLOW_NET_CALLS_H
#define PTS_WALKER_FLOW_NET_CALLS_H

#include "walker/code/leg.h"

struct flow;

struct net_call {
    uint64_t from, to;
    uint8_t ilen, cls;
};

enum {
    NET_CALLS = 2048,
    NET_OF_PACKET =
        64 * (LEG_PASS_MAX + 2) /* 64 outcomes: calls, and what ends the leg */
};

/* Those that wait to be told. */
struct net_calls {
    uint32_t count;
    struct net_call at[NET_CALLS];
};

/* The direct calls that a leg passes; start: of the part of a file that it is in, as mapped. */
void net_leg(struct net_calls *n, const struct leg *leg, uint64_t start,
             enum ild_mode mode);
/* The branch at its end. */
void net_end(struct net_calls *n, const struct leg *leg, uint64_t start, uint64_t to);

/* Another packet may have no room. */
static inline bool net_full(const struct net_calls *n)
{
    return n->count > NET_CALLS - NET_OF_PACKET;
}

/* At the queue's time, with the counts as they are. */
void net_tell(struct flow *f);

#endif
