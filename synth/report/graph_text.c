/* graph_text.c - the call chains of a row as perf draws them.
 *
 * SPDX-License-Identifier: MIT
 *
 *     |
 *     ---main               the only way: without a percentage
 *        |
 *        |--60.00%--read    its children, each with what it calls
 *        |          copy
 *        |
 *         --40.00%--write   the last one
 */
#include "synth/report/chain_text.h"

enum { MARGIN = 12, STEP = 10, TRUNK_HOPS = 255, NODE_HOPS = 63 };

/* The children of a node that are heavy enough, the heaviest first. */
struct level {
    uint32_t first, count; /* of struct drawing's list */
    uint32_t at;
    uint32_t mask; /* of depths that go on below; that of its parent's line */
    uint64_t total, left;
    uint64_t count_left;
};

struct drawing {
    const struct chain_text *c;
    const struct forest *f;
    struct text *t;
    uint32_t margin;
    VEC(uint32_t) list;
    VEC(struct level) level;
};

static bool is_fractal(const struct drawing *d)
{
    return d->c->o->mode == CHAIN_FRACTAL;
}

static uint64_t weight_of(const struct forest *f, uint32_t n)
{
    return chain_weight(&f->node.at[n]);
}

/* Begins a level with the children of a node. */
static bool level_push(struct drawing *d, uint32_t node, uint64_t total, uint32_t mask)
{
    const struct chain_node *at = d->f->node.at;
    uint64_t least = chain_least(d->c, node);
    struct level *l = VEC_PUSH(&d->level);

    if (!l)
        return false;
    *l = (struct level){.first = (uint32_t)d->list.len,
                        .mask = mask,
                        .total = total,
                        .left = total,
                        .count_left = at[node].count_below};
    for (uint32_t i = redblack_first(d->f->link.at, at[node].children);
         i != REDBLACK_NONE; i = redblack_next(d->f->link.at, i)) {
        uint32_t *slot = chain_weight(&at[i]) >= least ? VEC_PUSH(&d->list) : NULL;
        if (slot)
            *slot = i;
        else if (chain_weight(&at[i]) >= least)
            return false;
    }
    l->count = (uint32_t)d->list.len - l->first;
    return chain_sort(d->f, d->list.at + l->first, l->count, weight_of);
}

/* A mark in front of each depth that has more to come; of 32, as perf. */
static void put_bars(const struct drawing *d, uint32_t depth, uint32_t mask,
                     const char *last)
{
    text_spaces(d->t, d->margin);
    for (uint32_t i = 0; i < depth; i++) {
        text_char(d->t, mask & 1u << i % 32 ? '|' : ' ');
        if (i + 1 == depth && last)
            text_str(d->t, last);
        else
            text_spaces(d->t, STEP);
    }
}

static void put_node(const struct drawing *d, const struct chain_node *n,
                     uint32_t depth, uint32_t mask, uint64_t total)
{
    for (uint32_t i = 0; i < n->frames; i++) {
        put_bars(d, depth, mask, i ? NULL : "--");
        if (!i) {
            chain_value(d->c, chain_weight(n), n->count + n->count_below, total);
            text_str(d->t, "--");
        }
        chain_name(d->c, &d->f->frame.at[n->first + i]);
        chain_hops(d->c, &d->f->frame.at[n->first + i], NODE_HOPS);
        text_char(d->t, '\n');
    }
}

/* Behind the children: what those that are not shown weigh together. */
static void put_rest(const struct drawing *d, const struct level *l, uint32_t depth)
{
    static const struct hop_count no_branch;
    bool count = d->c->o->value == CHAIN_COUNT;

    if (!is_fractal(d) || !l->left || l->left == l->total || (count && !l->count_left))
        return;
    put_bars(d, depth, l->mask & ~(1u << (depth - 1) % 32), "--");
    chain_value(d->c, l->left, l->count_left, l->total);
    text_str(d->t, "--[...]");
    if (d->f->hop.len) /* perf shows what is known of branches behind it, too */
        hop_put(&no_branch, NODE_HOPS, d->t);
    text_char(d->t, '\n');
}

/* A node of the last level, and then its children as a level of their own. */
static bool draw_next(struct drawing *d)
{
    uint32_t depth = (uint32_t)d->level.len;
    struct level *l = &d->level.at[depth - 1];
    uint32_t node = d->list.at[l->first + l->at++], mask = l->mask;
    const struct chain_node *n = &d->f->node.at[node];
    bool fractal = is_fractal(d);

    l->left -= chain_weight(n);
    l->count_left -= n->count + n->count_below;
    if (l->at == l->count && (!fractal || !l->left))
        mask &= ~(1u << (depth - 1) % 32);
    put_bars(d, depth, l->mask, NULL);
    text_char(d->t, '\n');
    put_node(d, n, depth, mask, l->total);
    /* The line of the next node of this level has what this one's had. */
    l->mask = mask;
    return level_push(d, node, fractal ? n->below : l->total, mask | 1u << depth % 32);
}

static bool draw_levels(struct drawing *d)
{
    while (d->level.len) {
        struct level *l = &d->level.at[d->level.len - 1];
        if (l->at < l->count && l->at < d->c->o->most) {
            if (!draw_next(d))
                return false;
            continue;
        }
        put_rest(d, l, (uint32_t)d->level.len);
        d->list.len = l->first;
        d->level.len--;
    }
    return true;
}

/* The only way to the row, which needs no percentage.  Where rows are symbols, its first
 * frame is on the row already. */
static void draw_trunk(struct drawing *d, const struct chain_node *n)
{
    const struct report_opts *o = d->c->r->opts;
    const char *sort = o->sort && *o->sort == '+' ? o->default_sort : o->sort;
    bool skip = !o->fields && sort && strncmp(sort, "sym", 3) == 0;
    uint32_t printed = 0;

    for (uint32_t i = skip; i < n->frames && printed < d->c->o->most; i++) {
        text_spaces(d->t, d->margin);
        if (!printed++) {
            text_str(d->t, "|\n");
            text_spaces(d->t, d->margin);
            text_str(d->t, "---");
            d->margin += 3;
        }
        chain_name(d->c, &d->f->frame.at[n->first + i]);
        chain_hops(d->c, &d->f->frame.at[n->first + i], TRUNK_HOPS);
        text_char(d->t, '\n');
    }
}

static bool draw_graph(struct drawing *d, uint32_t root)
{
    size_t before = d->t->len;

    if (!level_push(d, root, 0, 1))
        return false;
    uint32_t only = d->level.at[0].count == 1 ? d->list.at[0] : root;
    d->level.len = d->list.len = 0;
    if (only != root && chain_weight(&d->f->node.at[only]) == d->c->parent)
        draw_trunk(d, &d->f->node.at[only]);
    else
        only = root;
    if (!level_push(d, only, is_fractal(d) ? d->c->parent : chain_total(d->c), 1) ||
        !draw_levels(d))
        return false;
    if (d->t->len > before)
        text_char(d->t, '\n');
    return true;
}

bool chain_graph(const struct chain_text *c, uint32_t root)
{
    struct drawing d = {.c = c, .f = c->f, .t = c->t, .margin = MARGIN};
    bool good = draw_graph(&d, root);

    VEC_FREE(&d.list);
    VEC_FREE(&d.level);
    return good;
}
