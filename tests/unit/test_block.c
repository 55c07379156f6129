/* test_block.c - blocks of code, and the return stack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/block.h"
#include "walker/flow/retstack.h"
#include "tests/lib/t.h"

T(a_block_ends_at_the_first_branch)
{
    static const uint8_t text[] = {0x90, 0x48, 0x89, 0xc3, 0x75,
                                   0xfc,                      /* nop mov jne -4 */
                                   0xe8, 0x10, 0,    0,    0, /* call */
                                   0xc3, 0x0f};
    struct code c;
    code_init(&c, text, sizeof(text), true);
    const struct block *b = block_at(&c, ILD_64, 0, 0);
    EQ(b->state, BLOCK_BRANCH);
    EQ(b->ninsn, 3);
    EQ(b->bytes, 4);
    EQ(b->len, 2);
    EQ(b->rel, -4);
    EQ(b->cls, INSN_JCC);
    CHECK(block_at(&c, ILD_64, 0, 0) == b);
    EQ(block_at(&c, ILD_64, 6, 0)->rel, 16);
    EQ(block_at(&c, ILD_64, 11, 0)->cls, INSN_RET);
    EQ(block_at(&c, ILD_64, 12, 0)->state, BLOCK_BAD);
    CHECK(block_at(&c, ILD_64, sizeof(text), 0) == NULL);
    code_free(&c);
}

T(modes_are_kept_apart)
{
    static const uint8_t text[] = {0x48, 0xeb, 0x02}; /* 32-bit: dec eax; jmp */
    struct code c;
    code_init(&c, text, sizeof(text), true);
    EQ(block_at(&c, ILD_64, 0, 0)->ninsn, 1);
    EQ(block_at(&c, ILD_32, 0, 0)->ninsn, 2);
    code_free(&c);
}

T(very_long_blocks_are_cut)
{
    static uint8_t nops[9000];
    memset(nops, 0x90, sizeof(nops));
    struct code c;
    code_init(&c, nops, sizeof(nops), true);
    const struct block *b = block_at(&c, ILD_64, 0, 0);
    EQ(b->state, BLOCK_LONG);
    EQ(b->bytes, b->ninsn);
    code_free(&c);
}

T(the_signature_of_an_emulated_ptwrite_is_seen)
{
    static const uint8_t text[] = {0xeb, 16,  0x0f, 0x0b, 'p', 'e', 'r', 'f', ',', 'p',
                                   't',  'w', 'r',  'i',  't', 'e', ' ', ' ', 0xc3};
    struct code c;
    code_init(&c, text, sizeof(text), true);
    CHECK(block_at(&c, ILD_64, 0, 0)->ptwrite);
    code_free(&c);
    code_init(&c, text, sizeof(text) - 2, true);
    CHECK(!block_at(&c, ILD_64, 0, 0)->ptwrite);
    code_free(&c);
}

T(no_code_no_block)
{
    struct code c;
    code_init(&c, NULL, 100, true);
    CHECK(block_at(&c, ILD_64, 0, 0) == NULL);
    code_free(&c);
}

T(returns_come_back_in_order_and_an_empty_stack_says_so)
{
    struct ret_stack s = {0}, copy = {0};
    EQ(ret_pop(&s), 0);
    for (uint64_t i = 1; i <= RET_STACK_SIZE + 10; i++)
        ret_push(&s, i);
    EQ(ret_peek(&s), RET_STACK_SIZE + 10);
    ret_copy(&copy, &s);
    EQ(copy.count, s.count);
    EQ(ret_pop(&copy), RET_STACK_SIZE + 10);
    for (uint64_t i = RET_STACK_SIZE + 10; i > RET_STACK_SIZE / 2; i--)
        EQ(ret_pop(&s), i);
    EQ(ret_pop(&s), 0); /* the older half was forgotten */
    ret_push(&s, 5);
    ret_clear(&s);
    EQ(ret_pop(&s), 0);
    ret_free(&s);
    ret_free(&copy);
}

T_RUN(T_CASE(a_block_ends_at_the_first_branch), T_CASE(modes_are_kept_apart),
      T_CASE(very_long_blocks_are_cut),
      T_CASE(the_signature_of_an_emulated_ptwrite_is_seen), T_CASE(no_code_no_block),
      T_CASE(returns_come_back_in_order_and_an_empty_stack_says_so))
