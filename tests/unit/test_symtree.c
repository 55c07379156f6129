/* test_symtree.c - order, look-up and duplicates of symbols.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/symbol/symtree.h"
#include "synth/symbol/sym.h"
#include "tests/lib/symfind.h"
#include "tests/lib/t.h"

#include <elf.h>

static uint64_t state;

static uint32_t rnd(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void add(struct symtree *t, uint64_t start, uint64_t end, int bind,
                const char *name)
{
    const struct sym sym = {.start = start,
                            .end = end,
                            .len = (uint32_t)strlen(name),
                            .bind = (uint8_t)bind};
    EQ(symtree_add(t, sym, name), PTS_OK);
}

/* Black nodes on every way down, or 0 when a rule is broken. */
static unsigned black_height(const struct symtree *t, uint32_t n, uint32_t parent)
{
    if (n == SYM_NONE)
        return 1;
    const struct redblack_node *x = &t->nodes.at[n];
    unsigned l = black_height(t, x->child[0], n), r = black_height(t, x->child[1], n);
    bool red_pair = x->red && parent != SYM_NONE && t->nodes.at[parent].red;
    return l == 0 || l != r || x->parent != parent || red_pair ? 0 : l + !x->red;
}

static uint32_t flat_find(const struct symtree_ranges *r, uint64_t addr)
{
    for (size_t i = 0; i < r->len; i++) {
        if (addr >= r->at[i].lo && addr <= r->at[i].last)
            return r->at[i].sym;
    }
    return SYM_NONE;
}

/* The ranges and the index over them answer as the tree does, and ranges ascend. */
static void check_answers(struct symtree *t)
{
    static const struct sym_origin nowhere;
    struct symtree_ranges r = {0};
    EQ(symtree_flatten(t, &r), PTS_OK);
    for (size_t i = 1; i < r.len; i++)
        CHECK(r.at[i].lo > r.at[i - 1].last);
    static const uint64_t far[] = {UINT64_MAX, UINT64_MAX - 1, 1ull << 63, 1ull << 40};
    for (uint64_t a = 0; a < 400; a++)
        EQ(flat_find(&r, a), symtree_find(t, a));
    for (size_t i = 0; i < 4; i++)
        EQ(flat_find(&r, far[i]), symtree_find(t, far[i]));

    struct symtab *tab;
    EQ(symtab_from(t, &nowhere, &tab), PTS_OK);
    for (uint64_t a = 0; a < 404; a++) {
        uint64_t addr = a < 400 ? a : far[a - 400];
        uint32_t want = flat_find(&r, addr);
        const struct sym *got = symtab_find(tab, addr);
        CHECK((want == SYM_NONE) == (got == NULL));
        if (want != SYM_NONE && got)
            EQ(got->len, want); /* named so below */
    }
    symtab_free(tab);
    VEC_FREE(&r);
}

T(ranges_answer_like_the_tree)
{
    static char name[400];
    memset(name, 'n', sizeof(name));
    for (state = 1; state < 400; state++) {
        uint64_t seed = state;
        struct symtree t;
        symtree_init(&t);
        uint32_t n = 1 + rnd(200);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t start = rnd(300), size = rnd(3) ? rnd(1 + rnd(100)) : 0;
            if (rnd(50) == 0)
                start = UINT64_MAX - rnd(3);
            if (rnd(50) == 0)
                size = UINT64_MAX - rnd(300);
            const struct sym sym = {
                .start = start, .end = start + size, .len = i, .bind = STB_GLOBAL};
            EQ(symtree_add(&t, sym, name), PTS_OK);
        }
        bool gone[200] = {false};
        for (uint32_t i = rnd(n); i > 0; i--) {
            uint32_t k = rnd(n);
            if (!gone[k])
                symtree_remove(&t, k);
            gone[k] = true;
        }
        symtree_shape(&t);
        CHECK(black_height(&t, t.root, SYM_NONE) > 0);
        if (rnd(2))
            symtree_fix_ends(&t);
        if (rnd(2))
            symtree_fix_duplicates(&t);
        CHECK(black_height(&t, t.root, SYM_NONE) > 0);
        check_answers(&t);
        state = seed;
    }
}

/* In order, and mostly apart: there may never be a tree. */
T(those_in_order_answer_like_the_tree)
{
    static char name[100];
    memset(name, 'n', sizeof(name));
    for (state = 1; state < 400; state++) {
        uint64_t seed = state, start = rnd(8);
        struct symtree t;
        symtree_init(&t);
        uint32_t n = rnd(60), wild = rnd(2) ? 0 : 40;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t size = rnd(4);
            if (wild && rnd(wild) == 0)
                size = rnd(2) ? size + 3 : UINT64_MAX - size;
            const struct sym sym = {
                .start = start, .end = start + size, .len = i, .bind = STB_GLOBAL};
            EQ(symtree_add(&t, sym, name), PTS_OK);
            start += wild && rnd(wild) == 0 ? 0 : 4 + rnd(3);
        }
        check_answers(&t);
        state = seed;
    }
}

