/* path_trees.c - all chains have come: rows of callers, and the trees of rows.
 *
 * SPDX-License-Identifier: MIT
 *
 * The tree of a row is made from its root on, of all that its chains have there: they are parted by their next
 * frame, until a node is too light to be shown.
 *
 *     a b c   5 times        a b -+- c  5      here all have b behind a, so that is one node,
 *     a b d   2 times             '- d  2      then they part
 *
 * Chains of the row's own samples go in whole, others from its first frame on; both lie in the tree of all
 * chains (paths.h), whose nodes are what is parted.
 */
#include "synth/report/count.h"

/* --- Counting ---------------------------------------------------------------------- */

static void add_to_row(struct report *r, size_t event, uint32_t row,
                       const struct row_sum *sum)
{
    struct hists *h = &r->hists[event];
    const struct amount a = {sum->period, sum->count, 0, false};

    hists_count(h, row, &a);
    if (r->opts.chains)
        hists_depth(h, row, sum->depth);
    hists_at(h, row)->met_again |= sum->again;
}

pts_status report_counted(struct report *r)
{
    const size_t events = r->scene.plan->evl.ev.len;

    count_known_end(r);
    if (!r->paths.chain.len)
        return PTS_OK;
    pts_status st =
        path_sums_make(&r->sums, &r->paths, r->hists, events, r->opts.children);
    for (size_t i = 0; st == PTS_OK && i < events; i++)
        for (uint32_t k = r->sums.first_row[i]; k < r->sums.first_row[i + 1]; k++)
            if (r->sums.row[k].depth)
                add_to_row(r, i, k - r->sums.first_row[i], &r->sums.row[k]);
    return st;
}

/* --- Trees ------------------------------------------------------------------------- */

/* What comes through a node: of the row's own samples, or of all others. */
struct passing {
    uint32_t node;
    bool own;
};

/* Of a node: chains of the row's own samples, which link only what they come through. */
struct own_sum {
    uint64_t weight, count;
    uint32_t child, sibling; /* 0: none */
};

/* Those that go on with the same frame. */
struct twig {
    uint32_t frame, first, count; /* of what is parted */
    uint64_t weight, times;
};

/* A twig that is heavy enough to be followed, and the node that it hangs on. */
struct bough {
    uint32_t node;
    struct twig twig;
};

struct growing {
    struct report *r;
    const struct paths *p;
    struct path_sums *s;
    struct own_sum *own; /* of each node, for the row in hand */
    bool any_own;
    uint32_t *alike, *twig_of, *seen; /* of frames */
    uint32_t round;
    VEC(struct passing) passing; /* of each bough; then what is in hand */
    VEC(struct passing) parted;
    VEC(struct twig) twig;
    VEC(struct bough) bough;
    struct frames frames;
    struct forest *forest;
    uint64_t least; /* of the row in hand */
};

static uint64_t weight_of(const struct growing *g, const struct passing *at)
{
    const uint64_t own = g->any_own ? g->own[at->node].weight : 0;

    return at->own ? own : g->s->node[at->node].weight - own;
}

static uint64_t count_of(const struct growing *g, const struct passing *at)
{
    const uint64_t own = g->any_own ? g->own[at->node].count : 0;

    return at->own ? own : g->s->node[at->node].count - own;
}

/* One more that is in hand, if anything comes through it. */
static bool take(struct growing *g, uint32_t node, bool own)
{
    const struct passing at = {node, own};

    if (!count_of(g, &at))
        return true;
    struct passing *new = VEC_PUSH(&g->passing);
    if (new)
        *new = at;
    return new != NULL;
}

/* In the order in which they came first.  What is in hand lies behind so many. */
static bool find_twigs(struct growing *g, size_t from)
{
    g->twig.len = 0;
    g->round++;
    for (size_t i = from; i < g->passing.len; i++) {
        const struct passing *at = &g->passing.at[i];
        const uint32_t frame = g->p->node.at[at->node].frame, same = g->alike[frame];
        if (g->seen[same] != g->round) {
            struct twig *new = VEC_PUSH(&g->twig);
            if (!new)
                return false;
            *new = (struct twig){.frame = frame};
            g->seen[same] = g->round;
            g->twig_of[same] = (uint32_t)g->twig.len - 1;
        }
        struct twig *t = &g->twig.at[g->twig_of[same]];
        t->count++;
        t->weight += weight_of(g, at);
        t->times += count_of(g, at);
    }
    return true;
}

