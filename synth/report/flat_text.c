/* flat_text.c - the call chains of a row, each for itself: flat and folded.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/chain_text.h"

enum { VALUE_MARGIN = 11, NAME_MARGIN = 16 };

/* The nodes in which chains end, deeper ones first, then by what ends there. */
struct ends {
    VEC(uint32_t) node;
};

/* The node at which a walk of the tree begins that comes to a node after its children. */
static uint32_t deepest(const struct forest *f, uint32_t n)
{
    uint32_t child = redblack_first(f->link.at, f->node.at[n].children);

    while (child != REDBLACK_NONE) {
        n = child;
        child = redblack_first(f->link.at, f->node.at[n].children);
    }
    return n;
}

static uint32_t walk_next(const struct forest *f, uint32_t root, uint32_t n)
{
    if (n == root)
        return REDBLACK_NONE;
    uint32_t sibling = redblack_next(f->link.at, n);
    return sibling != REDBLACK_NONE ? deepest(f, sibling) : f->node.at[n].parent;
}

static bool ends_find(struct ends *e, const struct chain_text *c, uint32_t root)
{
    const struct forest *f = c->f;
    uint64_t least = chain_least(c, root);

    for (uint32_t n = deepest(f, root); n != REDBLACK_NONE; n = walk_next(f, root, n)) {
        if (!f->node.at[n].hit || f->node.at[n].hit < least || n == root)
            continue;
        uint32_t *slot = VEC_PUSH(&e->node);
        if (!slot)
            return false;
        *slot = n;
    }
    return true;
}

static uint64_t hit_of(const struct forest *f, uint32_t n)
{
    return f->node.at[n].hit;
}

/* The names of a chain, from its first frame to the end of a node. */
static bool put_names(const struct chain_text *c, uint32_t n, const char *between)
{
    VEC(uint32_t) path = {0};
    bool good = true, first = true;

    for (; good && c->f->node.at[n].parent != REDBLACK_NONE;
         n = c->f->node.at[n].parent) {
        uint32_t *slot = VEC_PUSH(&path);
        good = slot != NULL;
        if (slot)
            *slot = n;
    }
    for (size_t i = path.len; good && i > 0; i--) {
        const struct chain_node *at = &c->f->node.at[path.at[i - 1]];
        for (uint32_t k = 0; k < at->frames; k++) {
            if (c->f->frame.at[at->first + k].ip >= PTS_CONTEXT_MAX)
                continue; /* perf takes these for words that name a mode */
            if (between && !first)
                text_str(c->t, between);
            else if (!between)
                text_spaces(c->t, NAME_MARGIN);
            chain_name(c, &c->f->frame.at[at->first + k]);
            if (!between)
                text_char(c->t, '\n');
            first = false;
        }
    }
    VEC_FREE(&path);
    return good;
}

static bool put_one(const struct chain_text *c, uint32_t n)
{
    const struct chain_node *at = &c->f->node.at[n];
    const char *separator = c->r->opts->separator;

    if (c->o->mode == CHAIN_FOLDED) {
        chain_value(c, at->hit, at->count, chain_total(c));
        text_char(c->t, ' ');
        bool good = put_names(c, n, separator ? separator : ";");
        text_char(c->t, '\n');
        return good;
    }
    text_spaces(c->t, VALUE_MARGIN);
    chain_value(c, chain_weight(at), at->count + at->count_below, chain_total(c));
    text_char(c->t, '\n');
    bool good = put_names(c, n, NULL);
    text_char(c->t, '\n');
    return good;
}

bool chain_flat(const struct chain_text *c, uint32_t root)
{
    struct ends e = {0};
    bool good = ends_find(&e, c, root) &&
                chain_sort(c->f, e.node.at, (uint32_t)e.node.len, hit_of);

    for (size_t i = 0; good && i < e.node.len && i < c->o->most; i++)
        good = put_one(c, e.node.at[i]);
    VEC_FREE(&e.node);
    return good;
}
