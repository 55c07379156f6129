/* test_leg.c - from one branch that a packet decides to the next.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/leg.h"
#include "tests/lib/t.h"

static struct code code_of(const uint8_t *text, size_t n)
{
    struct code c;
    code_init(&c, text, n, true);
    return c;
}

T(direct_jumps_and_calls_are_followed)
{
    /* 0 nop; jmp 8; 8 call 13; 13 nop; je 8; 16 call *%rax */
    static const uint8_t text[] = {0x90, 0xeb, 5, 0, 0,    0,    0,    0,    0xe8,
                                   0,    0,    0, 0, 0x90, 0x74, 0xf8, 0xff, 0xd0};
    static const uint8_t far_call[] = {0xe8, 1, 0, 0, 0, 0x90, 0x90, 0xc3};
    struct code c = code_of(text, sizeof(text));
    struct leg_map *m = leg_map_of(&c, ILD_64, 0, sizeof(text));
    const struct leg *leg = leg_at(m, 0, 0);
    EQ(leg->at, 0);
    EQ(leg->end, 14);
    EQ(leg_ninsn(leg), 5);
    EQ(leg->branch, BRANCH_COND);
    EQ(leg->calls, 1);
    EQ(leg->direct, 2);
    CHECK(!leg->pass[0].call);
    EQ(leg->pass[0].ret, 3);
    EQ(leg->pass[0].rel, 5);
    EQ(leg->pass[0].ninsn, 2);
    EQ(leg->pass[0].len, 2);
    CHECK(leg->pass[1].call);
    EQ(leg->pass[1].ret, 13);
    EQ(leg->pass[1].rel, 0); /* it only asks for its own address */
    EQ(leg->pass[1].ninsn, 3);
    EQ(leg->pass[1].len, 5);
    EQ(leg_to(leg, 1), 8);
    EQ(leg_to(leg, 0), 16);
    CHECK(leg == leg_at(m, 0, 0));
    EQ(leg_at(m, 16, 0)->branch, BRANCH_INDIRECT);
    EQ(leg_at(m, 16, 0)->cls, INSN_CALL);
    CHECK(!leg_at(m, 16, 0)->direct);
    code_free(&c);

    c = code_of(far_call, sizeof(far_call));
    leg = leg_at(leg_map_of(&c, ILD_64, 0, sizeof(far_call)), 0, 0);
    EQ(leg->calls, 1);
    EQ(leg->pass[0].ret, 5);
    EQ(leg->pass[0].rel, 1);
    EQ(leg->pass[0].ninsn, 1);
    EQ(leg->end, 7);
    EQ(leg->cls, INSN_RET);
    code_free(&c);
}

T(plain_legs_are_marked)
{
    /* 0 call 7; 5 ret; 7 je 7; 9 ret; 10 call 7; 15 ret */
    static const uint8_t text[] = {0xe8, 2,    0,    0,    0,    0xc3, 0x90, 0x74,
                                   0xfe, 0xc3, 0xe8, 0xf8, 0xff, 0xff, 0xff, 0xc3};
    struct code c = code_of(text, sizeof(text));
    struct leg_map *m = leg_map_of(&c, ILD_64, 0, sizeof(text));
    struct leg *call = leg_at(m, 0, 0), *cond = leg_at(m, 7, 0), *ret = leg_at(m, 9, 0);

    EQ(cond->length, 1); /* without LEG_ODD */
    EQ(cond->push, 0);
    EQ(ret->length, 1 | LEG_ODD);
    EQ(ret->push, -1);
    EQ(call->length, 2 | LEG_ODD);
    EQ(call->push, 1);
    CHECK(!call->back); /* until it is known what is behind the call */
    leg_returns(call, &call->pass[0], leg_at(m, 5, 0));
    EQ(call->back->at, 5);
    CHECK(call->pass[0].back == call->back);
    code_free(&c);
}