/* Those of each twig side by side. */
static bool part(struct growing *g, size_t from)
{
    const size_t n = g->passing.len - from;
    uint32_t first = 0;

    if (g->twig.len == 1)
        g->twig.at[0].first = (uint32_t)from;
    if (g->twig.len < 2)
        return true;
    if (g->parted.len < n && !VEC_ROOM(&g->parted, n - g->parted.len))
        return false;
    for (size_t i = 0; i < g->twig.len; i++) {
        g->twig.at[i].first = first;
        first += g->twig.at[i].count;
    }
    for (size_t i = from; i < g->passing.len; i++) {
        const uint32_t frame = g->p->node.at[g->passing.at[i].node].frame;
        g->parted.at[g->twig.at[g->twig_of[g->alike[frame]]].first++] =
            g->passing.at[i];
    }
    memcpy(g->passing.at + from, g->parted.at, n * sizeof(*g->parted.at));
    for (size_t i = 0; i < g->twig.len; i++)
        g->twig.at[i].first += (uint32_t)from - g->twig.at[i].count;
    return true;
}

/* What is behind a twig is in hand; *ends: chains that end there. */
static bool go_on(struct growing *g, const struct twig *t, struct twig *ends)
{
    *ends = (struct twig){.weight = t->weight, .times = t->times};
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        const struct passing at = g->passing.at[i];
        uint32_t n = at.own ? g->own[at.node].child : g->s->node[at.node].child;
        for (; n; n = at.own ? g->own[n].sibling : g->s->node[n].sibling)
            if (!take(g, n, at.own))
                return false;
    }
    if (!find_twigs(g, t->first + t->count) || !part(g, t->first + t->count))
        return false;
    for (size_t i = 0; i < g->twig.len; i++) {
        ends->weight -= g->twig.at[i].weight;
        ends->times -= g->twig.at[i].times;
    }
    return true;
}

static bool add_frame(struct growing *g, uint32_t frame)
{
    struct frame *new = VEC_PUSH(&g->frames);

    if (new)
        *new = g->p->frame.at[frame].frame;
    return new != NULL;
}

/* What is too light to be shown is not there. */
static bool branch_out(struct growing *g, uint32_t node)
{
    for (size_t i = 0; i < g->twig.len; i++) {
        const struct twig *t = &g->twig.at[i];
        g->forest->node.at[node].below += t->weight;
        g->forest->node.at[node].count_below += (uint32_t)t->times;
        if (t->weight < g->least)
            continue;
        struct bough *new = VEC_PUSH(&g->bough);
        if (!new)
            return false;
        *new = (struct bough){node, *t};
    }
    return true;
}

/* In place of what led there. */
static void move_down(struct growing *g, struct twig *t, uint32_t to)
{
    memmove(g->passing.at + to, g->passing.at + t->first,
            t->count * sizeof(*g->passing.at));
    g->passing.len = to + t->count;
    t->first = to;
}

/* As far as all go the same way it is one node. */
static bool grow_bough(struct growing *g, const struct bough *b)
{
    struct twig t = b->twig, ends;

    g->passing.len = t.first + t.count;
    g->frames.len = 0;
    if (!add_frame(g, t.frame) || !go_on(g, &t, &ends))
        return false;
    while (!ends.times && g->twig.len == 1) {
        t = g->twig.at[0];
        move_down(g, &t, b->twig.first);
        if (!add_frame(g, t.frame) || !go_on(g, &t, &ends))
            return false;
    }
    uint32_t node = forest_child(g->forest, b->node, &g->frames, g->r->opts.chain.key);
    if (node == REDBLACK_NONE)
        return false;
    g->forest->node.at[node].hit = ends.weight;
    g->forest->node.at[node].count = (uint32_t)ends.times;
    return branch_out(g, node);
}

/* --- A row --------------------------------------------------------------------------- */

/* Its own samples, on all the way to where their chains end. */
static void mark_own(struct growing *g, const struct row_sum *row)
{
    for (uint32_t i = row->chain; i; i = g->s->chain[i - 1].row) {
        const struct path_chain *c = &g->p->chain.at[i - 1];
        uint32_t n = c->node;
        for (bool more = true; more; n = g->p->node.at[n].parent) {
            struct own_sum *own = &g->own[n],
                           *parent = &g->own[g->p->node.at[n].parent];
            more = n != 0;
            if (more && !own->count) {
                own->sibling = parent->child;
                parent->child = n;
            }
            own->weight += c->weight;
            own->count += c->count;
        }
    }
}

