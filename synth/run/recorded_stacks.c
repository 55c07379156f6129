/* recorded_stacks.c - call chains and branch stacks that were recorded with a sample.
 *
 * SPDX-License-Identifier: MIT
 *
 * In the file they need not be aligned, so they are copied.
 */
#include "synth/run/run.h"
#include "synth/sample/callchain.h"

static pts_status add_chain(struct run *r, const struct pts_words *from)
{
    for (uint64_t i = 0; i < from->count; i++) {
        uint64_t *word = VEC_PUSH(&r->recorded.chain);
        if (!word)
            return PTS_E_NOMEM;
        *word = pts_word(from, i);
    }
    return PTS_OK;
}

/* The user part that came later stands in place of the two words that announce it. */
static pts_status copy_chain(struct run *r, const struct pts_words *from)
{
    r->recorded.chain.len = 0;
    pts_status st = add_chain(r, from);
    if (st != PTS_OK || !r->deferred.user)
        return st;
    r->recorded.chain.len -= 2;
    return add_chain(r, r->deferred.user);
}

static pts_status copy_branches(struct run *r, const struct pts_sample *p)
{
    r->recorded.branches.len = 0;
    for (uint64_t i = 0; i < p->branch_count; i++) {
        const uint8_t *at = p->branches + PERF_BRANCH_BYTES * i;
        struct pts_branch *b = VEC_PUSH(&r->recorded.branches);
        if (!b)
            return PTS_E_NOMEM;
        *b = (struct pts_branch){rd_u64(at), rd_u64(at + 8), rd_u64(at + 16)};
    }
    return PTS_OK;
}

pts_status recorded_stacks(struct run *r, const struct pts_attr *a,
                           const struct pts_sample *p, struct sample_stacks *out)
{
    static const uint64_t no_words[1] = {0};
    static const struct pts_branch no_branches[1];
    pts_status st = copy_chain(r, &p->callchain);
    bool whole = false;

    if (st == PTS_OK)
        st = copy_branches(r, p);
    if (st == PTS_OK && a->branch_sample_type & PTS_BRANCH_CALL_STACK) {
        if (!VEC_ROOM(&r->recorded.chain, r->recorded.branches.len + 2))
            return PTS_E_NOMEM;
        whole = callchain_by_branches(r->recorded.chain.at, &r->recorded.chain.len,
                                      plan_max_stack(r->plan), r->recorded.branches.at,
                                      r->recorded.branches.len);
    }
    *out = (struct sample_stacks){
        .chain_len = (uint32_t)r->recorded.chain.len,
        .branch_count = (uint32_t)r->recorded.branches.len,
        .hw_index = p->branch_hw_idx,
        .has_hw_index = a->branch_sample_type & PTS_BRANCH_HW_INDEX,
        .whole = whole,
        .early = !r->queues.merge || !queues_began(&r->queues)};
    if (p->type & PTS_SAMPLE_CALLCHAIN)
        out->chain = r->recorded.chain.len ? r->recorded.chain.at : no_words;
    if (p->type & PTS_SAMPLE_BRANCH_STACK)
        out->branches =
            r->recorded.branches.len ? r->recorded.branches.at : no_branches;
    return st;
}
