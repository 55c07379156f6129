/* test_callchain.c - the words of a call chain.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/callchain.h"
#include "tests/lib/t.h"

#define KERNEL 0xffffffff81000000u

static uint64_t word[16];

/* Oldest first. */
static struct chain_stack stack_of(struct chain_call *calls, size_t n)
{
    struct chain_stack s = {0};
    s.call.at = calls;
    s.call.len = n;
    return s;
}

static struct chain_call mixed[] = {
    {0x100,        false},
    {0x200,        false},
    {KERNEL + 0x1, false},
    {KERNEL + 0x2, false},
};

T(callers_of_a_sample)
{
    struct chain_stack s = stack_of(mixed, 2);
    EQ(callchain_take(&s, 0x300, word, 16), 4);
    EQ(word[0], PTS_CONTEXT_USER);
    EQ(word[1], 0x300);
    EQ(word[2], 0x200);
    EQ(word[3], 0x100);
    EQ(callchain_take(&s, 0x300, word, 3), 3);
    EQ(callchain_take(&s, 0x300, word, 2), 2);
    EQ(callchain_take(NULL, 0, word, 16), 2);
    EQ(word[0], PTS_CONTEXT_USER);
    EQ(word[1], 0);
}

T(a_word_where_user_code_begins)
{
    struct chain_stack s = stack_of(mixed, 4);
    EQ(callchain_take(&s, KERNEL, word, 16), 7);
    EQ(word[0], PTS_CONTEXT_KERNEL);
    EQ(word[2], KERNEL + 2);
    EQ(word[4], PTS_CONTEXT_USER);
    EQ(word[5], 0x200);
    EQ(callchain_take(&s, KERNEL, word, 6), 6);
    EQ(callchain_take(&s, KERNEL, word, 5), 4); /* never as the last one */
}

T(kernel_code_after_a_sample_is_left_out)
{
    struct chain_stack s = stack_of(mixed, 4);
    EQ(callchain_take_late(&s, 0x250, word, 16), 3);
    EQ(word[0], PTS_CONTEXT_USER);
    EQ(word[1], 0x200);
    EQ(callchain_take_late(&s, KERNEL + 1, word, 16), 5);
    EQ(word[0], PTS_CONTEXT_KERNEL);
    EQ(word[1], KERNEL + 1);
    EQ(word[2], PTS_CONTEXT_USER);
}

T(without_callers_the_sample_itself)
{
    struct chain_stack s = stack_of(mixed + 2, 2);
    EQ(callchain_take_late(&s, 0x250, word, 16), 2);
    EQ(word[0], PTS_CONTEXT_USER);
    EQ(word[1], 0x250);
    EQ(callchain_take_late(NULL, KERNEL, word, 16), 2);
    EQ(word[0], PTS_CONTEXT_KERNEL);
    EQ(word[1], KERNEL);
}

T(branches_take_the_place_of_user_code)
{
    static const struct pts_branch calls[] = {
        {0x20, 0x30, 0},
        {0x10, 0x1f, 0}
    };
    static const uint64_t chain[] = {
        PTS_CONTEXT_KERNEL, KERNEL, PTS_CONTEXT_USER, 1, 2, 3};
    uint64_t w[8];
    size_t n = 6;

    memcpy(w, chain, sizeof(chain));
    EQ(callchain_by_branches(w, &n, 2, calls, 2), false);
    EQ(n, 6);
    EQ(callchain_by_branches(w, &n, 3, calls, 2), true);
    EQ(n, 6);
    EQ(w[2], PTS_CONTEXT_USER);
    EQ(w[3], 0x30);
    EQ(w[4], 0x20);
    EQ(w[5], 0x10);
    EQ(callchain_by_branches(w, &n, 16, calls, 0), true);
    EQ(n, 3);
    n = 2;
    EQ(callchain_by_branches(w, &n, 16, calls, 2), false);
}

T_RUN(T_CASE(callers_of_a_sample), T_CASE(a_word_where_user_code_begins),
      T_CASE(kernel_code_after_a_sample_is_left_out),
      T_CASE(without_callers_the_sample_itself),
      T_CASE(branches_take_the_place_of_user_code))
