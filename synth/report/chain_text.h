/* chain_text.h - call chains as text: what all ways to show them share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_CHAIN_TEXT_H
#define PTS_SYNTH_REPORT_CHAIN_TEXT_H

#include "synth/report/report_text.h"

struct chain_text {
    const struct report_text *r;
    const struct forest *f;
    const struct chain_opts *o;
    struct text *t;
    uint64_t parent; /* weight of the row */
};

/* Of what percentages are, also where those of rows are of what is shown; unless rows are
 * below each other. */
static inline uint64_t chain_total(const struct chain_text *c)
{
    return c->r->opts->hierarchy ? report_total(c->r) : c->r->hists->total;
}

/* What a chain below a node must weigh. */
uint64_t chain_least(const struct chain_text *c, uint32_t node);
void chain_name(const struct chain_text *c, const struct frame *f);
/* How often a frame of the forest was the end of a branch, if that was counted. */
void chain_hops(const struct chain_text *c, const struct frame *f, size_t most);
void chain_value(const struct chain_text *c, uint64_t weight, uint64_t count,
                 uint64_t total);

typedef uint64_t chain_weight_fn(const struct forest *f, uint32_t node);
/* The heaviest first, equal ones as they are; false: no memory. */
bool chain_sort(const struct forest *f, uint32_t *list, uint32_t n,
                chain_weight_fn *weight);

/* The chains of a tree; false: no memory. */
bool chain_graph(const struct chain_text *c, uint32_t root); /* graph_text.c */
bool chain_flat(const struct chain_text *c, uint32_t root);  /* flat_text.c */

#endif
