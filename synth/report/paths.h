/* paths.h - call chains that have been counted before.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same chains come again and again, and most begin as others do, so they lie in a tree:
 *
 *     main read copy   5 times       main --- read --- copy  5
 *     main read seek   2 times              |       '- seek  2
 *     main exit        1 time               '- exit          1
 *
 * While samples come each is counted where its chain ends.  When all have come the tree says what came
 * through each node (path_sums.c), so what rows of callers weigh, and the trees of rows are made of its
 * parts (path_trees.c).  Where perf's order of rows turns out to contradict itself (hists.h), that is done
 * with the chains that came until then, and later ones are counted frame by frame (count_callers.c).
 */
#ifndef PTS_SYNTH_REPORT_PATHS_H
#define PTS_SYNTH_REPORT_PATHS_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/report/frames.h"

#define PATHS_NONE UINT32_MAX

/* Frames that look alike and are counted in the same row. */
struct path_frame {
    struct frame frame; /* the first of them */
    uint32_t event, row;
    uint8_t mode;  /* what they are counted as; 0: as the frame before */
    uint32_t next; /* with the same hash */
};

/* A frame behind those of its parents; the first node is the root, which has none. */
struct path_node {
    uint32_t frame, parent;
    uint32_t last; /* the child that was last come to; 0: none */
};

/* Chains that end at the same node and are of samples of the same row. */
struct path_chain {
    uint64_t count, weight;
    uint32_t node, row;
};

/* A frame of the chain in hand. */
struct path_word {
    uint64_t ip;
    uint32_t frame;
    uint8_t mode;
};

/* Zero-initialise. */
struct paths {
    VEC(struct path_frame) frame;
    struct idmap by_hash;
    VEC(struct path_node) node; /* parents before their children */
    uint32_t *by_step; /* where nodes are found by their parents and frames; 0: free */
    size_t steps;      /* a power of two, or 0 */
    VEC(struct path_chain) chain;
    struct idmap by_end; /* chains by their nodes and rows */
    VEC(struct path_word) word;
    uint32_t owner;      /* whose they are: of the memo */
    VEC(uint32_t) trail; /* the nodes of the last chain */
};

/* A frame's number; PATHS_NONE: no memory. */
uint32_t path_frame(struct paths *p, const struct path_frame *f, enum frame_key key);
/* The chain in hand, which has a frame, of a sample of this row; PATHS_NONE: no memory. */
uint32_t path_chain(struct paths *p, uint32_t row);
/* Numbers that are the same where frames are, for trees; NULL: no memory. */
uint32_t *paths_alike(const struct paths *p, enum frame_key key);
/* Without chains, as in the beginning. */
void paths_free(struct paths *p);

/* A node's frame; it is not the root. */
static inline const struct path_frame *path_at(const struct paths *p, uint32_t node)
{
    return &p->frame.at[p->node.at[node].frame];
}

#endif
