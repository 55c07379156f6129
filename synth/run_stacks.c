/* run_stacks.c - call chains and branch stacks that were recorded with a sample.
 *
 * SPDX-License-Identifier: MIT
 *
 * In the file they need not be aligned, so they are copied.
 */
#include "synth/run.h"

static pts_status copy_chain(struct pts_stream *r, const struct perf_words *from)
{
    r->chain.len = 0;
    for (uint64_t i = 0; i < from->count; i++) {
        uint64_t *word = VEC_PUSH(&r->chain);
        if (!word)
            return PTS_E_NOMEM;
        *word = perf_word(from, i);
    }
    return PTS_OK;
}

static pts_status copy_branches(struct pts_stream *r, const struct perf_sample *p)
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

pts_status run_stacks(struct pts_stream *r, const struct perf_sample *p,
                      struct sample_stacks *out)
{
    static const uint64_t no_words[1] = {0};
    static const struct last_branch no_branches[1];
    pts_status st = copy_chain(r, &p->callchain);

    if (st == PTS_OK)
        st = copy_branches(r, p);
    *out = (struct sample_stacks){.chain_len = (uint32_t)r->chain.len,
                                  .branch_count = (uint32_t)r->branches.len,
                                  .early = !r->merge || !merge_began(r->merge)};
    if (p->type & PERF_SAMPLE_CALLCHAIN)
        out->chain = r->chain.len ? r->chain.at : no_words;
    if (p->type & PERF_SAMPLE_BRANCH_STACK)
        out->branches = r->branches.len ? r->branches.at : no_branches;
    return st;
}
