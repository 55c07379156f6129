/* redblack.h - a red-black tree of numbered nodes, in the shape that perf's have.
 *
 * SPDX-License-Identifier: MIT
 *
 * Where a node belongs the caller finds out, going down from the root; so an order that
 * contradicts itself gives what it gives perf: the answer depends on the shape.  Nodes
 * are numbers in an array of the caller's.
 */
#ifndef PTS_DECODER_BASE_REDBLACK_H
#define PTS_DECODER_BASE_REDBLACK_H

#include <stdbool.h>
#include <stdint.h>

#define REDBLACK_NONE UINT32_MAX

struct redblack_node {
    uint32_t child[2], parent; /* 0: left */
    bool red;
};

/* Hangs node n below parent (REDBLACK_NONE: it is the root) on a side that is free, and
 * balances the tree. */
void redblack_hang(struct redblack_node *node, uint32_t *root, uint32_t n,
                   uint32_t parent, int dir);
/* Puts `with` where `old` hangs below `parent`. */
void redblack_replace(struct redblack_node *node, uint32_t *root, uint32_t parent,
                      uint32_t old, uint32_t with);
/* Turns x down to the side `dir`. */
void redblack_rotate(struct redblack_node *node, uint32_t *root, uint32_t x, int dir);

/* From left to right, below root; REDBLACK_NONE at the end. */
uint32_t redblack_first(const struct redblack_node *node, uint32_t root);
uint32_t redblack_next(const struct redblack_node *node, uint32_t n);

#endif