T(instructions_of_a_leg_are_counted_off)
{
    /* 0 nop; 1 mov %rsp,%rbp; 4 jmp 9; 9 call 16; ...; 16 nop; 17 nop; 18 ret */
    static const uint8_t text[] = {0x90, 0x48, 0x89, 0xe5, 0xeb, 3, 0,
                                   0,    0,    0xe8, 2,    0,    0, 0,
                                   0x90, 0x90, 0x90, 0x90, 0xc3};
    static const struct leg_insn want[] = {
        {0,  0,  1, INSN_OTHER, false, false},
        {1,  0,  3, INSN_OTHER, false, false},
        {4,  9,  2, INSN_JMP,   true,  false},
        {9,  16, 5, INSN_CALL,  true,  true },
        {16, 0,  1, INSN_OTHER, false, true },
        {17, 0,  1, INSN_OTHER, false, true },
    };
    struct code c = code_of(text, sizeof(text));
    struct leg_map *m = leg_map_of(&c, ILD_64, 0, sizeof(text));
    const struct leg *leg = leg_at(m, 0, 0);
    EQ(leg_ninsn(leg), 7);
    for (uint32_t i = 0; i < 6; i++) {
        struct leg_insn at;
        CHECK(leg_insn(m, leg, i + 1, &at));
        EQ(at.at, want[i].at);
        EQ(at.to, want[i].to);
        EQ(at.len, want[i].len);
        EQ(at.cls, want[i].cls);
        EQ(at.direct, want[i].direct);
        EQ(at.behind, want[i].behind);
    }
    code_free(&c);
}

T(no_leg_where_none_ends_on_the_map)
{
    /* 0 jmp 0; 2 nop; 3 jmp -7; 5 ptwrite signature jumped over; ...; 23 ret */
    static const uint8_t text[] = {0xeb, 0xfe, 0x90, 0xeb, 0xf7, 0xeb, 16,  0x0f,
                                   0x0b, 'p',  'e',  'r',  'f',  ',',  'p', 't',
                                   'w',  'r',  'i',  't',  'e',  ' ',  ' ', 0xc3};
    struct code c = code_of(text, sizeof(text));
    struct leg_map *m = leg_map_of(&c, ILD_64, 0, sizeof(text));
    EQ(leg_at(m, 0, 0)->branch, BRANCH_NONE);
    EQ(leg_at(m, 2, 0)->branch, BRANCH_NONE);
    EQ(leg_at(m, 5, 0)->branch, BRANCH_NONE);
    EQ(leg_at(m, 23, 0)->branch, BRANCH_INDIRECT);
    /* the same code without its last byte */
    m = leg_map_of(&c, ILD_64, 0, sizeof(text) - 1);
    EQ(leg_at(m, 22, 0)->branch, BRANCH_NONE);
    code_free(&c);
}

T(maps_of_the_same_bytes_share_their_legs)
{
    static const uint8_t text[64] = {0xc3};
    struct code c = code_of(text, sizeof(text));
    struct leg_map *m = leg_map_of(&c, ILD_64, 0, 64);
    CHECK(m == leg_map_of(&c, ILD_64, 0, 64));
    CHECK(m != leg_map_of(&c, ILD_32, 0, 64));
    CHECK(m != leg_map_of(&c, ILD_64, 1, 63));
    int maps = 0;
    for (uint32_t len = 1; len < 64; len++)
        maps += leg_map_of(&c, ILD_64, 0, len) != NULL;
    CHECK(maps > 4 && maps < 63); /* not without end */
    CHECK(m == leg_map_of(&c, ILD_64, 0, 64));
    code_free(&c);
}

T(many_legs_are_found_again)
{
    static uint8_t text[5000];
    memset(text, 0xc3, sizeof(text));
    struct code c = code_of(text, sizeof(text));
    struct leg_map *m = leg_map_of(&c, ILD_64, 0, sizeof(text));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t at = 0; at < sizeof(text); at++)
            EQ(leg_at(m, at, 0)->end, at);
    }
    EQ(m->count, sizeof(text));
    code_free(&c);
}

