/* path_trees.c - all chains have come: rows of callers, and the trees of rows.
 *
 * SPDX-License-Identifier: MIT
 *
 * A tree is made from its root on, of all chains of a row together: they are parted by their
 * next frame, until a node is too light to be shown.
 *
 *     a b c   5 times        a b -+- c  5      here all have b behind a, so that is one node,
 *     a b d   2 times             '- d  2      then they part
 */
#include "synth/report/count.h"

/* --- Chains of a row --------------------------------------------------------------- */

/* A chain without its first frames. */
struct tail {
    uint32_t chain, from;
};

/* What is done with each; own: of the sample itself. */
typedef pts_status tail_fn(void *ctx, struct hists *h, uint32_t row,
                           const struct tail *t, bool own);

/* Of each chain itself, then each of its frames; each row once only, so all but one of the
 * frames of a row are left out. */
static pts_status each_tail(struct report *r, tail_fn *fn, void *ctx)
{
    const struct paths *p = &r->paths;
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < p->chain.len; i++) {
        const struct path_chain *c = &p->chain.at[i];
        const uint32_t *step = p->step.at + c->first;
        struct hists *h = &r->hists[p->frame.at[step[0]].event];
        struct tail t = {i, 0};
        st = hists_sample(h) ? fn(ctx, h, c->row, &t, true) : PTS_E_NOMEM;
        if (st < 0 || !r->opts.children)
            continue;
        (void)hists_first(h, c->row);
        for (; st == PTS_OK && t.from < c->frames; t.from++) {
            uint32_t row = p->frame.at[step[t.from]].row;
            if (hists_first(h, row))
                st = fn(ctx, h, row, &t, false);
            else
                h->entry.at[row].met_again = true;
        }
    }
    return st;
}

/* --- Counting ---------------------------------------------------------------------- */

/* What came to a frame, until all is there: rows are large, and far from each other. */
struct share {
    uint64_t period, count;
    size_t depth;
};

struct sharing {
    struct report *r;
    struct share *share; /* of each frame */
};

/* A frame without a mode is counted as the one before it. */
static uint8_t mode_of(const struct paths *p, const struct tail *t)
{
    const struct path_chain *c = &p->chain.at[t->chain];
    uint32_t k = t->from + 1;

    while (k && !p->frame.at[p->step.at[c->first + k - 1]].mode)
        k--;
    return k ? p->frame.at[p->step.at[c->first + k - 1]].mode : c->mode;
}

static pts_status count_tail(void *ctx, struct hists *h, uint32_t row,
                             const struct tail *t, bool own)
{
    const struct sharing *to = ctx;
    const struct paths *p = &to->r->paths;
    const struct path_chain *c = &p->chain.at[t->chain];
    uint32_t frame = p->step.at[c->first + t->from];
    struct share *share = &to->share[frame];
    size_t depth = c->frames - t->from;

    if (own) {
        if (to->r->opts.chains)
            hists_depth(h, row, depth);
        return PTS_OK;
    }
    share->depth = depth > share->depth ? depth : share->depth;
    if (p->frame.at[frame].mode) {
        share->period += c->weight;
        share->count += c->count;
        return PTS_OK;
    }
    const struct amount a = {c->weight, c->count, mode_of(p, t), false};
    hists_count(h, row, &a);
    return PTS_OK;
}

pts_status report_counted(struct report *r)
{
    const struct paths *p = &r->paths;
    struct sharing to = {r, mem_zalloc(p->frame.len + 1, sizeof(*to.share))};

    count_branches_end(r);
    if (!to.share)
        return PTS_E_NOMEM;
    pts_status st = each_tail(r, count_tail, &to);
    for (uint32_t i = 0; st == PTS_OK && i < p->frame.len; i++) {
        const struct path_frame *f = &p->frame.at[i];
        const struct amount a = {to.share[i].period, to.share[i].count, f->mode, false};
        if (!to.share[i].depth)
            continue;
        hists_count(&r->hists[f->event], f->row, &a);
        if (r->opts.chains)
            hists_depth(&r->hists[f->event], f->row, to.share[i].depth);
    }
    mem_free(to.share);
    return st;
}

/* --- One by one -------------------------------------------------------------------- */

static pts_status add_tail(void *ctx, struct hists *h, uint32_t row,
                           const struct tail *t, bool own)
{
    struct report *r = ctx;
    const struct paths *p = &r->paths;
    const struct path_chain *c = &p->chain.at[t->chain];
    const struct chain_add add = {&r->frames, 0, c->weight, c->count};

    (void)own;
    if (!count_has_chains(r, (uint32_t)(h - r->hists)))
        return PTS_OK;
    r->frames.len = 0;
    for (uint32_t i = t->from; i < c->frames; i++) {
        struct frame *new = VEC_PUSH(&r->frames);
        if (!new)
            return PTS_E_NOMEM;
        *new = p->frame.at[p->step.at[c->first + i]].frame;
    }
    return hists_chain(h, &r->opts, row, &add);
}

