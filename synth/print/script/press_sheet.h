/* press_sheet.h - the lines of one batch, as text in which some are left out.
 *
 * SPDX-License-Identifier: MIT
 *
 *     text of a sheet   line line line line line line line ...
 *                            |   |              |
 *     gaps                   |   item 3         item 6     made in turn, and put in
 *                            sure: lines before it are as wide as was guessed
 *
 * The column callindent is as wide as the lines before make it.  Whoever makes the text does not
 * know these, guesses the width that was last known, and looks what its own lines say: a few
 * settle it, and from there on the text is right whatever was before.
 */
#ifndef PTS_SYNTH_PRINT_SCRIPT_PRESS_SHEET_H
#define PTS_SYNTH_PRINT_SCRIPT_PRESS_SHEET_H

#include "decoder/base/crew.h"
#include "synth/print/line/out_perf.h"
#include "synth/sample/batch.h"
#include "synth/symbol/resolve.h"

#include <stdatomic.h>

enum { GAPS = 64 }; /* of a sheet; from the next one on all is made in turn */

/* One sample of a batch, or what else it has. */
struct spot_in {
    size_t item;
    uint32_t brief; /* of a series */
};

/* Where something is to be put in. */
struct gap {
    struct spot_in of;
    size_t at; /* bytes of the text before it */
    struct out_indent indent;
};

/* How wide callindent is behind the sheet that was printed last: most are printed one after the
 * other, so that the next one need not guess what its owner knew when it was given.  Zero: of none. */
struct sheet_end {
    atomic_uint_fast64_t
        last; /* the number of the next sheet, and the width below it */
};

struct printer {
    struct resolve *resolve;
    struct places *places;
    struct out_perf *lines;
};

/* Zero-initialise; set task.run, printer and end.  All else is set for each batch. */
struct sheet {
    struct crew_task task;
    struct printer *printer; /* of each who works */
    struct sheet_end *end;   /* of all sheets */
    uint32_t number;         /* of this one, from 1 */
    struct batch batch;
    struct out_settled settled;
    struct text text;
    struct spot_in done; /* what is in front of it is in the text or gaps */
    uint32_t gaps;
    struct gap gap[GAPS];
    struct out_indent indent; /* behind all of them */
    struct out_indent guess;  /* how wide callindent is at the beginning */
    struct out_indent known;  /* by the lines so far */
    bool guessing;
    bool wrong;          /* the lines say that it was not so */
    struct spot_in sure; /* what is in front of it hangs on the guess, ... */
    size_t sure_at;      /* ... bytes of the text in front of that */
};

/* Makes the text: what a crew runs. */
void sheet_print(struct crew_task *task, uint32_t who);

static inline bool spot_is_before(struct spot_in a, struct spot_in b)
{
    return a.item < b.item || (a.item == b.item && a.brief < b.brief);
}

static inline struct spot_in spot_behind(const struct batch *b, struct spot_in at)
{
    const struct item *item = &b->item.at[at.item];

    if (item->kind == ITEM_SERIES && at.brief + 1 < item->series.count)
        return (struct spot_in){at.item, at.brief + 1};
    return (struct spot_in){at.item + 1, 0};
}

#endif