static void check_same(struct symtree *a, struct symtree *b)
{
    struct symtree_ranges ra = {0}, rb = {0};
    uint32_t x = symtree_first(a), y = symtree_first(b);
    while (x != SYM_NONE && x == y) {
        EQ(a->syms.at[x].end, b->syms.at[y].end);
        x = symtree_next(a, x);
        y = symtree_next(b, y);
    }
    EQ(x, y);
    EQ(symtree_flatten(a, &ra), PTS_OK);
    EQ(symtree_flatten(b, &rb), PTS_OK);
    EQ(ra.len, rb.len);
    for (size_t i = 0; i < ra.len && i < rb.len; i++) {
        EQ(ra.at[i].lo, rb.at[i].lo);
        EQ(ra.at[i].last, rb.at[i].last);
        EQ(ra.at[i].sym, rb.at[i].sym);
    }
    VEC_FREE(&ra);
    VEC_FREE(&rb);
}

/* In any order, mended as the two tables of a file are: whether there is a tree all the time or one
 * only where it is needed. */
T(a_tree_that_comes_late_is_the_same)
{
    for (state = 1; state < 1000; state++) {
        uint64_t seed = state;
        unsigned rounds = rnd(4), step = rnd(2) ? 8 : 1 + rnd(8);
        struct symtree late, tree;
        symtree_init(&late);
        symtree_init(&tree);
        symtree_shape(&tree);
        for (unsigned k = 0; k < rounds; k++) {
            for (uint32_t n = rnd(60); n > 0; n--) {
                static const char *const names[] = {"a", "_a", "bcd", "__bc", ""};
                uint64_t start = step * (uint64_t)rnd(1 + rnd(200)), size = rnd(9);
                start += rnd(3) ? 0 : UINT64_C(1) << rnd(64);
                int bind = rnd(2) ? STB_GLOBAL : STB_WEAK;
                const char *name = names[rnd(5)];
                add(&late, start, start + size, bind, name);
                add(&tree, start, start + size, bind, name);
            }
            if (k < 2) {
                symtree_fix_ends(&late);
                symtree_fix_ends(&tree);
                symtree_fix_duplicates(&late);
                symtree_fix_duplicates(&tree);
            }
        }
        check_same(&late, &tree);
        symtree_free(&late);
        symtree_free(&tree);
        state = seed;
    }
}

/* What is in a list is in the same order as in a tree, and the same is left. */
T(a_list_is_sorted_as_a_tree_is)
{
    for (state = 1; state < 400; state++) {
        uint64_t seed = state;
        struct symtree list, tree;
        uint32_t n = rnd(80), sorted = rnd(100);
        symtree_init_list(&list);
        symtree_init(&tree);
        CHECK(symtree_room(&list, n, rnd(500)));
        for (uint32_t i = 0; i < n; i++) {
            static const char *const names[] = {"a", "_a", "b\t[m]", "__bc", ""};
            uint64_t start = i < sorted ? 3 * i : rnd(250);
            uint64_t end = start + rnd(2) * rnd(5);
            int bind = rnd(2) ? STB_GLOBAL : STB_WEAK;
            const char *name = names[rnd(5)];
            add(&list, start, end, bind, name);
            add(&tree, start, end, bind, name);
        }
        symtree_sort(&list);
        symtree_fix_kallsyms(&list);
        symtree_fix_kallsyms(&tree);
        symtree_fix_duplicates(&list);
        symtree_fix_duplicates(&tree);
        uint32_t a = symtree_first(&list), b = symtree_first(&tree);
        while (a != SYM_NONE && b != SYM_NONE) {
            EQ(list.syms.at[a].start, tree.syms.at[b].start);
            EQ(list.syms.at[a].end, tree.syms.at[b].end);
            EQ(list.syms.at[a].name, tree.syms.at[b].name);
            a = symtree_next(&list, a);
            b = symtree_next(&tree, b);
        }
        EQ(a, b);
        symtree_free(&list);
        symtree_free(&tree);
        state = seed;
    }
}

/* What is left of a list, moved to where it is in files, is found as if it had been added in that order. */
T(a_list_becomes_a_tree_of_what_is_left)
{
    for (state = 1; state < 1000; state++) {
        const uint64_t seed = state, moved = rnd(2) ? 100 : 0;
        const uint32_t n = rnd(80), step = 1 + rnd(8);
        struct symtree list, tree;
        symtree_init_list(&list);
        symtree_init(&tree);
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t start = step * (uint64_t)i, end = start + rnd(6);
            add(&list, start, end, STB_GLOBAL, "name");
            if (rnd(3) == 0) {
                symtree_remove(&list, i);
                continue;
            }
            struct sym *s = &list.syms.at[i];
            s->start = (s->start + moved) % 200;
            s->end = s->start + (end - start);
            add(&tree, s->start, s->end, STB_GLOBAL, "name");
        }
        CHECK(symtree_unlist(&list));
        EQ(list.syms.len, tree.syms.len);
        check_same(&list, &tree);
        symtree_free(&list);
        symtree_free(&tree);
        state = seed;
    }
}