pts_status count_refresh(struct report *r, uint32_t event)
{
    if (!r->memo || !r->hists[event].by_tree)
        return PTS_OK;
    pts_status st = report_counted(r);
    if (st == PTS_OK && r->opts.chains)
        st = each_tail(r, add_tail, r);
    r->paths.chain.len = 0;
    mem_free(r->memo);
    r->memo = NULL;
    return st;
}

/* --- Trees ------------------------------------------------------------------------- */

/* Chains that have a node's frames, and what is behind. */
struct bough {
    uint32_t node, first, count; /* of the tails */
    uint32_t depth;              /* frames that they have in common */
};

/* Those that go on with the same frame. */
struct twig {
    uint32_t frame, count, first;
    uint64_t weight, times;
};

struct growing {
    struct report *r;
    uint32_t *rows;             /* of each event: its first one among all */
    uint32_t *first;            /* of each row: its first tail, then behind its last */
    struct tail *tail, *parted; /* all; and room for as many */
    uint32_t *alike, *twig_of, *seen; /* of frames */
    uint32_t round;
    VEC(struct twig) twig;
    VEC(struct bough) bough;
    struct frames frames;
    struct forest *forest;
    uint64_t least; /* of the row in hand */
};

static bool is_wanted(const struct growing *g, const struct hists *h, uint32_t row)
{
    return h->entry.at[row].shows_chains &&
           count_has_chains(g->r, (uint32_t)(h - g->r->hists));
}

static pts_status count_tails(void *ctx, struct hists *h, uint32_t row,
                              const struct tail *t, bool own)
{
    struct growing *g = ctx;

    (void)t, (void)own;
    g->first[g->rows[h - g->r->hists] + row] += is_wanted(g, h, row);
    return PTS_OK;
}

static pts_status put_tail(void *ctx, struct hists *h, uint32_t row,
                           const struct tail *t, bool own)
{
    struct growing *g = ctx;

    (void)own;
    if (is_wanted(g, h, row))
        g->tail[g->first[g->rows[h - g->r->hists] + row]++] = *t;
    return PTS_OK;
}

/* The frame so many behind the first one; PATHS_NONE: the chain ends before. */
static inline uint32_t frame_behind(const struct growing *g, const struct tail *t,
                                    uint32_t depth)
{
    const struct paths *p = &g->r->paths;
    const struct path_chain *c = &p->chain.at[t->chain];
    uint32_t at = t->from + depth;

    return at < c->frames ? p->step.at[c->first + at] : PATHS_NONE;
}

/* Counts those that end here, and makes twigs of the others, in the order in which they
 * came. */
static bool find_twigs(struct growing *g, const struct bough *b)
{
    struct chain_node *node = &g->forest->node.at[b->node];

    g->twig.len = 0;
    g->round++;
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct path_chain *c = &g->r->paths.chain.at[g->tail[i].chain];
        uint32_t frame = frame_behind(g, &g->tail[i], b->depth);
        if (frame == PATHS_NONE) {
            node->hit += c->weight;
            node->count += (uint32_t)c->count;
            continue;
        }
        node->below += c->weight;
        node->count_below += (uint32_t)c->count;
        uint32_t same = g->alike[frame];
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
        t->weight += c->weight;
        t->times += c->count;
    }
    return true;
}

/* The tails of each twig side by side. */
static void part_tails(struct growing *g, const struct bough *b)
{
    uint32_t first = b->first, n = 0;

    for (size_t i = 0; i < g->twig.len; i++) {
        g->twig.at[i].first = first;
        first += g->twig.at[i].count;
    }
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        uint32_t frame = frame_behind(g, &g->tail[i], b->depth);
        if (frame == PATHS_NONE)
            continue;
        g->parted[g->twig.at[g->twig_of[g->alike[frame]]].first++] = g->tail[i];
        n++;
    }
    if (n)
        memcpy(g->tail + b->first, g->parted + b->first, n * sizeof(*g->tail));
}

/* The frames that all of a twig have behind what is known. */
static bool list_frames(struct growing *g, const struct twig *t, uint32_t depth,
                        bool all)
{
    const struct tail *at = g->tail + t->first - t->count; /* it was moved on */
    uint32_t frame = t->frame;

    g->frames.len = 0;
    while (frame != PATHS_NONE) {
        struct frame *new = VEC_PUSH(&g->frames);
        if (!new)
            return false;
        *new = g->r->paths.frame.at[frame].frame;
        frame = all ? frame_behind(g, at, ++depth) : PATHS_NONE;
        for (uint32_t i = 1; frame != PATHS_NONE && i < t->count; i++) {
            uint32_t other = frame_behind(g, at + i, depth);
            if (other == PATHS_NONE || g->alike[other] != g->alike[frame])
                frame = PATHS_NONE;
        }
    }
    return true;
}

