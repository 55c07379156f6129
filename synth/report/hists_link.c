/* hists_link.c - the same rows of events that were counted together.
 *
 * SPDX-License-Identifier: MIT
 *
 * The event that leads gets all rows of the others, too, and knows of each where they have it.
 */
#include "synth/report/hists.h"

#include <string.h>

struct linking {
    const struct report_opts *o;
    const struct key_context *c;
    struct hists *h; /* the event that leads; k-th other: h[1 + k] */
};

/* The row of an event like one of another, or REDBLACK_NONE: as the order contradicts itself, it
 * may be missed. */
static uint32_t find_row(const struct linking *l, const struct hists *in,
                         const struct entry *e, uint32_t *parent, int *dir)
{
    /* By the keys of the event that is searched. */
    const struct report_opts *o = l->o->is_own ? l->o + (in - l->h) : l->o;
    uint32_t at = in->tree_root;

    *parent = REDBLACK_NONE;
    *dir = 0;
    while (at != REDBLACK_NONE) {
        int64_t order = hists_compare(o, l->c, &hists_at(in, at)->item, &e->item);
        if (!order)
            break;
        *parent = at;
        *dir = order > 0;
        at = in->tree[at].child[*dir];
    }
    return at;
}

/* A row that only another event of the group has, below `parent`. */
static uint32_t add_row(struct linking *l, const struct entry *of, uint32_t parent,
                        int dir)
{
    struct hists *h = l->h;
    const uint32_t i = (uint32_t)h->entry.len;

    if (!vec_room((void **)&h->tree, &h->tree_room, i + 1, sizeof(*h->tree)))
        return REDBLACK_NONE;
    const struct entry new = {.item = of->item,
                              .filtered = of->filtered,
                              .next = IDMAP_NONE,
                              .chains = REDBLACK_NONE};
    if (hists_add(h, &new) == HISTS_NONE)
        return REDBLACK_NONE;
    redblack_hang(h->tree, &h->tree_root, i, parent, dir);
    h->rows++;
    return i;
}

bool hists_note_peer(struct hists *h, uint32_t row, uint32_t k, uint32_t peer)
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

/* Rows of the event that leads look for theirs in another one. */
static pts_status match(struct linking *l, uint32_t k, bool *paired)
{
    const struct hists *m = l->h + 1 + k;
    uint32_t parent;
    int dir;

    for (uint32_t i = redblack_first(l->h->tree, l->h->tree_root); i != REDBLACK_NONE;
         i = redblack_next(l->h->tree, i)) {
        uint32_t row = find_row(l, m, hists_at(l->h, i), &parent, &dir);
        if (row == REDBLACK_NONE || paired[row])
            continue;
        paired[row] = true;
        if (!hists_note_peer(l->h, i, k, row))
            return PTS_E_NOMEM;
    }
    return PTS_OK;
}

/* Those that none found look for one that leads; else there is a new one. */
static pts_status link_rest(struct linking *l, uint32_t k, const bool *paired)
{
    const struct hists *m = l->h + 1 + k;
    uint32_t parent;
    int dir;

    for (uint32_t i = redblack_first(m->tree, m->tree_root); i != REDBLACK_NONE;
         i = redblack_next(m->tree, i)) {
        if (paired[i])
            continue;
        uint32_t row = find_row(l, l->h, hists_at(m, i), &parent, &dir);
        if (row == REDBLACK_NONE)
            row = add_row(l, hists_at(m, i), parent, dir);
        if (row == REDBLACK_NONE || !hists_note_peer(l->h, row, k, i))
            return PTS_E_NOMEM;
    }
    return PTS_OK;
}

static pts_status link_member(struct linking *l, uint32_t k)
{
    bool *paired = mem_zalloc(l->h[1 + k].entry.len + 1, sizeof(*paired));
    pts_status st = paired ? match(l, k, paired) : PTS_E_NOMEM;

    if (st == PTS_OK)
        st = link_rest(l, k, paired);
    mem_free(paired);
    return st;
}

pts_status hists_link(struct hists *h, uint32_t members, const struct report_opts *o,
                      const struct key_context *c)
{
    struct linking l = {.o = o, .c = c, .h = h};
    uint32_t n = 0;
    pts_status st = PTS_OK;

    h->peers = members - 1;
    for (uint32_t k = 0; st == PTS_OK && k < h->peers; k++)
        st = link_member(&l, k);
    if (st < 0)
        return st;
    uint32_t *rows = mem_zalloc((size_t)h->rows + 1, sizeof(*rows));
    if (!rows)
        return PTS_E_NOMEM;
    for (uint32_t e = redblack_first(h->tree, h->tree_root); e != REDBLACK_NONE;
         e = redblack_next(h->tree, e))
        rows[n++] = e;
    mem_free(h->row);
    h->row = rows;
    return PTS_OK;
}
