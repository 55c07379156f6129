/* synth_stacks.c - call chains and last branches of samples: letters g G l L.
 *
 * SPDX-License-Identifier: MIT
 *
 * spec 32, sections 1 and 3 to 5.  Only what will be printed is copied.
 */
#include "synth/callchain.h"
#include "synth/synth_state.h"

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