/* What is too light is not followed any further. */
static bool grow_bough(struct growing *g, const struct bough b)
{
    if (!find_twigs(g, &b))
        return false;
    part_tails(g, &b);
    for (size_t i = 0; i < g->twig.len; i++) {
        const struct twig *t = &g->twig.at[i];
        bool all = t->weight >= g->least;
        if (!list_frames(g, t, b.depth, all))
            return false;
        uint32_t node =
            forest_child(g->forest, b.node, &g->frames, g->r->opts.chain.key);
        struct bough *more = node != REDBLACK_NONE && all ? VEC_PUSH(&g->bough) : NULL;
        if (node == REDBLACK_NONE || (all && !more))
            return false;
        if (more) {
            *more = (struct bough){node, t->first - t->count, t->count,
                                   b.depth + (uint32_t)g->frames.len};
            continue;
        }
        g->forest->node.at[node].hit = t->weight;
        g->forest->node.at[node].count = (uint32_t)t->times;
    }
    return true;
}

static bool grow_tree(struct growing *g, struct hists *h, uint32_t row, uint32_t first,
                      uint32_t count)
{
    struct entry *e = &h->entry.at[row];

    g->forest = &h->forest;
    if (e->chains == REDBLACK_NONE)
        e->chains = forest_plant(g->forest);
    struct bough *root = e->chains == REDBLACK_NONE ? NULL : VEC_PUSH(&g->bough);
    if (!root)
        return false;
    *root = (struct bough){e->chains, first, count, 0};
    while (g->bough.len)
        if (!grow_bough(g, g->bough.at[--g->bough.len]))
            return false;
    return true;
}

/* --- All of them ------------------------------------------------------------------- */

/* Room, and the tails row by row. */
static pts_status list_tails(struct growing *g)
{
    const size_t events = g->r->scene.plan->evl.ev.len, frames = g->r->paths.frame.len;
    uint32_t rows = 0, tails = 0;

    g->rows = mem_zalloc(events + 1, sizeof(*g->rows));
    if (!g->rows)
        return PTS_E_NOMEM;
    for (size_t i = 0; i < events; i++) {
        g->rows[i] = rows;
        rows += (uint32_t)g->r->hists[i].entry.len;
    }
    g->first = mem_zalloc((size_t)rows + 1, sizeof(*g->first));
    pts_status st = g->first ? each_tail(g->r, count_tails, g) : PTS_E_NOMEM;
    for (uint32_t i = 0; st == PTS_OK && i < rows; i++) {
        uint32_t n = g->first[i];
        g->first[i] = tails;
        tails += n;
    }
    if (st < 0)
        return st;
    g->tail = mem_zalloc((size_t)tails + 1, sizeof(*g->tail));
    g->parted = mem_zalloc((size_t)tails + 1, sizeof(*g->parted));
    g->alike = paths_alike(&g->r->paths, g->r->opts.chain.key);
    g->twig_of = mem_zalloc(frames + 1, sizeof(*g->twig_of));
    g->seen = mem_zalloc(frames + 1, sizeof(*g->seen));
    return g->tail && g->parted && g->alike && g->twig_of && g->seen
               ? each_tail(g->r, put_tail, g)
               : PTS_E_NOMEM;
}

/* Trees of rows that become one are joined as they are: nothing of them is left out. */
static uint64_t least_of(const struct report_opts *o, const struct hists *h)
{
    return o->chain.mode == CHAIN_GRAPH && !h->joined.len && !h->peers
               ? chain_least_of(&o->chain, hists_total(h, o))
               : 0;
}

static pts_status grow_trees(struct growing *g)
{
    uint32_t at = 0;

    for (size_t i = 0; i < g->r->scene.plan->evl.ev.len; i++) {
        struct hists *h = &g->r->hists[i];
        g->least = least_of(&g->r->opts, h);
        for (uint32_t row = 0; row < h->entry.len; row++) {
            uint32_t end = g->first[g->rows[i] + row]; /* they were moved on */
            if (end > at && !grow_tree(g, h, row, at, end - at))
                return PTS_E_NOMEM;
            at = end;
        }
    }
    return PTS_OK;
}

pts_status report_chained(struct report *r)
{
    struct growing g = {.r = r};

    if (!r->opts.chains || !r->paths.chain.len)
        return PTS_OK;
    pts_status st = list_tails(&g);
    if (st == PTS_OK)
        st = grow_trees(&g);
    frames_free(&g.frames);
    VEC_FREE(&g.bough);
    VEC_FREE(&g.twig);
    mem_free(g.rows);
    mem_free(g.first);
    mem_free(g.tail);
    mem_free(g.parted);
    mem_free(g.alike);
    mem_free(g.twig_of);
    mem_free(g.seen);
    return st;
}
