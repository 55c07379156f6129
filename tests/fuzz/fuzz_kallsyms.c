/* fuzz_kallsyms.c - any bytes as the kernel's list of symbols.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/symbol/symtree.h"
#include "walker/code/kernel_extent.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(bool cond)
{
    if (!cond)
        abort();
}

static const struct kernel_module module[] = {
    {"[a]", 0x1000, 1},
    {"[b]", 0x2000, 2}
};
static const struct kernel_want want = {.module = module, .module_count = 2};

/* A symbol lies in the list; it has an owner. */
static void check_line(const struct kallsyms *k, const struct kallsym *s,
                       struct kernel_walk *walk)
{
    const char *end = k->text.at + k->text.len;
    size_t len;

    require(s->name >= k->text.at && s->name < end &&
            s->len <= (size_t)(end - s->name));
    require(!memchr(s->name, '\n', s->len));
    const char *name = kallsym_module(s, &len);
    require(!name || (name > s->name && len < s->len));
    uint32_t owner = kernel_owner(walk, s, &want);
    require(owner < 2 || owner == KERNEL_OWN || owner == KERNEL_NOBODY);
}

static void check_lines(const struct kallsyms *k)
{
    struct kallsyms_iter it = kallsyms_begin(k);
    struct kernel_walk walk = KERNEL_WALK_INIT;
    struct symtree tree;
    struct kallsym s;
    size_t taken = 0;

    symtree_init(&tree);
    while (kallsyms_next(&it, &s)) {
        check_line(k, &s, &walk);
        const struct sym sym = {.start = s.addr, .end = s.addr, .len = s.len};
        if (kallsym_is_taken(&s) && ++taken)
            require(symtree_add(&tree, sym, s.name) == PTS_OK);
    }
    symtree_fix_kallsyms(&tree);
    symtree_fix_duplicates(&tree);
    size_t left = 0;
    for (uint32_t i = symtree_first(&tree); i != SYM_NONE; i = symtree_next(&tree, i))
        left++;
    require(left <= taken && (left > 0) == (taken > 0));
    symtree_free(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct kallsyms k = {0};
    uint64_t start, end, addr;

    if (n && VEC_ROOM(&k.text, n)) {
        memcpy(k.text.at, data, n);
        k.text.len = n;
    }
    check_lines(&k);
    kernel_extent(&k, &want, &start, &end);
    kallsyms_function(&k, "_text", &addr);
    kallsyms_close(&k);
    return 0;
}