enum { POOL_SIZE = 1 << 15, WALKERS = 4 };

/* One who walks code that others walk, too. */
struct walker {
    struct code code;
    struct leg_map *m;
    uint32_t seed;
};

static void *walk(void *ctx)
{
    struct walker *w = ctx;

    for (uint32_t i = 0, at = w->seed % POOL_SIZE; i < POOL_SIZE; i++) {
        struct leg *leg = leg_at(w->m, at, 0), *next;
        w->seed = w->seed * 1664525 + 1013904223;
        const unsigned taken = w->seed >> 31;
        const uint64_t to = leg_to(leg, taken);
        at = (w->seed >> 8) % POOL_SIZE;
        if (leg->branch != BRANCH_COND || to >= POOL_SIZE)
            continue;
        next = leg_seen(&leg->next[taken]);
        if (!next)
            leg_link(&leg->next[taken], leg_at(w->m, (uint32_t)to, 0));
        else if (i % 4)
            at = next->at;
        if (leg->direct && leg->pass[0].call && !leg_seen(&leg->pass[0].back) &&
            leg->pass[0].ret < POOL_SIZE)
            leg_returns(leg, &leg->pass[0], leg_at(w->m, leg->pass[0].ret, 0));
    }
    return NULL;
}

T(several_threads_find_out_the_same_legs)
{
    static uint8_t text[POOL_SIZE];
    static struct walker w[WALKERS];
    pthread_t thread[WALKERS];
    uint32_t seed = 1;

    /* Short jumps, calls and returns among bytes of all kinds. */
    for (size_t i = 0; i < sizeof(text); i++) {
        static const uint8_t often[] = {0x74, 0x75, 0xe8, 0xeb, 0xc3, 0, 0, 0x90};
        seed = seed * 1664525 + 1013904223;
        text[i] = seed >> 31 ? often[(seed >> 16) % 8] : (uint8_t)(seed >> 16);
    }
    struct code alone = code_of(text, sizeof(text));
    struct leg_map *m = leg_map_of(&alone, ILD_64, 0, sizeof(text));
    struct code_pool *pool = code_pool_new(&alone);
    for (uint32_t i = 0; i < WALKERS; i++) {
        w[i] = (struct walker){.code = alone, .seed = i * 7919};
        w[i].code.legs = NULL;
        w[i].code.pool = pool;
        w[i].m = leg_map_of(&w[i].code, ILD_64, 0, sizeof(text));
        CHECK(w[i].m == w[0].m);
    }
    for (int i = 0; i < WALKERS; i++)
        EQ(pthread_create(&thread[i], NULL, walk, &w[i]), 0);
    for (int i = 0; i < WALKERS; i++)
        EQ(pthread_join(thread[i], NULL), 0);
    uint32_t count = 0;
    for (uint32_t at = 0; at < sizeof(text); at++) {
        const struct leg *both = leg_made(w[0].m, at), *one = leg_at(m, at, 0);
        count += both != NULL;
        if (!both)
            continue;
        CHECK(both->end == one->end && both->length == one->length &&
              both->branch == one->branch && both->push == one->push &&
              both->direct == one->direct);
        for (unsigned t = 0; t < 2; t++)
            CHECK(!both->next[t] ||
                  both->next[t] == leg_made(w[0].m, (uint32_t)leg_to(both, t)));
        CHECK(!both->back || both->back == both->pass[0].back || both->direct > 1);
    }
    CHECK(count > POOL_SIZE / 2);
    EQ(w[0].m->count, count);
    code_pool_free(pool);
    code_free(&alone);
}

T_RUN(T_CASE(several_threads_find_out_the_same_legs),
      T_CASE(direct_jumps_and_calls_are_followed), T_CASE(plain_legs_are_marked),
      T_CASE(instructions_of_a_leg_are_counted_off),
      T_CASE(no_leg_where_none_ends_on_the_map),
      T_CASE(maps_of_the_same_bytes_share_their_legs),
      T_CASE(many_legs_are_found_again))
