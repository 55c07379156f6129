/* chains.c - call chains that begin alike, as trees.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/chains.h"

static uint32_t node_new(struct forest *f, uint32_t parent, uint32_t first,
                         uint32_t frames)
{
    if (!VEC_ROOM(&f->node, 1) || !VEC_ROOM(&f->link, 1) ||
        f->node.len >= REDBLACK_NONE)
        return REDBLACK_NONE;
    f->link.len++;
    *VEC_PUSH(&f->node) = (struct chain_node){
        .parent = parent, .children = REDBLACK_NONE, .first = first, .frames = frames};
    return (uint32_t)f->node.len - 1;
}

uint32_t forest_plant(struct forest *f)
{
    return node_new(f, REDBLACK_NONE, 0, 0);
}

/* What is left of a chain on its way into a tree. */
struct rest {
    const struct frame *frame;
    const struct hop *hop; /* NULL: they are not counted */
    size_t n;
};

/* Hops go on from where frames are: a chain without them may have come before. */
static bool hops_add(struct forest *f, const struct rest *r)
{
    static const struct hop none;

    if (!r->hop && !f->hop.len)
        return true;
    if (!VEC_ROOM(&f->hop, r->n))
        return false;
    for (size_t i = 0; i < r->n; i++)
        hop_first(&f->hop.at[f->hop.len++], r->hop ? &r->hop[i] : &none,
                  r->frame[i].ip);
    return true;
}

/* A node below `parent` with what is left of a chain. */
static uint32_t node_add(struct forest *f, uint32_t parent, const struct rest *r,
                         const struct chain_add *add)
{
    uint32_t first = (uint32_t)f->frame.len;
    size_t n = r->n;

    if (f->frame.len + n >= UINT32_MAX || !VEC_ROOM(&f->frame, n) || !hops_add(f, r))
        return REDBLACK_NONE;
    memcpy(f->frame.at + f->frame.len, r->frame, n * sizeof(*r->frame));
    uint32_t i = node_new(f, parent, first, (uint32_t)n);
    if (i == REDBLACK_NONE)
        return i;
    f->frame.len += n;
    f->node.at[i].hit = add->weight;
    f->node.at[i].count = (uint32_t)add->count;
    return i;
}

/* The node keeps its first `at` frames; the others, with all that is below, become its only
 * child. */
static bool node_split(struct forest *f, uint32_t n, uint32_t at)
{
    const struct chain_node was = f->node.at[n];
    uint32_t rest = node_new(f, n, was.first + at, was.frames - at);

    if (rest == REDBLACK_NONE)
        return false;
    struct chain_node *top = &f->node.at[n], *tail = &f->node.at[rest];
    tail->hit = was.hit;
    tail->below = was.below;
    tail->count = was.count;
    tail->count_below = was.count_below;
    tail->children = was.children;
    for (uint32_t i = redblack_first(f->link.at, was.children); i != REDBLACK_NONE;
         i = redblack_next(f->link.at, i))
        f->node.at[i].parent = rest;
    top->frames = at;
    top->hit = 0;
    top->count = 0;
    top->below = chain_weight(tail);
    top->count_below = tail->count + tail->count_below;
    top->children = REDBLACK_NONE;
    redblack_hang(f->link.at, &top->children, rest, REDBLACK_NONE, 0);
    return true;
}

/* The child of `parent` that begins with a frame; else where it would hang: *below, *dir. */
static uint32_t child_find(const struct forest *f, uint32_t parent,
                           const struct frame *frame, enum frame_key key,
                           uint32_t *below, int *dir)
{
    uint32_t at = f->node.at[parent].children;

    *below = REDBLACK_NONE;
    *dir = 0;
    while (at != REDBLACK_NONE) {
        int c = frame_compare(&f->frame.at[f->node.at[at].first], frame, key);
        if (!c)
            break;
        *below = at;
        *dir = c > 0;
        at = f->link.at[at].child[*dir];
    }
    return at;
}

/* How many frames of a node the chain has. */
static uint32_t common(const struct forest *f, uint32_t node, const struct rest *r,
                       enum frame_key key)
{
    const struct chain_node *c = &f->node.at[node];
    uint32_t i = 1; /* the first is how it was found */

    while (i < c->frames && i < r->n &&
           !frame_compare(&f->frame.at[c->first + i], &r->frame[i], key))
        i++;
    return i;
}

