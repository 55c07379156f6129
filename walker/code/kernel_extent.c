/* kernel_extent.c - which symbols of kallsyms are whose.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/kernel_extent.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static bool is_trampoline(const struct kallsym *k)
{
    return kallsym_is(k, "__entry_SYSCALL_64_trampoline");
}

static uint32_t module_of(const struct kernel_want *want, const char *name, size_t n)
{
    for (size_t i = 0; i < want->module_count; i++)
        if (strlen(want->module[i].name) == n &&
            memcmp(want->module[i].name, name, n) == 0)
            return (uint32_t)i;
    return KERNEL_OWN;
}

uint32_t kernel_owner(struct kernel_walk *w, const struct kallsym *k,
                      const struct kernel_want *want)
{
    size_t n;
    const char *module = kallsym_module(k, &n);

    if (module) {
        w->now = module_of(want, module, n);
        return w->now == KERNEL_OWN ? KERNEL_NOBODY : w->now;
    }
    if (is_trampoline(k))
        return KERNEL_NOBODY;
    if (w->now == KERNEL_OWN || !w->any_own) {
        w->now = KERNEL_OWN;
        w->any_own = true;
    } else {
        w->now = KERNEL_NOBODY;
    }
    return w->now;
}

/* --- How far the kernel reaches --------------------------------------------------- */

static int by_addr(const void *a, const void *b)
{
    const struct kallsym *x = a, *y = b;

    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name); /* as they stand in the file */
}

struct sorted {
    VEC(struct kallsym) at;
};

static bool sort(const struct kallsyms *names, struct sorted *out)
{
    struct kallsyms_iter it = kallsyms_begin(names);
    struct kallsym k;

    while (kallsyms_next(&it, &k)) {
        struct kallsym *s = kallsym_is_taken(&k) ? VEC_PUSH(&out->at) : NULL;
        if (s)
            *s = k;
        else if (kallsym_is_taken(&k))
            return false;
    }
    if (out->at.len)
        qsort(out->at.at, out->at.len, sizeof(*out->at.at), by_addr);
    return true;
}

/* Symbols have no sizes: up to the next one, but not from the kernel's into a module's. */
static uint64_t end_of(const struct sorted *s, size_t i)
{
    uint64_t at = s->at.at[i].addr;
    size_t n;

    if (i + 1 < s->at.len &&
        !kallsym_module(&s->at.at[i], &n) == !kallsym_module(&s->at.at[i + 1], &n))
        return s->at.at[i + 1].addr;
    return (at + PAGE - 1) / PAGE * PAGE + PAGE;
}

bool kernel_extent(const struct kallsyms *names, const struct kernel_want *want,
                   uint64_t *start, uint64_t *end)
{
    struct kernel_walk walk = KERNEL_WALK_INIT;
    struct sorted s = {0};
    bool any = false;

    if (sort(names, &s)) {
        for (size_t i = 0; i < s.at.len; i++) {
            if (kernel_owner(&walk, &s.at.at[i], want) != KERNEL_OWN)
                continue;
            if (!any)
                *start = s.at.at[i].addr;
            *end = end_of(&s, i);
            any = true;
        }
    }
    VEC_FREE(&s.at);
    return any;
}
