/* call_path.c - paths of calls: who was called by whom, as a tree.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/export/call_path.h"

#include "decoder/base/address.h"

static pts_status add(struct call_paths *p, uint32_t parent, struct path_place at,
                      uint32_t *out)
{
    uint32_t number = (uint32_t)p->node.len;
    struct path_node *n = number < PATH_NONE ? VEC_PUSH(&p->node) : NULL;

    if (!n)
        return PTS_E_NOMEM;
    *n = (struct path_node){.parent = parent,
                            .symbol = at.symbol,
                            .next = PATH_NONE,
                            .ip = at.symbol ? 0 : at.ip,
                            .in_kernel = in_kernel(at.ip)};
    *out = number;
    return PTS_OK;
}

pts_status call_paths_init(struct call_paths *p)
{
    uint32_t root;

    return add(p, PATH_NONE, (struct path_place){0, 0}, &root);
}

void call_paths_free(struct call_paths *p)
{
    VEC_FREE(&p->node);
    VEC_FREE(&p->above);
    idmap_free(&p->by_symbol);
    idmap_free(&p->by_hash);
}

/* Below one parent there is one for each symbol. */
static pts_status find_symbol(struct call_paths *p, uint32_t parent,
                              struct path_place at, uint32_t *out)
{
    const uint64_t key = (uint64_t)parent << 32 | at.symbol;
    const uint32_t first = p->node.at[parent].first;

    if (!first) {
        pts_status st = add(p, parent, at, out);
        if (st == PTS_OK)
            p->node.at[parent].first = *out;
        return st;
    }
    *out = first;
    if (p->node.at[first].symbol == at.symbol)
        return PTS_OK;
    *out = idmap_get(&p->by_symbol, key);
    if (*out != IDMAP_NONE)
        return PTS_OK;
    pts_status st = add(p, parent, at, out);
    if (st == PTS_OK && !idmap_set(&p->by_symbol, key, *out))
        return PTS_E_NOMEM;
    return st;
}

static pts_status find_address(struct call_paths *p, uint32_t parent,
                               struct path_place at, uint32_t *out)
{
    uint64_t key = idmap_hash(parent, &at.ip, sizeof(at.ip));
    uint32_t first = idmap_get(&p->by_hash, key);

    for (*out = first; *out != IDMAP_NONE; *out = p->node.at[*out].next)
        if (p->node.at[*out].parent == parent && p->node.at[*out].ip == at.ip)
            return PTS_OK;
    pts_status st = add(p, parent, at, out);
    if (st < 0)
        return st;
    p->node.at[*out].next = first;
    return idmap_set(&p->by_hash, key, *out) ? PTS_OK : PTS_E_NOMEM;
}

pts_status call_path_find(struct call_paths *p, uint32_t parent, struct path_place at,
                          uint32_t *out)
{
    return at.symbol ? find_symbol(p, parent, at, out)
                     : find_address(p, parent, at, out);
}

static pts_status put(struct call_paths *p, struct path_node *n)
{
    const struct path_node *parent =
        n->parent == PATH_NONE ? NULL : &p->node.at[n->parent];

    n->id = ++p->ids;
    const struct export_value row[] = {EXPORT_N(n->id),
                                       EXPORT_N(parent ? parent->id : 0),
                                       EXPORT_N(n->symbol), EXPORT_N(n->ip)};
    return EXPORT_PUT(p->to, CALL_PATH, row);
}

pts_status call_path_id(struct call_paths *p, uint32_t node, uint32_t *id)
{
    pts_status st = PTS_OK;

    p->above.len = 0;
    for (uint32_t i = node; i != PATH_NONE && !p->node.at[i].id;
         i = p->node.at[i].parent) {
        uint32_t *at = VEC_PUSH(&p->above);
        if (!at)
            return PTS_E_NOMEM;
        *at = i;
    }
    while (st == PTS_OK && p->above.len)
        st = put(p, &p->node.at[p->above.at[--p->above.len]]);
    *id = p->node.at[node].id;
    return st;
}
