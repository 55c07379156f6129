/* path_sums.c - what all chains come to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/path_sums.h"

/* --- Nodes and chains, linked -------------------------------------------------------- */

static void link_chains(struct path_sums *s)
{
    for (uint32_t i = (uint32_t)s->p->chain.len; i-- > 0;) {
        const struct path_chain *c = &s->p->chain.at[i];
        struct node_sum *end = &s->node[c->node];
        struct row_sum *row = &s->row[path_sums_row(s, c->node, c->row)];
        s->chain[i] = (struct chain_link){end->chain, row->chain};
        end->chain = row->chain = i + 1;
        end->weight += c->weight;
        end->count += c->count;
    }
}

/* Parents lie in front of their children. */
static void link_nodes(struct path_sums *s)
{
    const struct path_node *node = s->p->node.at;
    const uint32_t n = (uint32_t)s->p->node.len;

    for (uint32_t i = n; i-- > 1;) {
        struct node_sum *of = &s->node[i], *parent = &s->node[node[i].parent];
        parent->weight += of->weight;
        parent->count += of->count;
        of->sibling = parent->child;
        parent->child = i;
        of->height++;
        if (of->height > parent->height)
            parent->height = of->height;
    }
    for (uint32_t i = 1; i < n; i++)
        s->node[i].depth = s->node[node[i].parent].depth + 1;
}

/* --- Rows ----------------------------------------------------------------------------- */

static void lengthen(struct row_sum *row, uint32_t depth)
{
    if (depth > row->depth)
        row->depth = depth;
}

static void count_samples(struct path_sums *s)
{
    for (size_t i = 0; i < s->p->chain.len; i++) {
        const struct path_chain *c = &s->p->chain.at[i];
        lengthen(&s->row[path_sums_row(s, c->node, c->row)], s->node[c->node].depth);
    }
}

/* A row gets what comes through the first node of it on each way, */
static void enter(struct path_sums *s, uint32_t n)
{
    struct node_sum *of = &s->node[n];
    struct row_sum *row = &s->row[path_sums_row(s, n, path_at(s->p, n)->row)];

    if (row->above) {
        row->again = true;
    } else {
        row->above = n;
        row->period += of->weight;
        row->count += of->count;
        lengthen(row, of->height);
        of->next = row->node;
        row->node = n;
    }
    /* ... but the samples that it has itself. */
    for (uint32_t i = of->chain; i; i = s->chain[i - 1].here) {
        const struct path_chain *c = &s->p->chain.at[i - 1];
        struct row_sum *own = &s->row[path_sums_row(s, n, c->row)];
        if (!own->above)
            continue;
        own->again = true;
        own->period -= c->weight;
        own->count -= c->count;
    }
}

static void leave(struct path_sums *s, uint32_t n)
{
    struct row_sum *row = &s->row[path_sums_row(s, n, path_at(s->p, n)->row)];

    if (row->above == n)
        row->above = 0;
}

static void count_callers(struct path_sums *s)
{
    uint32_t n = s->node[0].child;

    while (n) {
        enter(s, n);
        uint32_t next = s->node[n].child;
        while (!next && n) {
            leave(s, n);
            next = s->node[n].sibling;
            n = next ? n : s->p->node.at[n].parent;
        }
        n = next;
    }
}

/* --- All ------------------------------------------------------------------------------ */

pts_status path_sums_make(struct path_sums *s, const struct paths *p,
                          const struct hists *h, size_t events, bool callers)
{
    s->p = p;
    s->first_row = mem_zalloc(events + 1, sizeof(*s->first_row));
    if (!s->first_row)
        return PTS_E_NOMEM;
    for (size_t i = 0; i < events; i++)
        s->first_row[i + 1] = s->first_row[i] + (uint32_t)h[i].entry.len;
    s->row = mem_table((size_t)s->first_row[events] + 1, sizeof(*s->row));
    s->node = mem_table(p->node.len + 1, sizeof(*s->node));
    s->chain = mem_zalloc(p->chain.len + 1, sizeof(*s->chain));
    if (!s->row || !s->node || !s->chain)
        return PTS_E_NOMEM;
    link_chains(s);
    link_nodes(s);
    count_samples(s);
    if (callers)
        count_callers(s);
    return PTS_OK;
}

void path_sums_free(struct path_sums *s)
{
    mem_free(s->first_row);
    mem_free(s->row);
    mem_free(s->node);
    mem_free(s->chain);
    *s = (struct path_sums){0};
}
