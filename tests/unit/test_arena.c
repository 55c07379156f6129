/* test_arena.c - arenas and vectors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/arena.h"
#include "decoder/base/vec.h"
#include "tests/lib/t.h"

#include <stdint.h>

T(arena_gives_zeroed_aligned_memory)
{
    struct arena a = {0};
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        unsigned char *p = arena_alloc(&a, n);
        EQ((uintptr_t)p % 16, 0);
        EQ(p[0] | p[n - 1], 0);
        memset(p, 0xff, n);
    }
    STREQ(arena_strndup(&a, "hello", 4), "hell");
    CHECK(arena_alloc(&a, SIZE_MAX) == NULL);
    arena_free(&a);
    CHECK(a.head == NULL);
}

/* Of several MB, in which it takes huge pages, and again after all was given back. */
T(arena_holds_much)
{
    enum { PIECES = 5000, PIECE = 1000 };
    static unsigned char *at[PIECES];
    struct arena a = {0};

    for (int turn = 0; turn < 2; turn++) {
        for (unsigned i = 0; i < PIECES; i++) {
            at[i] = arena_alloc(&a, PIECE);
            EQ((uintptr_t)at[i] % 16, 0);
            EQ(at[i][0] | at[i][PIECE - 1], 0);
            memset(at[i], (int)(i % 251 + 1), PIECE);
        }
        for (unsigned i = 0; i < PIECES; i++)
            EQ(at[i][0] == i % 251 + 1 && at[i][PIECE - 1] == i % 251 + 1, 1);
        CHECK(a.all > (size_t)PIECES * PIECE);
        turn ? arena_free(&a) : arena_reset(&a);
        EQ(a.all && turn, 0);
    }
    CHECK(a.head == NULL);
}

T(vec_keeps_what_was_pushed)
{
    VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 1000; i++)
        *VEC_PUSH(&v) = i;
    EQ(v.len, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        EQ(v.at[i], i);
    VEC_FREE(&v);
    EQ(v.len, 0);
}

T_RUN(T_CASE(arena_gives_zeroed_aligned_memory), T_CASE(arena_holds_much),
      T_CASE(vec_keeps_what_was_pushed))
