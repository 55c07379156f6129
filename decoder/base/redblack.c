/* redblack.c - a red-black tree of numbered nodes, in the shape that perf's have.
 *
 * SPDX-License-Identifier: MIT
 *
 * Both sides are handled by one code with a direction, 0 left and 1 right.
 */
#include "decoder/base/redblack.h"

static bool is_red(const struct redblack_node *node, uint32_t i)
{
    return i != REDBLACK_NONE && node[i].red;
}

void redblack_replace(struct redblack_node *node, uint32_t *root, uint32_t parent,
                      uint32_t old, uint32_t with)
{
    if (parent == REDBLACK_NONE)
        *root = with;
    else
        node[parent].child[node[parent].child[1] == old] = with;
}

/*      x                y
 *     / \    dir 0     / \
 *    a   y    ---->   x   c
 *       / \          / \
 *      b   c        a   b       */
void redblack_rotate(struct redblack_node *node, uint32_t *root, uint32_t x, int dir)
{
    uint32_t y = node[x].child[!dir];
    uint32_t b = node[y].child[dir];
    uint32_t parent = node[x].parent;
    node[x].child[!dir] = b;
    if (b != REDBLACK_NONE)
        node[b].parent = x;
    node[y].child[dir] = x;
    node[x].parent = y;
    node[y].parent = parent;
    redblack_replace(node, root, parent, x, y);
}

/* n is red, and so may its parent be.  With a red uncle both become black and the
 * grandparent red, where the same may be wrong; else one or two rotations end it. */
static void balance(struct redblack_node *node, uint32_t *root, uint32_t n)
{
    uint32_t p;
    while ((p = node[n].parent) != REDBLACK_NONE && node[p].red) {
        uint32_t g = node[p].parent; /* a red node is never the root */
        int dir = node[g].child[1] == p;
        uint32_t uncle = node[g].child[!dir];
        if (is_red(node, uncle)) {
            node[p].red = node[uncle].red = false;
            node[g].red = true;
            n = g;
            continue;
        }
        if (node[p].child[!dir] == n) {
            redblack_rotate(node, root, p, dir);
            p = n;
        }
        node[p].red = false;
        node[g].red = true;
        redblack_rotate(node, root, g, !dir);
        break;
    }
    node[*root].red = false;
}

void redblack_hang(struct redblack_node *node, uint32_t *root, uint32_t n,
                   uint32_t parent, int dir)
{
    node[n] = (struct redblack_node){
        {REDBLACK_NONE, REDBLACK_NONE},
        parent, true
    };
    if (parent == REDBLACK_NONE)
        *root = n;
    else
        node[parent].child[dir] = n;
    balance(node, root, n);
}

uint32_t redblack_first(const struct redblack_node *node, uint32_t root)
{
    uint32_t n = root;

    while (n != REDBLACK_NONE && node[n].child[0] != REDBLACK_NONE)
        n = node[n].child[0];
    return n;
}

uint32_t redblack_next(const struct redblack_node *node, uint32_t n)
{
    if (node[n].child[1] != REDBLACK_NONE)
        return redblack_first(node, node[n].child[1]);
    uint32_t parent = node[n].parent;
    while (parent != REDBLACK_NONE && node[parent].child[1] == n) {
        n = parent;
        parent = node[n].parent;
    }
    return parent;
}
