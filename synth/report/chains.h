/* chains.h - call chains that begin alike, as trees.
 *
 * SPDX-License-Identifier: MIT
 *
 *     chains   a b c   5 times        tree   [a b] --+-- [c]  5
 *              a b d   2 times                       '-- [d]  2
 *
 * A node is a run of frames; a tree has its first nodes below a root without frames.  The
 * children of a node lie in a search tree, in the order in which perf goes through those
 * that weigh the same: descending by file, then by address.  All trees of an event are in
 * one forest.
 */
#ifndef PTS_SYNTH_REPORT_CHAINS_H
#define PTS_SYNTH_REPORT_CHAINS_H

#include "decoder/base/redblack.h"
#include "decoder/base/vec.h"
#include "synth/report/frames.h"

struct chain_node {
    uint64_t hit, below; /* weight of the chains that end here, and further down */
    uint32_t count, count_below;
    uint32_t parent, children; /* the root of the search tree of these */
    uint32_t first, frames;    /* of the forest's frames */
};

static inline uint64_t chain_weight(const struct chain_node *n)
{
    return n->hit + n->below;
}

/* Zero-initialise. */
struct forest {
    VEC(struct chain_node) node;
    VEC(struct redblack_node) link; /* of each node, among its siblings */
    VEC(struct frame) frame;
    VEC(struct hop_count) hop; /* of each frame, if chains have branches */
};

/* A new tree; REDBLACK_NONE: no memory. */
uint32_t forest_plant(struct forest *f);
/* A chain so many times, all of which weigh so much; with `from` 1 without its first frame,
 * and so on. */
struct chain_add {
    const struct frames *chain;
    size_t from;
    uint64_t weight, count;
};

/* Adds a chain to a tree. */
pts_status forest_add(struct forest *f, uint32_t root, const struct chain_add *add,
                      enum frame_key key);
/* A new child of a node, which weighs nothing yet and begins unlike its siblings;
 * REDBLACK_NONE: no memory. */
uint32_t forest_child(struct forest *f, uint32_t parent, const struct frames *frames,
                      enum frame_key key);
/* Adds all chains of another tree, each as one, as perf does. */
pts_status forest_merge(struct forest *f, uint32_t to, uint32_t from,
                        enum frame_key key);
void forest_free(struct forest *f);

#endif
