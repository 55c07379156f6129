/* stacks.c - call chains and last branches of samples: letters g G l L.
 *
 * SPDX-License-Identifier: MIT
 *
 * A chain is put together in a place that fits the longest and copied from there, as
 * its length is only known when it is done.
 */
#include "synth/sample/stacks.h"

#include "synth/sample/callchain.h"

void stacks_init(struct stacks *s, const struct plan *p)
{
    s->plan = p;
    s->chains.calls = p->stack.calls;
    s->chains.last_branches = p->stack.last_branches;
    s->chains.mispredicted = p->stack.mispredicted;
}

void stacks_free(struct stacks *s)
{
    chain_free(&s->chains);
}

/* A stack that is there but empty is told from none, so it must not be NULL. */
static pts_status keep(struct batch *b, struct sample *sample,
                       const struct sample_stacks *from)
{
    static const uint64_t none[1];
    static const struct pts_branch no_branch[1];
    struct sample_stacks to = *from;
    size_t words = from->chain_len * sizeof(*to.chain);
    size_t branches = from->branch_count * sizeof(*to.branches);
    size_t unwound = from->unwound_len * sizeof(*to.unwound);
    size_t below = from->below_len * sizeof(*to.below);

    if (to.chain)
        to.chain = words ? batch_keep(b, from->chain, words) : none;
    if (to.branches)
        to.branches = branches ? batch_keep(b, from->branches, branches) : no_branch;
    if (to.unwound)
        to.unwound = unwound ? batch_keep(b, from->unwound, unwound) : none;
    if (to.below)
        to.below = batch_keep(b, from->below, below);
    sample->stacks = batch_keep(b, &to, sizeof(to));
    /* Each copy that was made is there. */
    bool all = sample->stacks && !to.chain == !from->chain &&
               !to.branches == !from->branches && !to.unwound == !from->unwound &&
               !to.below == !from->below;
    return all ? PTS_OK : PTS_E_NOMEM;
}

pts_status stacks_keep(struct sample *sample, struct batch *b)
{
    return sample->stacks ? keep(b, sample, sample->stacks) : PTS_OK;
}

static const struct chain_stack *stack_of(const struct stacks *s,
                                          const struct sample *sample)
{
    return chain_find(&s->chains, chain_key_of(&sample->who));
}

pts_status stacks_of_made(struct stacks *s, struct sample *sample, struct batch *b)
{
    const struct itrace *it = &s->plan->opt.itrace;
    const struct chain_stack *stack = stack_of(s, sample);
    uint32_t want = plan_wants(s->plan, sample->event);
    struct sample_stacks to = {0};

    if (itrace_on(it, ITRACE_ON(CALLCHAIN)) && want & WANT_CHAINS) {
        to.chain = s->words;
        /* One more than the size: perf counts its context mark, too. */
        to.chain_len =
            callchain_take(stack, sample->ip, s->words, it->callchain_size + 1);
    }
    if (itrace_on(it, ITRACE_ON(BRSTACK)) && stack && want & WANT_BRANCHES) {
        to.branches = s->branches;
        to.branch_count = lbr_take(&stack->last, s->branches, it->brstack_size);
    }
    return keep(b, sample, &to);
}

/* What was recorded stays; the letters G and L add what is missing. */
pts_status stacks_of_recorded(struct stacks *s, struct sample *sample, struct batch *b)
{
    const struct itrace *it = &s->plan->opt.itrace;
    const struct chain_stack *stack = stack_of(s, sample);
    uint32_t want = plan_wants(s->plan, sample->event);
    struct sample_stacks to = {0};

    if (sample->stacks)
        to = *sample->stacks;
    if (itrace_on(it, ITRACE_ON(ADD_CALLCHAIN)) && !to.chain && want & WANT_CHAINS) {
        to.chain = s->words;
        to.chain_len =
            callchain_take_late(stack, sample->ip, s->words, it->callchain_size + 1);
        if (to.early) /* perf does not know yet where the kernel begins */
            s->words[0] = PTS_CONTEXT_KERNEL;
    }
    if (itrace_on(it, ITRACE_ON(ADD_BRSTACK)) && !to.branches && stack &&
        want & WANT_BRANCHES) {
        to.branches = s->branches;
        to.branch_count =
            lbr_take_late(&stack->last, sample->ip, s->branches, it->brstack_size);
    }
    return keep(b, sample, &to);
}

/* --- PEBS records ----------------------------------------------------------------- */

/* An LBR's info word as that of a branch stack. */
static uint64_t lbr_flags(uint64_t info)
{
    uint64_t mispred = info >> 63, in_tx = info >> 62 & 1, abort = info >> 61 & 1;

    return mispred | (mispred ^ 1) << 1 | in_tx << 2 | abort << 3 |
           (info & 0xffff) << 4;
}

/* The branches of a record, newest first; returns how many. */
static uint32_t take_branches(const struct pt_block *b, struct pts_branch *out)
{
    enum { WORDS = 3, ALL = 7 };
    uint32_t n = 0;

    for (unsigned group = BLOCK_LBR0; group <= BLOCK_LBR2; group++)
        for (unsigned i = 0; i + WORDS <= BLOCK_ITEMS; i += WORDS) {
            const uint64_t *from = &b->item[group][i];
            /* A branch is three words; one that the trace has lost a word of is left
             * out. */
            if ((b->has[group] >> i & ALL) == ALL)
                out[n++] = (struct pts_branch){from[0], from[1], lbr_flags(from[2])};
        }
    return n;
}

/* The chain; to->branches are there. */
static void take_chain(struct stacks *s, const struct sample *sample,
                       const struct chain_stack *stack, struct sample_stacks *to)
{
    const struct evl_attr *a = &s->plan->evl.ev.at[sample->event].attr;
    uint32_t most = s->plan->opt.itrace.callchain_size;
    size_t len = 0;

    to->chain = s->words;
    if (most > 1) /* a context and an ip, or nothing */
        len = callchain_take(stack, sample->ip, s->words, most);
    if (to->branches && a->branch_sample_type & PTS_BRANCH_CALL_STACK)
        to->whole = callchain_by_branches(s->words, &len, plan_max_stack(s->plan),
                                          to->branches, to->branch_count);
    to->chain_len = (uint32_t)len;
}

pts_status stacks_of_pebs(struct stacks *s, struct sample *sample,
                          const struct pt_block *block, struct batch *b)
{
    const struct itrace *it = &s->plan->opt.itrace;
    const struct chain_stack *stack = s->plan->stack.any ? stack_of(s, sample) : NULL;
    uint64_t type = s->plan->evl.ev.at[sample->event].attr.sample_type;
    struct sample_stacks to = {0};

    if (type & PTS_SAMPLE_BRANCH_STACK) {
        to.branches = s->branches;
        if (block->has[BLOCK_LBR0] || block->has[BLOCK_LBR1] || block->has[BLOCK_LBR2])
            to.branch_count = take_branches(block, s->branches);
        else if (itrace_on(it, ITRACE_ON(BRSTACK)) && stack)
            to.branch_count = lbr_take(&stack->last, s->branches, it->brstack_size);
    }
    if (type & PTS_SAMPLE_CALLCHAIN && itrace_on(it, ITRACE_ON(CALLCHAIN)))
        take_chain(s, sample, stack, &to);
    return keep(b, sample, &to);
}
