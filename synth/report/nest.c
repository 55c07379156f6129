/* nest.c - rows below each other, by one level of keys after another: --hierarchy.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/nest.h"

#include <string.h>

struct nesting {
    struct hists *h;
    const struct report_opts *o;
    const struct key_context *c;
    const char *part;
};

/* By the keys of one level. */
static int64_t level_compare(const struct nesting *n, uint32_t level,
                             const struct subject *a, const struct subject *b)
{
    int64_t order = 0;

    for (uint32_t k = 0; !order && k < n->o->key_count; k++)
        if (n->o->key_level[k] == level)
            order = key_compare(n->o->key[k], n->c, a, b);
    return order;
}

static bool level_has(const struct report_opts *o, uint32_t level, const char *name)
{
    bool has = false;

    for (uint32_t k = 0; k < o->key_count; k++)
        has |= o->key_level[k] == level && strcmp(o->key[k]->name, name) == 0;
    return has;
}

/* --- Filters ----------------------------------------------------------------------- */

/* A level that says what is filtered shows its own; those above it show what has something
 * shown below, and those below what the one above shows. */
static void settle(const struct nesting *n, uint32_t at, uint8_t bit, bool says)
{
    const struct nest_node *nodes = n->h->nest.node.at;
    struct entry *e = hists_at(n->h, at);
    const uint32_t parent = nodes[at].parent;

    if (!says && parent == REDBLACK_NONE) {
        e->filtered |= bit;
    } else if (!says) {
        e->filtered |= hists_at(n->h, parent)->filtered & bit;
    } else if (!(e->filtered & bit)) {
        for (uint32_t up = parent; up != REDBLACK_NONE; up = nodes[up].parent)
            hists_at(n->h, up)->filtered &= (uint8_t)~bit;
    }
}

static void apply_filters(const struct nesting *n, uint32_t at)
{
    const struct select *s = &n->o->sel;
    const uint32_t level = n->h->nest.node.at[at].level;
    struct entry *e = hists_at(n->h, at);

    if (select_threads(s))
        settle(n, at, FILTER_THREAD,
               level_has(n->o, level, "pid") || level_has(n->o, level, "comm"));
    if (s->dsos.on)
        settle(n, at, FILTER_DSO, level_has(n->o, level, "dso"));
    if (s->symbols.on)
        settle(n, at, FILTER_SYMBOL, level_has(n->o, level, "symbol"));
    if (n->part && (!e->item.spot.at.sym || !strstr(e->item.spot.at.sym, n->part)))
        e->filtered |= FILTER_SYMBOL;
}

/* --- Nodes ------------------------------------------------------------------------- */

static uint32_t *roots_of(struct nest *nest, uint32_t parent)
{
    return parent == REDBLACK_NONE ? &nest->top : &nest->node.at[parent].below;
}

/* The node like an item below another; else where it would hang. */
static uint32_t node_find(const struct nesting *n, const struct hists *h, uint32_t root,
                          uint32_t level, const struct subject *item, uint32_t *parent,
                          int *dir)
{
    uint32_t at = root;

    *parent = REDBLACK_NONE;
    *dir = 0;
    while (at != REDBLACK_NONE) {
        int64_t order = level_compare(n, level, &hists_at(h, at)->item, item);
        if (!order)
            break;
        *parent = at;
        *dir = order > 0;
        at = h->nest.in.at[at].child[*dir];
    }
    return at;
}

/* A copy of an entry, as a node; REDBLACK_NONE: no memory. */
static uint32_t node_new(struct hists *h, const struct entry *of, uint32_t above,
                         uint32_t level)
{
    const uint32_t i = (uint32_t)h->entry.len;
    struct nest *t = &h->nest;

    if (i >= REDBLACK_NONE - 1 || !VEC_ROOM(&t->in, i + 1 - t->in.len) ||
        !VEC_ROOM(&t->out, i + 1 - t->out.len) ||
        !VEC_ROOM(&t->node, i + 1 - t->node.len))
        return REDBLACK_NONE;
    if (hists_add(h, of) == HISTS_NONE)
        return REDBLACK_NONE;
    t->in.len = t->out.len = t->node.len = i + 1;
    t->node.at[i] = (struct nest_node){above, REDBLACK_NONE, REDBLACK_NONE, level};
    hists_at(h, i)->next = IDMAP_NONE;
    hists_at(h, i)->chains = REDBLACK_NONE;
    return i;
}

