/* symfind.h - a search of the tree of symbols: the yardstick for the tables made of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_TESTS_SYMFIND_H
#define PTS_TESTS_SYMFIND_H

#include "synth/symbol/symtree.h"

static uint32_t symtree_find(struct symtree *t, uint64_t addr)
{
    symtree_shape(t);
    uint32_t n = t->root;
    while (n != SYM_NONE) {
        const struct sym *s = &t->syms.at[n];
        if (addr < s->start)
            n = t->nodes.at[n].child[0];
        else if (addr > s->end || (addr == s->end && addr != s->start))
            n = t->nodes.at[n].child[1];
        else
            return n;
    }
    return SYM_NONE;
}

#endif
