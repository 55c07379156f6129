/* press.h - the lines of samples, made by several at once.
 *
 * SPDX-License-Identifier: MIT
 *
 *     the run    batch 1   batch 2   batch 3 ...
 *                   |         |         |
 *     sheets     text 1    text 2    text 3        by whoever of the crew is free
 *                   |
 *     in order   text 1 ...                        press_take
 *
 * A batch needs nothing else (I9), and nearly all lines depend on none before them, so they
 * can be made in any order.  What does depend (out_perf_is_apart), and whatever is no
 * sample, is left out by who makes the text of its batch, and put in when that has its turn.
 * How wide the column callindent is does, too, but can be guessed (press_sheet.h).
 * So all that reads files, keeps counts or warns is done in order, as with one thread.
 */
#ifndef PTS_SYNTH_PRINT_SCRIPT_PRESS_H
#define PTS_SYNTH_PRINT_SCRIPT_PRESS_H

#include "decoder/base/crew.h"
#include "synth/print/line/out_perf.h"
#include "synth/sample/batch.h"
#include "synth/symbol/resolve.h"

/* Items of a batch: enough to be worth a thread's while. */
enum { PRESS_ITEMS = 2048 };

/* All lent for the life of the press. */
struct press_conf {
    struct crew *crew;
    struct resolve_base *places;
    struct out_perf *lines; /* that makes what is left out */
    void *ctx;              /* of the functions */
    /* Makes lines as those of the run, from places of one's own. */
    pts_status (*printer)(void *ctx, struct places *places, struct out_perf **out);
    /* Appends the text of an item that was left out to that of press_take. */
    pts_status (*in_turn)(void *ctx, const struct item *item);
};

struct press;
pts_status press_new(const struct press_conf *conf, struct press **out);
void press_free(struct press *p); /* NULL is fine */
bool press_is_full(const struct press *p);
/* Takes what the batch has, and leaves it empty.  Not while it is full. */
void press_give(struct press *p, struct batch *b, const struct out_settled *settled);
/* Appends the text of the batch that was given first; PTS_END: there is none. */
pts_status press_take(struct press *p, struct text *to);

#endif
