/* leg_branches.h - the branches of a leg that was passed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_LEG_BRANCHES_H
#define PTS_WALKER_FLOW_LEG_BRANCHES_H

#include "walker/flow/emit.h"
#include "walker/flow/legs.h"

/* The one at its end; fresh: the first one behind a packet of time. */
static inline struct plain_branch branch_at_end(const struct flow *f,
                                                const struct leg_passed *p, bool fresh)
{
    const struct leg *leg = p->leg;

    return (struct plain_branch){
        .from = p->in->start + leg->end,
        .to = p->to,
        .ninsn = f->walk.ninsn + p->insns + leg_ninsn(leg),
        .fresh = fresh,
        .cls = leg->cls,
        .ilen = leg->len,
    };
}

/* A direct one on the way there. */
static inline struct plain_branch branch_passed(const struct flow *f,
                                                const struct leg_passed *p,
                                                const struct leg_pass *c)
{
    const uint64_t behind = p->in->start + c->ret;
    const uint64_t to = behind + (uint64_t)(int64_t)c->rel;

    return (struct plain_branch){
        .from = behind - c->len,
        .to = ild_is_64(p->in->mode) ? to : (uint32_t)to,
        .ninsn = f->walk.ninsn + p->insns + c->ninsn,
        .cls = c->call ? INSN_CALL : INSN_JMP,
        .ilen = (uint8_t)c->len,
    };
}

#endif
