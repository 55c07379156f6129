/* nest.h - rows below each other, by one level of keys after another: --hierarchy.
 *
 * SPDX-License-Identifier: MIT
 *
 *     collected row  ->  a node for each level, shared with rows that are the same so far
 *     node           ->  an entry of its event, behind the rows; the last one has the chains
 */
#ifndef PTS_SYNTH_REPORT_NEST_H
#define PTS_SYNTH_REPORT_NEST_H

#include "synth/report/hists.h"

/* An event without a nest; each has this, or the next. */
void nest_none(struct hists *h);
/* Puts the rows that were collected into a nest.  part: as in hists_filter_symbols; NULL: all. */
pts_status nest_build(struct hists *h, const struct report_opts *o,
                      const struct key_context *c, const char *part);
/* As hists_link. */
pts_status nest_link(struct hists *h, uint32_t members, const struct report_opts *o,
                     const struct key_context *c);
/* Puts nodes in the order in which they are printed; they are the event's rows then. */
pts_status nest_order(struct hists *h, const struct report_opts *o,
                      const struct key_context *c);
/* Whether there is nothing below a node. */
static inline bool nest_is_leaf(const struct nest *n, uint32_t node)
{
    return n->node.at[node].level + 1 == n->levels;
}
/* A node, those below it, and then the one behind it: from REDBLACK_NONE, until there is none. */
uint32_t nest_next(const struct nest *n, uint32_t node);

#endif
