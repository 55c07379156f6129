/* hists_link.c - the same rows of events that were counted together.
 *
 * SPDX-License-Identifier: MIT
 *
 * The event that leads gets all rows of the others, too, and knows of each where they have it.
 */
#include "synth/report/hists.h"

#include <string.h>

/* The collected rows of the event that leads, as a tree. */
struct linking {
    const struct report_opts *o;
    const struct key_context *c;
    struct hists *h;
    struct redblack_node *node;
    uint32_t root;
    size_t room;
};

static int64_t order_of(const struct linking *l, uint32_t at, const struct entry *e)
{
    return hists_compare(l->o, l->c, &l->h->entry.at[at].item, &e->item);
}

/* The row of an item, or REDBLACK_NONE. */
static uint32_t find_row(const struct linking *l, const struct entry *e)
{
    uint32_t at = l->root;
    int64_t order;

    while (at != REDBLACK_NONE && (order = order_of(l, at, e)))
        at = l->node[at].child[order > 0];
    return at;
}

/* Row i, at the end of the way to it: as the order contradicts itself, there may be an equal one
 * on the way. */
static void hang_row(struct linking *l, uint32_t i)
{
    uint32_t at = l->root, parent = REDBLACK_NONE;
    int dir = 0;

    while (at != REDBLACK_NONE) {
        parent = at;
        dir = order_of(l, at, &l->h->entry.at[i]) > 0;
        at = l->node[at].child[dir];
    }
    redblack_hang(l->node, &l->root, i, parent, dir);
}

/* A row that only another event of the group has. */
static uint32_t add_row(struct linking *l, const struct entry *of)
{
    const uint32_t i = (uint32_t)l->h->entry.len;

    if (!vec_room((void **)&l->node, &l->room, i + 1, sizeof(*l->node)))
        return REDBLACK_NONE;
    struct entry *new = VEC_PUSH(&l->h->entry);
    if (!new)
        return REDBLACK_NONE;
    *new = (struct entry){.item = of->item,
                          .filtered = of->filtered,
                          .next = IDMAP_NONE,
                          .chains = REDBLACK_NONE};
    hang_row(l, i);
    l->h->rows++;
    return i;
}

static bool note_peer(struct hists *h, uint32_t row, uint32_t k, uint32_t peer)
{
    size_t before = h->peer.len, all = h->entry.len * h->peers;

    if (before < all) {
        if (!VEC_ROOM(&h->peer, all - before))
            return false;
        memset(h->peer.at + before, 0, (all - before) * sizeof(*h->peer.at));
        h->peer.len = all;
    }
    h->peer.at[(size_t)row * h->peers + k] = peer + 1;
    return true;
}

static pts_status link_member(struct linking *l, uint32_t k)
{
    const struct hists *m = l->h + 1 + k;

    for (uint32_t i = 0; i < m->rows; i++) {
        const struct entry *e = &m->entry.at[m->row[i]];
        uint32_t row = find_row(l, e);
        if (row == REDBLACK_NONE)
            row = add_row(l, e);
        if (row == REDBLACK_NONE || !note_peer(l->h, row, k, m->row[i]))
            return PTS_E_NOMEM;
    }
    return PTS_OK;
}

pts_status hists_link(struct hists *h, uint32_t members, const struct report_opts *o,
                      const struct key_context *c)
{
    struct linking l = {.o = o, .c = c, .h = h, .root = REDBLACK_NONE};
    uint32_t n = 0;
    pts_status st = PTS_OK;

    h->peers = members - 1;
    if (!vec_room((void **)&l.node, &l.room, h->entry.len + 1, sizeof(*l.node)))
        return PTS_E_NOMEM;
    for (uint32_t i = 0; i < h->rows; i++)
        hang_row(&l, h->row[i]);
    for (uint32_t k = 0; st == PTS_OK && k < h->peers; k++)
        st = link_member(&l, k);
    uint32_t *rows = mem_zalloc((size_t)h->rows + 1, sizeof(*rows));
    if (st == PTS_OK && rows) {
        for (uint32_t e = redblack_first(l.node, l.root); e != REDBLACK_NONE;
             e = redblack_next(l.node, e))
            rows[n++] = e;
        mem_free(h->row);
        h->row = rows;
    } else {
        mem_free(rows);
        st = PTS_E_NOMEM;
    }
    mem_free(l.node);
    return st;
}
