/* symtree.h - symbols in the order and with the look-up of perf.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf keeps the symbols of a dso in a red-black tree keyed by their start, equal keys
 * to the right, and ends a search at the first node whose range holds the address.  As
 * long as symbols do not overlap any sorted table gives the same answers; where they
 * do, the answer depends on the shape of the tree.  Then the tree is built here, once,
 * with the same insertions and removals, and flattened into ranges
 * (symtree_flatten): a node is reached by exactly the addresses of one interval, so it
 * answers for at most one range.
 */
#ifndef PTS_SYNTH_SYMBOL_SYMTREE_H
#define PTS_SYNTH_SYMBOL_SYMTREE_H

#include "decoder/base/redblack.h"
#include "decoder/base/vec.h"

#include <ptscript/status.h>
#include <stdbool.h>
#include <stdint.h>

#define SYM_NONE REDBLACK_NONE

struct sym {
    uint64_t start, end; /* [start, end); an empty one covers its start only */
    uint32_t name, len;  /* offset into the names, and length without the NUL */
    uint8_t bind;        /* STB_* */
    bool data;           /* no code; of the kernel's list, what it does not call code */
    bool gone;           /* removed from a list */
    bool raw;            /* its name is as the linker has it (symtab_name) */
    uint16_t tail;       /* length of what was cut off its name: the module's */
};

/* Of a name; what does not fit is refused by symtree_add. */
static inline uint32_t sym_len(size_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* How many had come when it was removed. */
struct symtree_removed {
    uint32_t sym, count;
};

/* Zero-initialise, then symtree_init or symtree_init_list.
 *
 * Most symbols do not overlap: no tree is needed to find the same as perf.  So they are sorted, and
 * the tree is only made, with all that came and went, where symbols overlap. */
struct symtree {
    VEC(struct sym) syms; /* in order of insertion; removed ones stay here */
    VEC(struct redblack_node) nodes;
    VEC(char) names;
    uint32_t root;
    uint32_t last; /* none is to the right of it; SYM_NONE: not known */
    VEC(struct symtree_removed) removed; /* before there was a tree */
    uint32_t head; /* of those that are threaded: each node has the next as child[1] */
    bool mixed;    /* syms are not in order */
    bool threaded; /* all of them are */
    bool shaped;   /* the tree is made */
    bool list;     /* there never is one */
    bool params;   /* readable names of C++ have their parameters */
};

/* Addresses lo..last (both included) belong to a symbol. */
struct symtree_range {
    uint64_t lo, last;
    uint32_t sym;
};

/* A VEC of them. */
struct symtree_ranges {
    struct symtree_range *at;
    size_t len, cap;
};

void symtree_init(struct symtree *t);
/* Who only wants them in order adds all, sorts them, and has no use for symtree_flatten. */
void symtree_init_list(struct symtree *t);
void symtree_sort(struct symtree *t);
/* What is left of a list is as if it had been added in this order, and may be flattened.  False: there is
 * no memory. */
bool symtree_unlist(struct symtree *t);
void symtree_free(struct symtree *t);

/* Room for as many symbols, and bytes of names with their NUL, so that they need not move when
 * more come.  False: there is no memory. */
bool symtree_room(struct symtree *t, size_t count, size_t bytes);
/* What no symbol or name takes of it is given back. */
void symtree_fit(struct symtree *t);

/* Makes the tree of all that came so far, in the order in which they came; not of a list. */
void symtree_shape(struct symtree *t);

/* Adds a symbol.  The first sym.len bytes of name are copied; sym.name is not looked
 * at.  PTS_E_RANGE: there are too many. */
pts_status symtree_add(struct symtree *t, struct sym sym, const char *name);
void symtree_remove(struct symtree *t, uint32_t sym);

/* By start, equal ones in order of insertion.  SYM_NONE at the end. */
uint32_t symtree_first(struct symtree *t);
uint32_t symtree_next(const struct symtree *t, uint32_t sym);

/* The symbols of all addresses, ascending: what a search of the tree would find. */
pts_status symtree_flatten(struct symtree *t, struct symtree_ranges *out);

/* Gives symbols without a size the room up to their successor; the last one gets the
 * rest of its page and the next page. */
void symtree_fix_ends(struct symtree *t);
/* The same for the kernel's list, where names say "[module]": the last symbol of the kernel
 * or of a module does not reach to the first of the next, but to the end of its page and a
 * page more. */
void symtree_fix_kallsyms(struct symtree *t);
/* Leaves one symbol per start: the non-empty, the strong, the global one, the one with
 * fewer leading underscores, the longer name, the first. */
void symtree_fix_duplicates(struct symtree *t);

static inline const char *symtree_name(const struct symtree *t, uint32_t sym)
{
    return t->names.at + t->syms.at[sym].name;
}

#endif