static uint32_t node_add(const struct nesting *n, uint32_t row, uint32_t above,
                         uint32_t level)
{
    struct hists *h = n->h;
    const struct entry *e = hists_at(h, row);
    uint32_t parent, at;
    int dir;

    at = node_find(n, h, *roots_of(&h->nest, above), level, &e->item, &parent, &dir);
    if (at != REDBLACK_NONE) {
        hists_add_tally(&hists_at(h, at)->self, &e->self);
        return at;
    }
    at = node_new(h, e, above, level);
    if (at == REDBLACK_NONE)
        return at;
    redblack_hang(h->nest.in.at, roots_of(&h->nest, above), at, parent, dir);
    apply_filters(n, at);
    return at;
}

void nest_none(struct hists *h)
{
    h->nest.top = h->nest.top_rank = REDBLACK_NONE;
    h->nest.levels = 0;
    h->nest.titles = false;
}

pts_status nest_build(struct hists *h, const struct report_opts *o,
                      const struct key_context *c, const char *part)
{
    const struct nesting n = {h, o, c, part};

    nest_none(h);
    h->nest.levels = o->tree_levels;
    h->nest.titles = true;
    for (uint32_t i = 0; h->nest.levels && i < h->rows; i++) {
        uint32_t above = REDBLACK_NONE;
        for (uint32_t level = 0; level < h->nest.levels; level++) {
            above = node_add(&n, h->row[i], above, level);
            if (above == REDBLACK_NONE)
                return PTS_E_NOMEM;
        }
        struct hists_join *chains = VEC_PUSH(&h->joined);
        if (!chains)
            return PTS_E_NOMEM;
        *chains = (struct hists_join){above, h->row[i]};
    }
    return PTS_OK;
}

/* --- Groups ------------------------------------------------------------------------ */

/* Depth first: the first node below, or the one behind this or behind one above it.  ranked: in
 * the order in which they are printed, else in that in which they were collected. */
static uint32_t next_node(const struct nest *t, uint32_t at, bool ranked)
{
    const struct redblack_node *in = ranked ? t->out.at : t->in.at;
    const uint32_t below = ranked ? t->node.at[at].below_rank : t->node.at[at].below;

    if (below != REDBLACK_NONE)
        return redblack_first(in, below);
    for (; at != REDBLACK_NONE; at = t->node.at[at].parent) {
        uint32_t next = redblack_next(in, at);
        if (next != REDBLACK_NONE)
            return next;
    }
    return REDBLACK_NONE;
}

/* The node of the event that leads for one of another, below that of the one above. */
static uint32_t lead(const struct nesting *n, const struct hists *other, uint32_t at,
                     uint32_t above)
{
    struct hists *h = n->h;
    const struct entry *e = hists_at(other, at);
    const uint32_t level = other->nest.node.at[at].level;
    uint32_t parent, i;
    int dir;

    i = node_find(n, h, *roots_of(&h->nest, above), level, &e->item, &parent, &dir);
    if (i != REDBLACK_NONE)
        return i;
    i = node_new(h, e, above, level);
    if (i == REDBLACK_NONE)
        return i;
    hists_at(h, i)->self = (struct tally){0};
    hists_at(h, i)->all = (struct tally_all){0};
    redblack_hang(h->nest.in.at, roots_of(&h->nest, above), i, parent, dir);
    return i;
}