static void forget_own(struct growing *g, const struct row_sum *row)
{
    for (uint32_t i = row->chain; i; i = g->s->chain[i - 1].row)
        for (uint32_t n = g->p->chain.at[i - 1].node; g->own[n].count;
             n = g->p->node.at[n].parent)
            g->own[n] = (struct own_sum){0};
}

/* The frames that its chains begin with. */
static bool take_first(struct growing *g, const struct row_sum *row)
{
    bool ok = true;

    g->passing.len = 0;
    for (uint32_t n = g->own[0].child; ok && n; n = g->own[n].sibling)
        ok = take(g, n, true);
    for (uint32_t n = row->node; ok && n; n = g->s->node[n].next)
        ok = take(g, n, false);
    return ok && find_twigs(g, 0) && part(g, 0);
}

static bool grow_tree(struct growing *g, struct entry *e)
{
    if (!g->passing.len)
        return true;
    if (e->chains == REDBLACK_NONE)
        e->chains = forest_plant(g->forest);
    if (e->chains == REDBLACK_NONE || !branch_out(g, e->chains))
        return false;
    while (g->bough.len) {
        const struct bough b = g->bough.at[--g->bough.len];
        if (!grow_bough(g, &b))
            return false;
    }
    return true;
}

static bool grow_row(struct growing *g, struct entry *e, const struct row_sum *row)
{
    g->any_own = row->chain != 0;
    mark_own(g, row);
    bool ok = take_first(g, row) && grow_tree(g, e);
    forget_own(g, row);
    return ok;
}

/* --- All of them ------------------------------------------------------------------- */

/* Trees of rows that become one are joined as they are: nothing of them is left out. */
static uint64_t least_of(const struct report_opts *o, const struct hists *h)
{
    return o->chain.mode == CHAIN_GRAPH && !h->joined.len && !h->peers
               ? chain_least_of(&o->chain, hists_total(h, o))
               : 0;
}

static pts_status grow_trees(struct growing *g)
{
    const uint32_t *first = g->s->first_row;

    for (size_t i = 0; i < g->r->scene.plan->evl.ev.len; i++) {
        struct hists *h = &g->r->hists[i];
        const bool has_chains = count_has_chains(g->r, (uint32_t)i);
        g->forest = &h->forest;
        g->least = least_of(&g->r->opts, h);
        for (uint32_t k = first[i]; has_chains && k < first[i + 1]; k++) {
            struct entry *e = hists_at(h, k - first[i]);
            if (e->shows_chains && !grow_row(g, e, &g->s->row[k]))
                return PTS_E_NOMEM;
        }
    }
    return PTS_OK;
}

pts_status report_chained(struct report *r)
{
    const size_t frames = r->paths.frame.len;
    struct growing g = {.r = r, .p = &r->paths, .s = &r->sums};

    if (!r->opts.chains || !r->paths.chain.len)
        return PTS_OK;
    g.own = mem_table(r->paths.node.len, sizeof(*g.own));
    g.alike = paths_alike(&r->paths, r->opts.chain.key);
    g.twig_of = mem_zalloc(frames + 1, sizeof(*g.twig_of));
    g.seen = mem_table(frames + 1, sizeof(*g.seen));
    pts_status st =
        g.own && g.alike && g.twig_of && g.seen ? grow_trees(&g) : PTS_E_NOMEM;
    frames_free(&g.frames);
    VEC_FREE(&g.passing);
    VEC_FREE(&g.parted);
    VEC_FREE(&g.bough);
    VEC_FREE(&g.twig);
    mem_free(g.own);
    mem_free(g.alike);
    mem_free(g.twig_of);
    mem_free(g.seen);
    return st;
}

/* --- Before the end ------------------------------------------------------------------ */

pts_status count_refresh(struct report *r, uint32_t event)
{
    if (!r->memo || !r->hists[event].by_tree)
        return PTS_OK;
    pts_status st = report_counted(r);
    for (size_t i = 0; i < r->scene.plan->evl.ev.len; i++)
        for (size_t k = 0; k < r->hists[i].entry.len; k++)
            hists_at(&r->hists[i], k)->shows_chains =
                true; /* which ones do is not known yet */
    if (st == PTS_OK)
        st = report_chained(r);
    path_sums_free(&r->sums);
    paths_free(&r->paths);
    mem_free(r->memo);
    r->memo = NULL;
    return st;
}
