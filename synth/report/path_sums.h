/* path_sums.h - what all chains come to.
 *
 * SPDX-License-Identifier: MIT
 *
 * A chain counts for the row of its sample, whole, and for the rows of its frames, each once only:
 *
 *     main read copy    of the sample    main read copy
 *                       of main          main read copy
 *                       of read               read copy
 *                       (of copy: that of the sample has it)
 */
#ifndef PTS_SYNTH_REPORT_PATH_SUMS_H
#define PTS_SYNTH_REPORT_PATH_SUMS_H

#include "synth/report/hists.h"
#include "synth/report/paths.h"

/* Nodes and chains are linked by their numbers, 0: no more; those of chains + 1. */
struct node_sum {
    uint64_t weight, count;  /* of all chains through it */
    uint32_t child, sibling; /* of its parent */
    uint32_t chain;          /* the first one that ends here */
    uint32_t next; /* of those with the same row, if none of its parents has it */
    uint32_t depth, height; /* frames until here, and from here on, both with its own */
};

struct chain_link {
    uint32_t here; /* the next one that ends there, */
    uint32_t row;  /* ... and that is of the row */
};

struct row_sum {
    uint64_t period, count; /* what its frames add */
    uint32_t depth;         /* of its longest chain */
    uint32_t chain, node;   /* the first ones */
    uint32_t above;         /* a node of it on the way to the one in hand */
    bool again;             /* some chain has it twice */
};

/* Zero-initialise. */
struct path_sums {
    const struct paths *p;
    struct node_sum *node;
    struct chain_link *chain;
    struct row_sum *row;
    uint32_t *first_row; /* of each event, and one behind the last */
};

/* The number of a row among those of all events. */
static inline uint32_t path_sums_row(const struct path_sums *s, uint32_t node,
                                     uint32_t row)
{
    return s->first_row[path_at(s->p, node)->event] + row;
}

/* callers: rows of frames count, too. */
pts_status path_sums_make(struct path_sums *s, const struct paths *p,
                          const struct hists *h, size_t events, bool callers);
void path_sums_free(struct path_sums *s);

#endif