static pts_status link_member(const struct nesting *n, uint32_t k)
{
    const struct hists *m = n->h + 1 + k;
    uint32_t *leads = mem_zalloc(m->entry.len + 1, sizeof(*leads));
    pts_status st = leads ? PTS_OK : PTS_E_NOMEM;

    for (uint32_t at = redblack_first(m->nest.in.at, m->nest.top);
         st == PTS_OK && at != REDBLACK_NONE; at = next_node(&m->nest, at, false)) {
        const uint32_t above = m->nest.node.at[at].parent;
        leads[at] =
            lead(n, m, at, above == REDBLACK_NONE ? REDBLACK_NONE : leads[above]);
        if (leads[at] == REDBLACK_NONE || !hists_note_peer(n->h, leads[at], k, at))
            st = PTS_E_NOMEM;
    }
    mem_free(leads);
    return st;
}

pts_status nest_link(struct hists *h, uint32_t members, const struct report_opts *o,
                     const struct key_context *c)
{
    const struct nesting n = {.h = h, .o = o, .c = c};
    pts_status st = PTS_OK;

    h->peers = members - 1;
    for (uint32_t k = 0; st == PTS_OK && k < h->peers; k++)
        st = link_member(&n, k);
    return st;
}

/* --- In the order in which they are printed ---------------------------------------- */

static void rank(const struct nesting *n, uint32_t at)
{
    struct hists *h = n->h;
    struct nest *t = &h->nest;
    const uint32_t above = t->node.at[at].parent;
    uint32_t *root =
        above == REDBLACK_NONE ? &t->top_rank : &t->node.at[above].below_rank;
    uint32_t parent = REDBLACK_NONE;
    int dir = 0;

    for (uint32_t i = *root; i != REDBLACK_NONE; i = t->out.at[i].child[dir]) {
        parent = i;
        dir = hists_printed(h, n->o, n->c, hists_at(h, at), hists_at(h, i)) <= 0;
    }
    redblack_hang(t->out.at, root, at, parent, dir);
}

/* What perf looks for when it compares it (hists_sort.c): with what is beside it on its
 * level, or with another sample. */
static void skip_keys(const struct nesting *n, uint32_t at)
{
    struct hists *h = n->h;
    const struct nest *t = &h->nest;
    const uint32_t above = t->node.at[at].parent, level = t->node.at[at].level,
                   root = above == REDBLACK_NONE ? t->top : t->node.at[above].below;
    const bool alone = root == at && t->in.at[at].child[0] == REDBLACK_NONE &&
                       t->in.at[at].child[1] == REDBLACK_NONE;

    for (uint32_t k = 0; k < n->o->key_count; k++) {
        const struct key *key = n->o->key[k];
        struct entry *e = hists_at(h, at);
        if (key->skip && (n->o->key_level[k] != level || (alone && e->self.count == 1)))
            key->skip(&e->item, false);
    }
}

pts_status nest_order(struct hists *h, const struct report_opts *o,
                      const struct key_context *c)
{
    const struct nesting n = {.h = h, .o = o, .c = c};
    const struct nest *t = &h->nest;
    uint32_t *rows = mem_zalloc(h->entry.len + 1, sizeof(*rows));

    if (!rows)
        return PTS_E_NOMEM;
    mem_free(h->row);
    h->row = rows;
    h->rows = 0;
    h->total = h->total_shown = 0;
    for (uint32_t at = redblack_first(t->in.at, t->top); at != REDBLACK_NONE;
         at = next_node(t, at, false)) {
        const struct entry *e = hists_at(h, at);
        rank(&n, at);
        skip_keys(&n, at);
        rows[h->rows++] = at;
        if (t->node.at[at].parent != REDBLACK_NONE)
            continue;
        h->total += e->self.period;
        h->total_shown += e->filtered ? 0 : e->self.period;
    }
    return PTS_OK;
}

uint32_t nest_next(const struct nest *t, uint32_t node)
{
    return node == REDBLACK_NONE ? redblack_first(t->out.at, t->top_rank)
                                 : next_node(t, node, true);
}
