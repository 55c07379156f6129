/* press_sheet.c - the lines of one batch, as text in which some are left out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/script/press_sheet.h"

#include "synth/print/record/rec_text.h"

/* --- How wide callindent is ---------------------------------------------------------- */

enum { WIDTH_BITS = 32 };

/* The sheet before is printed: this one begins as it ended. */
static void end_look(struct sheet *s)
{
    const uint64_t last = atomic_load_explicit(&s->end->last, memory_order_relaxed);

    if (last >> WIDTH_BITS == s->number)
        out_indent_is(&s->guess, (uint32_t)last);
}

static void end_note(const struct sheet *s)
{
    const uint64_t next = (uint64_t)(s->number + 1) << WIDTH_BITS;

    if (s->indent.count == 1 && s->indent.at[0] <= UINT32_MAX)
        atomic_store_explicit(&s->end->last, next | s->indent.at[0],
                              memory_order_relaxed);
}

static void guess_begin(struct sheet *s, struct printer *p)
{
    end_look(s);
    s->guessing = out_perf_indents(p->lines) && s->guess.count == 1;
    s->wrong = false;
    s->known = (struct out_indent){0};
    s->sure = (struct spot_in){0};
    s->sure_at = 0;
    *out_perf_indent(p->lines) = s->guessing ? s->guess : s->known;
}

static void guess_ends(struct sheet *s, struct spot_in sure)
{
    s->guessing = false;
    s->sure = sure;
    s->sure_at = s->text.len;
}

/* In front of a line: what it says of the width. */
static void guess_line(struct sheet *s, struct printer *p, const struct sample *of)
{
    struct out_indent *indent = out_perf_indent(p->lines);
    const struct out_indent guess = *indent;

    *indent = s->known;
    out_perf_leave(p->lines, of);
    s->known = *indent;
    *indent = guess;
}

/* Behind the line.  Where its names are not known nothing is any more, guessed or not. */
static void guess_look(struct sheet *s, struct printer *p)
{
    struct out_indent *indent = out_perf_indent(p->lines);
    const bool lost = !indent->count;

    if (!lost && s->known.count != 1)
        return;
    if (!lost) {
        s->wrong = s->known.at[0] != indent->at[0];
        *indent = s->known;
    }
    guess_ends(s, spot_behind(&s->batch, s->done));
}

/* --- Lines --------------------------------------------------------------------------- */

static bool print_line(struct printer *p, const struct sample *s, struct text *t)
{
    if (out_perf_is_apart(p->lines, s)) {
        out_perf_sample(p->lines, s, t);
        if (!resolve_missed(p->resolve))
            return true;
        *out_perf_indent(p->lines) = (struct out_indent){0};
        return false;
    }
    out_perf_leave(p->lines, s);
    if (resolve_missed(p->resolve))
        *out_perf_indent(p->lines) = (struct out_indent){0};
    return false;
}

static bool print_sample(struct sheet *s, struct printer *p, const struct sample *of)
{
    if (of->hidden)
        return true;
    if (!s->guessing)
        return print_line(p, of, &s->text);
    const size_t at = s->text.len;
    guess_line(s, p, of);
    const bool printed = print_line(p, of, &s->text);
    if (!printed)
        s->text.len = at;
    guess_look(s, p);
    return printed;
}

/* False: it must wait for its turn. */
static bool print_item(struct sheet *s, struct printer *p, const struct item *item)
{
    struct text *t = &s->text;

    switch (item->kind) {
    case ITEM_ERROR:
        rec_text_error(t, item->error);
        return true;
    case ITEM_TEXT:
        text_put(t, item->text->at, item->text->len);
        return true;
    case ITEM_SAMPLE:
        return print_sample(s, p, &item->sample);
    case ITEM_SERIES:
    case ITEM_RECORD:
    case ITEM_TRACE:
        break;
    }
    return false;
}

/* What was written of it since, from gap->at on, is not to be there.  False: there are too
 * many. */
static bool leave_gap(struct sheet *s, struct out_indent *indent, const struct gap *gap)
{
    s->text.len = gap->at;
    if (s->gaps == GAPS) {
        *indent = gap->indent;
        return false;
    }
    s->gap[s->gaps++] = *gap;
    return true;
}

static bool print_series(struct sheet *s, struct printer *p, const struct series *of)
{
    struct out_indent *indent = out_perf_indent(p->lines);
    struct sample one = of->form;
    bool apart = false; /* so are those behind it, if their texts are kept */

    for (; s->done.brief < of->count; s->done.brief++) {
        if (apart && !s->guessing)
            s->done.brief += out_perf_kept(p->lines, of, s->done.brief, &s->text);
        if (s->done.brief == of->count)
            break;
        const struct gap gap = {s->done, s->text.len, *indent};
        series_sample(&one, &of->at[s->done.brief]);
        apart = print_sample(s, p, &one);
        if (!apart && !leave_gap(s, indent, &gap))
            return false;
    }
    s->done.brief = 0;
    return true;
}

void sheet_print(struct crew_task *task, uint32_t who)
{
    struct sheet *s = (struct sheet *)task; /* its first member */
    struct printer *p = &s->printer[who];
    const struct batch *b = &s->batch;

    struct out_indent *indent = out_perf_indent(p->lines);

    out_perf_settle(p->lines, &s->settled);
    guess_begin(s, p);
    s->done = (struct spot_in){0};
    for (; s->done.item < b->item.len && !s->text.failed; s->done.item++) {
        const struct item *item = &b->item.at[s->done.item];
        const struct gap gap = {s->done, s->text.len, *indent};
        if (item->kind == ITEM_SERIES
                ? !print_series(s, p, &item->series)
                : !print_item(s, p, item) && !leave_gap(s, indent, &gap))
            break;
    }
    s->indent = *indent;
    end_note(s);
    if (s->guessing)
        guess_ends(s, s->done);
}
