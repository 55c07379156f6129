/* symtree_fix.c - what perf mends of symbols: where they end, and those that begin in one place.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/symbol/symtree.h"

#include "decoder/base/arena.h"
#include "synth/symbol/demangle.h"

#include <elf.h>
#include <string.h>

enum { PAGE = 4096 };

static uint64_t page_up(uint64_t addr)
{
    return (addr + PAGE - 1) / PAGE * PAGE;
}

static bool in_module(const struct symtree *t, uint32_t n)
{
    return strchr(symtree_name(t, n), '[') != NULL;
}

static void fix_ends(struct symtree *t, bool kallsyms)
{
    uint32_t at = symtree_first(t);
    bool module = at != SYM_NONE && kallsyms && in_module(t, at);
    while (at != SYM_NONE) {
        struct sym *s = &t->syms.at[at];
        const bool own = module;
        at = symtree_next(t, at);
        module = at != SYM_NONE && kallsyms && in_module(t, at);
        /* Only symbols without a size; one that overlaps the next is left so. */
        if (s->end != s->start)
            continue;
        if (at != SYM_NONE && own != module)
            s->end = page_up(s->start + PAGE);
        else if (at != SYM_NONE)
            s->end = t->syms.at[at].start;
        else
            /* The last symbol has no next one: to the end of its page, and a page more,
             * as in perf. */
            s->end = page_up(s->start) + PAGE;
    }
}

void symtree_fix_ends(struct symtree *t)
{
    fix_ends(t, false);
}

void symtree_fix_kallsyms(struct symtree *t)
{
    fix_ends(t, true);
}

/* Sign of: how much better a is than b for having a property b lacks. */
static int prefer(bool a, bool b)
{
    return (int)a - (int)b;
}

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

static bool is_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static int prefer_names(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);

    if (underscores(a) != underscores(b))
        return underscores(a) < underscores(b) ? 1 : -1;
    if (la != lb)
        return la > lb ? 1 : -1;
    /* names of system call entries in old kernels */
    return is_prefix(a, "SyS") || is_prefix(a, "compat_SyS") ? -1 : 1;
}

/* By readable names: few are ever needed, so they are not kept. */
static int prefer_readable(const struct symtree *t, uint32_t a, uint32_t b)
{
    const struct sym *syms = t->syms.at;
    char *na = syms[a].raw ? demangle(symtree_name(t, a), t->params) : NULL;
    char *nb = syms[b].raw ? demangle(symtree_name(t, b), t->params) : NULL;
    int by = prefer_names(na ? na : symtree_name(t, a), nb ? nb : symtree_name(t, b));

    mem_free(na);
    mem_free(nb);
    return by;
}

/* Whether the earlier one of two symbols with the same start is kept. */
static bool first_is_better(const struct symtree *t, uint32_t ia, uint32_t ib)
{
    const struct sym *a = &t->syms.at[ia], *b = &t->syms.at[ib];
    int64_t la = (int64_t)(a->end - a->start), lb = (int64_t)(b->end - b->start);
    int by = 0;
    if ((la == 0 && lb > 0) || (lb == 0 && la > 0))
        by = prefer(la > 0, lb > 0);
    if (!by)
        by = prefer(b->bind == STB_WEAK, a->bind == STB_WEAK);
    if (!by)
        by = prefer(a->bind == STB_GLOBAL, b->bind == STB_GLOBAL);
    if (!by)
        by = prefer_readable(t, ia, ib);
    return by > 0;
}

void symtree_fix_duplicates(struct symtree *t)
{
    uint32_t at = symtree_first(t);
    while (at != SYM_NONE) {
        uint32_t next = symtree_next(t, at);
        if (next == SYM_NONE)
            return;
        /* The one that stays is compared with the next again: there may be three. */
        if (t->syms.at[at].start != t->syms.at[next].start) {
            at = next;
        } else if (first_is_better(t, at, next)) {
            symtree_remove(t, next);
        } else {
            symtree_remove(t, at);
            at = next;
        }
    }
}
