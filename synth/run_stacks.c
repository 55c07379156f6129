/* run_stacks.c - call chains and branch stacks that were recorded with a sample.
 *
 * SPDX-License-Identifier: MIT
 *
 * In the file they need not be aligned, so they are copied.
 */
#include "synth/callchain.h"
#include "synth/run.h"

static pts_status add_chain(struct pts_stream *r, const struct pts_words *from)
{
    for (uint64_t i = 0; i < from->count; i++) {
        uint64_t *word = VEC_PUSH(&r->chain);
        if (!word)
            return PTS_E_NOMEM;
        *word = pts_word(from, i);
    }
    return PTS_OK;
}

/* The user part that came later stands in place of the two words that announce it. */
static pts_status copy_chain(struct pts_stream *r, const struct pts_words *from)
{
    r->chain.len = 0;
    pts_status st = add_chain(r, from);
    if (st != PTS_OK || !r->deferred.user)
        return st;
    r->chain.len -= 2;
    return add_chain(r, r->deferred.user);
}

static pts_status copy_branches(struct pts_stream *r, const struct pts_sample *p)
{
    r->branches.len = 0;
    for (uint64_t i = 0; i < p->branch_count; i++) {
        const uint8_t *at = p->branches + PERF_BRANCH_BYTES * i;
        struct last_branch *b = VEC_PUSH(&r->branches);
        if (!b)
            return PTS_E_NOMEM;
        *b = (struct last_branch){rd_u64(at), rd_u64(at + 8), rd_u64(at + 16)};
    }
    return PTS_OK;
}

pts_status run_stacks(struct pts_stream *r, const struct pts_attr *a,
                      const struct pts_sample *p, struct sample_stacks *out)
{
    static const uint64_t no_words[1] = {0};
    static const struct last_branch no_branches[1];
    pts_status st = copy_chain(r, &p->callchain);
    bool whole = false;

    if (st == PTS_OK)
        st = copy_branches(r, p);
    if (st == PTS_OK && a->branch_sample_type & PERF_BRANCH_CALL_STACK) {
        if (!VEC_ROOM(&r->chain, r->branches.len + 2))
            return PTS_E_NOMEM;
        whole =
            callchain_by_branches(r->chain.at, &r->chain.len, synth_max_stack(r->synth),
                                  r->branches.at, r->branches.len);
    }
    *out = (struct sample_stacks){.chain_len = (uint32_t)r->chain.len,
                                  .branch_count = (uint32_t)r->branches.len,
                                  .whole = whole,
                                  .early = !r->merge || !merge_began(r->merge)};
    if (p->type & PERF_SAMPLE_CALLCHAIN)
        out->chain = r->chain.len ? r->chain.at : no_words;
    if (p->type & PERF_SAMPLE_BRANCH_STACK)
        out->branches = r->branches.len ? r->branches.at : no_branches;
    return st;
}
