/* net_calls.h - calls and returns, less those that cancel out.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who asks for call stacks only never looks at one between two other events, so a call that
 * has returned by then, to where it came from, need not be told:
 *
 *     sample   call a   call b   return from b   call c   return from c   sample
 *              told                                                     ^ here
 *
 * Nor need an end of tracing that leads nowhere: no stack changes by it.  Where tracing begins is told like a
 * call, as whoever was to return there has returned.
 */
#ifndef PTS_WALKER_FLOW_NET_CALLS_H
#define PTS_WALKER_FLOW_NET_CALLS_H

#include "walker/code/leg.h"

struct flow;
struct plain_form;

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

static inline bool net_is_call(const struct net_call *c)
{
    return c->cls == INSN_CALL;
}

/* To nowhere, or to the next instruction, which asks for its own address: nobody returns. */
static inline bool net_stays(const struct net_call *c)
{
    return net_is_call(c) && (!c->to || c->to == c->from + c->ilen);
}

static inline void net_add(struct net_calls *n, struct net_call c)
{
    const struct net_call *last = &n->at[n->count - (n->count > 0)];

    if (net_stays(&c))
        return;
    if (c.cls == INSN_RET && n->count && net_is_call(last) &&
        last->from + last->ilen == c.to)
        n->count--;
    else
        n->at[n->count++] = c;
}

/* A direct call that a leg passes; start: of the part of a file that it is in, as mapped. */
static inline void net_pass(struct net_calls *n, const struct leg_pass *c,
                            uint64_t start, enum ild_mode mode)
{
    const uint64_t ret = start + c->ret, to = ret + (uint64_t)(int64_t)c->rel;

    net_add(n, (struct net_call){.from = ret - c->len,
                                 .to = ild_is_64(mode) ? to : (uint32_t)to,
                                 .ilen = (uint8_t)c->len,
                                 .cls = INSN_CALL});
}

/* Tracing begins: what waits in front of that does not cancel out with what comes behind. */
static inline void net_begin(struct net_calls *n, uint64_t to)
{
    n->at[n->count++] = (struct net_call){.to = to, .cls = INSN_OTHER};
}

/* All of them. */
static inline void net_leg(struct net_calls *n, const struct leg *leg, uint64_t start,
                           enum ild_mode mode)
{
    for (const struct leg_pass *c = leg->pass, *end = c + leg->direct; c < end; c++)
        if (c->call)
            net_pass(n, c, start, mode);
}

/* The branch at its end. */
static inline void net_end(struct net_calls *n, const struct leg *leg, uint64_t start,
                           uint64_t to)
{
    net_add(n,
            (struct net_call){
                .from = start + leg->end, .to = to, .ilen = leg->len, .cls = leg->cls});
}

/* Another packet may have no room. */
static inline bool net_full(const struct net_calls *n)
{
    return n->count > NET_CALLS - NET_OF_PACKET;
}

/* At the queue's time, with the counts as they are. */
void net_tell(struct flow *f);
/* The same at another time, behind so many instructions. */
void net_tell_as(struct flow *f, const struct plain_form *form, uint64_t ninsn);

#endif
