/* synth_stacks.c - call chains and last branches of samples: letters g G l L.
 *
 * SPDX-License-Identifier: MIT
 *
 * spec 32, sections 1 and 3 to 5.  Only what will be printed is copied.
 */
#include "synth/callchain.h"
#include "synth/synth_state.h"

/* An LBR's info word as that of a branch stack. */
static uint64_t lbr_flags(uint64_t info)
{
    uint64_t mispred = info >> 63, in_tx = info >> 62 & 1, abort = info >> 61 & 1;

    return mispred | (mispred ^ 1) << 1 | in_tx << 2 | abort << 3 |
           (info & 0xffff) << 4;
}

/* L: so many branches may lie between a sample and its record. */
enum { LATE_KERNEL = 1024, LATE_USER = 1 };

void stacks_plan(struct synth *s, bool kernel_traced)
{
    const struct itrace *it = &s->opt.itrace;
    bool depth =
        s->opt.fields.of[CLASS_HARDWARE].on & F_(CALLINDENT) || s->opt.graph_function;
    bool late = itrace_on(it, ITRACE_ON(ADD_BRSTACK));

    s->chains.calls =
        depth || itrace_on(it, ITRACE_ON(CALLCHAIN) | ITRACE_ON(ADD_CALLCHAIN));
    s->chains.last_branches = 0;
    if (itrace_on(it, ITRACE_ON(BRSTACK) | ITRACE_ON(ADD_BRSTACK)))
        s->chains.last_branches = it->brstack_size + (!late           ? 0
                                                      : kernel_traced ? LATE_KERNEL
                                                                      : LATE_USER);
    s->use_stacks = s->chains.calls || s->chains.last_branches;
}

/* What the sample's class prints. */
static uint64_t fields_of(const struct synth *s, const struct sample *sample)
{
    return s->opt.fields.of[s->evl.ev.at[sample->event].class].on;
}

static const struct chain_stack *stack_of(const struct synth *s,
                                          const struct sample *sample)
{
    return chain_find(&s->chains, synth_chain_key(&sample->who));
}

void stacks_of_made(struct synth *s, struct sample *sample)
{
    const struct itrace *it = &s->opt.itrace;
    const struct chain_stack *stack = stack_of(s, sample);
    uint64_t on = fields_of(s, sample);
    struct sample_stacks *to = &s->stacks;

    *to = (struct sample_stacks){0};
    if (itrace_on(it, ITRACE_ON(CALLCHAIN)) && on & F_(IP)) {
        to->chain = s->chain_words;
        to->chain_len =
            callchain_take(stack, sample->ip, s->chain_words, it->callchain_size + 1);
    }
    if (itrace_on(it, ITRACE_ON(BRSTACK)) && stack && on & F_BRSTACKS) {
        to->branches = s->branch_words;
        to->branch_count = lbr_take(&stack->last, s->branch_words, it->brstack_size);
    }
    sample->stacks = to;
}

/* The branches of a PEBS record, newest first; returns how many. */
static uint32_t take_branches(const struct pt_block *b, struct last_branch *out)
{
    enum { WORDS = 3, ALL = 7 };
    uint32_t n = 0;

    for (unsigned group = BLOCK_LBR0; group <= BLOCK_LBR2; group++)
        for (unsigned i = 0; i + WORDS <= BLOCK_ITEMS; i += WORDS) {
            const uint64_t *from = &b->item[group][i];
            if ((b->has[group] >> i & ALL) == ALL)
                out[n++] = (struct last_branch){from[0], from[1], lbr_flags(from[2])};
        }
    return n;
}

/* The chain of a PEBS sample; to->branches are there. */
static void take_chain(struct synth *s, const struct sample *sample,
                       const struct chain_stack *stack, struct sample_stacks *to)
{
    const struct evl_attr *a = &s->evl.ev.at[sample->event].attr;
    uint32_t most = s->opt.itrace.callchain_size;
    size_t len = 0;

    to->chain = s->chain_words;
    if (most > 1) /* a context and an ip, or nothing */
        len = callchain_take(stack, sample->ip, s->chain_words, most);
    if (to->branches && a->branch_sample_type & PERF_BRANCH_CALL_STACK)
        to->whole = callchain_by_branches(s->chain_words, &len, synth_max_stack(s),
                                          to->branches, to->branch_count);
    to->chain_len = (uint32_t)len;
}

void stacks_of_pebs(struct synth *s, struct sample *sample, const struct pt_block *b)
{
    const struct itrace *it = &s->opt.itrace;
    const struct chain_stack *stack = s->use_stacks ? stack_of(s, sample) : NULL;
    uint64_t type = s->evl.ev.at[sample->event].attr.sample_type;
    struct sample_stacks *to = &s->stacks;

    *to = (struct sample_stacks){0};
    if (type & PERF_SAMPLE_BRANCH_STACK) {
        to->branches = s->branch_words;
        if (b->has[BLOCK_LBR0] || b->has[BLOCK_LBR1] || b->has[BLOCK_LBR2])
            to->branch_count = take_branches(b, s->branch_words);
        else if (itrace_on(it, ITRACE_ON(BRSTACK)) && stack)
            to->branch_count =
                lbr_take(&stack->last, s->branch_words, it->brstack_size);
    }
    if (type & PERF_SAMPLE_CALLCHAIN && itrace_on(it, ITRACE_ON(CALLCHAIN)))
        take_chain(s, sample, stack, to);
    sample->stacks = to;
}

void stacks_of_recorded(struct synth *s, struct sample *sample)
{
    const struct itrace *it = &s->opt.itrace;
    const struct chain_stack *stack = stack_of(s, sample);
    uint64_t on = fields_of(s, sample);
    struct sample_stacks *to = &s->stacks;

    if (!s->has_trace)
        return;
    *to = sample->stacks ? *sample->stacks : (struct sample_stacks){0};
    if (itrace_on(it, ITRACE_ON(ADD_CALLCHAIN)) && !to->chain && on & F_(IP)) {
        to->chain = s->chain_words;
        to->chain_len = callchain_take_late(stack, sample->ip, s->chain_words,
                                            it->callchain_size + 1);
        if (to->early) /* perf does not know yet where the kernel begins */
            s->chain_words[0] = CHAIN_KERNEL;
    }
    if (itrace_on(it, ITRACE_ON(ADD_BRSTACK)) && !to->branches && stack &&
        on & F_BRSTACKS) {
        to->branches = s->branch_words;
        to->branch_count =
            lbr_take_late(&stack->last, sample->ip, s->branch_words, it->brstack_size);
    }
    sample->stacks = to;
}
