/* report_text.h - the rows of an event as perf report --stdio prints them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_REPORT_TEXT_H
#define PTS_SYNTH_REPORT_REPORT_TEXT_H

#include "synth/print/text.h"
#include "synth/report/blocks.h"
#include "synth/report/hists.h"
#include "synth/report/lines.h"

/* What is printed, of one event. */
struct report_text {
    const struct report_opts *opts;
    const struct key_context *keys;
    const struct hists *hists;
    const char *event;           /* its name */
    uint32_t members;            /* of its group, */
    bool grouped;                /* ... which was made of all */
    uint32_t width[COLUMNS_MAX]; /* of columns, by report_widths, */
    uint32_t one[COLUMNS_MAX];   /* ... and of a number in them */
    struct text cell;            /* one at a time */
};

/* All of an event: lines about it, titles, rows. */
pts_status report_event(struct report_text *r, struct text *t);
/* The lines about it only. */
void report_event_head(const struct report_text *r, struct text *t);
/* tree_text.c: the same with keys below each other (--hierarchy). */
pts_status report_tree(struct report_text *r, struct text *t);
/* blocks_text.c: --total-cycles, the blocks that an event's rows go to. */
struct blocks_shown {
    struct blocks *blocks;
    struct lines *lines;
};
pts_status report_blocks(struct report_text *r, const struct blocks_shown *s,
                         uint32_t event, struct text *t);
/* graph_text.c: the call chains of a row, behind it. */
pts_status report_chains(const struct report_text *r, const struct entry *e,
                         struct text *t);
/* --- Between its files: parts of a row --------------------------------------------- */

void report_widths(struct report_text *r);
const char *report_title(const struct report_text *r, const struct column *c);
void report_number(const struct report_text *r, uint32_t column, const struct entry *e,
                   struct text *t);
void report_key(struct report_text *r, const struct key *k, const struct entry *e,
                uint32_t width, struct text *t);
/* What stands in front of a percentage, and then this behind it; NULL: nothing. */
#define REPORT_COLOUR_END "\033[m"
const char *report_colour(const struct report_opts *o, double percent);
bool report_is_shown(const struct report_text *r, const struct entry *e);
/* Of what percentages are. */
static inline uint64_t report_total(const struct report_text *r)
{
    return hists_total(r->hists, r->opts);
}

#endif