static void count_hops(struct forest *f, uint32_t node, const struct rest *r,
                       uint32_t n)
{
    uint32_t first = f->node.at[node].first;

    for (uint32_t i = 0; r->hop && i < n; i++)
        hop_again(&f->hop.at[first + i], &r->hop[i], r->frame[i].ip);
}

uint32_t forest_child(struct forest *f, uint32_t parent, const struct frames *frames,
                      enum frame_key key)
{
    const struct rest r = {frames->at, NULL, frames->len};
    const struct chain_add none = {0};
    uint32_t below = REDBLACK_NONE, at = f->node.at[parent].children;
    int dir = 0;

    while (at != REDBLACK_NONE) {
        const struct frame *first = &f->frame.at[f->node.at[at].first];
        below = at;
        dir = frame_compare(first, r.frame, key) >= 0;
        at = f->link.at[at].child[dir];
    }
    at = node_add(f, parent, &r, &none);
    if (at != REDBLACK_NONE)
        redblack_hang(f->link.at, &f->node.at[parent].children, at, below, dir);
    return at;
}

pts_status forest_add(struct forest *f, uint32_t root, const struct chain_add *add,
                      enum frame_key key)
{
    const struct frames *chain = add->chain;
    struct rest r = {chain->at + add->from, chain->hop ? chain->hop + add->from : NULL,
                     chain->len - add->from};
    uint32_t at = root;

    while (r.n) {
        uint32_t below;
        int dir;
        uint32_t child = child_find(f, at, r.frame, key, &below, &dir);
        f->node.at[at].below += add->weight;
        f->node.at[at].count_below += (uint32_t)add->count;
        if (child == REDBLACK_NONE) {
            child = node_add(f, at, &r, add);
            if (child == REDBLACK_NONE)
                return PTS_E_NOMEM;
            redblack_hang(f->link.at, &f->node.at[at].children, child, below, dir);
            return PTS_OK;
        }
        uint32_t same = common(f, child, &r, key);
        count_hops(f, child, &r, same);
        if (same < f->node.at[child].frames && !node_split(f, child, same))
            return PTS_E_NOMEM;
        r = (struct rest){r.frame + same, r.hop ? r.hop + same : NULL, r.n - same};
        at = child;
    }
    f->node.at[at].hit += add->weight;
    f->node.at[at].count += (uint32_t)add->count;
    return PTS_OK;
}

/* The frames of a chain, from its first to the end of a node. */
static pts_status chain_of(const struct forest *f, uint32_t node, struct frames *out)
{
    size_t n = 0;

    for (uint32_t i = node; f->node.at[i].parent != REDBLACK_NONE;
         i = f->node.at[i].parent)
        n += f->node.at[i].frames;
    out->len = 0;
    if (!n)
        return PTS_OK;
    if (!VEC_ROOM(out, n))
        return PTS_E_NOMEM;
    out->len = n;
    for (uint32_t i = node; f->node.at[i].parent != REDBLACK_NONE;
         i = f->node.at[i].parent) {
        const struct chain_node *at = &f->node.at[i];
        n -= at->frames;
        memcpy(out->at + n, f->frame.at + at->first, at->frames * sizeof(*out->at));
    }
    return PTS_OK;
}

/* The node behind n in a walk that comes to a node before its children. */
static uint32_t walk_on(const struct forest *f, uint32_t root, uint32_t n)
{
    uint32_t next = redblack_first(f->link.at, f->node.at[n].children);

    while (next == REDBLACK_NONE && n != root) {
        next = redblack_next(f->link.at, n);
        n = f->node.at[n].parent;
    }
    return next;
}

pts_status forest_merge(struct forest *f, uint32_t to, uint32_t from,
                        enum frame_key key)
{
    struct frames chain = {0};
    pts_status st = PTS_OK;

    for (uint32_t n = from; st == PTS_OK && n != REDBLACK_NONE;
         n = walk_on(f, from, n)) {
        if (!f->node.at[n].hit)
            continue;
        st = chain_of(f, n, &chain);
        const struct chain_add all = {&chain, 0, f->node.at[n].hit, 1};
        if (st == PTS_OK)
            st = forest_add(f, to, &all, key);
    }
    frames_free(&chain);
    return st;
}

void forest_free(struct forest *f)
{
    VEC_FREE(&f->node);
    VEC_FREE(&f->link);
    VEC_FREE(&f->frame);
    VEC_FREE(&f->hop);
}