T(order_is_by_start_then_insertion)
{
    struct symtree t;
    symtree_init(&t);
    EQ(symtree_first(&t), SYM_NONE);
    add(&t, 20, 30, STB_GLOBAL, "c");
    add(&t, 10, 12, STB_GLOBAL, "a");
    add(&t, 20, 30, STB_GLOBAL, "d");
    add(&t, 10, 12, STB_GLOBAL, "b");
    static const uint32_t want[] = {1, 3, 0, 2};
    uint32_t at = symtree_first(&t);
    for (int i = 0; i < 4; i++) {
        EQ(at, want[i]);
        at = symtree_next(&t, at);
    }
    EQ(at, SYM_NONE);
    symtree_free(&t);
}

/* The last one is remembered, but not when it is gone. */
T(order_behind_one_that_was_removed)
{
    struct symtree t;
    symtree_init(&t);
    add(&t, 10, 12, STB_GLOBAL, "a");
    add(&t, 30, 32, STB_GLOBAL, "c");
    symtree_remove(&t, 1);
    add(&t, 20, 22, STB_GLOBAL, "b");
    add(&t, 40, 42, STB_GLOBAL, "d");
    add(&t, 5, 6, STB_GLOBAL, "e");
    add(&t, 40, 41, STB_GLOBAL, "f");
    static const uint32_t want[] = {4, 0, 2, 3, 5};
    uint32_t at = symtree_first(&t);
    for (int i = 0; i < 5; i++) {
        EQ(at, want[i]);
        at = symtree_next(&t, at);
    }
    EQ(at, SYM_NONE);
    CHECK(black_height(&t, t.root, SYM_NONE) > 0);
    symtree_free(&t);
}

T(ends_reach_to_the_next)
{
    struct symtree t;
    symtree_init(&t);
    add(&t, 0x10, 0x10, STB_GLOBAL, "a");
    add(&t, 0x20, 0x20, STB_GLOBAL, "b");
    add(&t, 0x20, 0x20, STB_GLOBAL, "c");
    add(&t, 0x30, 0x38, STB_GLOBAL, "d");
    add(&t, 0x1040, 0x1040, STB_GLOBAL, "e");
    symtree_fix_ends(&t);
    EQ(t.syms.at[0].end, 0x20);
    EQ(t.syms.at[1].end, 0x20);
    EQ(t.syms.at[2].end, 0x30);
    EQ(t.syms.at[3].end, 0x38);
    EQ(t.syms.at[4].end, 0x3000);
    symtree_free(&t);
}

static const char *survivor(uint64_t len1, int bind1, const char *name1, uint64_t len2,
                            int bind2, const char *name2)
{
    struct symtree t;
    symtree_init(&t);
    add(&t, 0x10, 0x10 + len1, bind1, name1);
    add(&t, 0x10, 0x10 + len2, bind2, name2);
    symtree_fix_duplicates(&t);
    uint32_t left = symtree_first(&t);
    EQ(symtree_next(&t, left), SYM_NONE);
    const char *name = left == 0 ? name1 : name2;
    symtree_free(&t);
    return name;
}

T(duplicates_rules)
{
    STREQ(survivor(0, STB_GLOBAL, "longer", 1, STB_WEAK, "s"), "s");
    STREQ(survivor(1, STB_WEAK, "longer", 9, STB_LOCAL, "s"), "s");
    STREQ(survivor(1, STB_LOCAL, "longer", 9, STB_GLOBAL, "s"), "s");
    STREQ(survivor(1, STB_LOCAL, "__longer", 9, STB_LOCAL, "_s"), "_s");
    STREQ(survivor(1, STB_LOCAL, "s", 9, STB_LOCAL, "longer"), "longer");
    STREQ(survivor(1, STB_LOCAL, "a", 9, STB_LOCAL, "b"), "a");
    STREQ(survivor(1, STB_LOCAL, "SyS_a", 9, STB_LOCAL, "sys_b"), "sys_b");
}

T_RUN(T_CASE(ranges_answer_like_the_tree), T_CASE(those_in_order_answer_like_the_tree),
      T_CASE(a_tree_that_comes_late_is_the_same), T_CASE(a_list_is_sorted_as_a_tree_is),
      T_CASE(a_list_becomes_a_tree_of_what_is_left),
      T_CASE(order_is_by_start_then_insertion),
      T_CASE(order_behind_one_that_was_removed), T_CASE(ends_reach_to_the_next),
      T_CASE(duplicates_rules))
