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

/* The row of an item; REDBLACK_NONE: *parent and *dir are where it would be. */
static uint32_t find_row(const struct linking *l, const struct entry *e,
                         uint32_t *parent, int *dir)
{
    uint32_t at = l->root;

    *parent = REDBLACK_NONE;
    *dir = 0;
    while (at != REDBLACK_NONE) {
        int64_t order = hists_compare(l->o, l->c, &l->h->entry.at[at].item, &e->item);
        if (!order)
            break;
        *parent = at;
        *dir = order > 0;
        at = l->node[at].child[*dir];
    }
    return at;
}

/* A row that only another event of the group has. */
static uint32_t add_row(struct linking *l, const struct entry *of)
{
    uint32_t parent, i = (uint32_t)l->h->entry.len;
    int dir;

    if (!vec_room((void **)&l->node, &l->room, i + 1, sizeof(*l->node)))
        return REDBLACK_NONE;
    (void)find_row(l, of, &parent, &dir);
    struct entry *new = VEC_PUSH(&l->h->entry);
    if (!new)
        return REDBLACK_NONE;
    *new = (struct entry){.item = of->item,
                          .filtered = of->filtered,
                          .next = IDMAP_NONE,
                          .chains = REDBLACK_NONE};
    redblack_hang(l->node, &l->root, i, parent, dir);
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
    uint32_t parent;
    int dir;

    for (uint32_t i = 0; i < m->rows; i++) {
        const struct entry *e = &m->entry.at[m->row[i]];
        uint32_t row = find_row(l, e, &parent, &dir);
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
    for (uint32_t i = 0; i < h->rows; i++) {
        uint32_t parent;
        int dir;
        (void)find_row(&l, &h->entry.at[h->row[i]], &parent, &dir);
        redblack_hang(l.node, &l.root, h->row[i], parent, dir);
    }
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
