/* press.c - the lines of samples, made by several at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/script/press.h"

#include "decoder/base/arena.h"
#include "synth/print/script/press_sheet.h"

enum { SHEETS = 3 }; /* for each who works: one on its way, and some that wait */

struct press {
    struct press_conf conf;
    struct printer *printer; /* one for each who works */
    uint32_t printers;
    struct sheet *sheet; /* a ring */
    uint32_t sheets, first, count;
    struct sheet_end end;
};

/* --- In order ------------------------------------------------------------------------ */

bool press_is_full(const struct press *p)
{
    return p->count == p->sheets;
}

void press_give(struct press *p, struct batch *b, const struct out_settled *settled)
{
    const uint32_t number = p->first + p->count++;
    struct sheet *s = &p->sheet[number % p->sheets];
    const struct batch empty = s->batch;

    s->batch = *b;
    *b = empty;
    s->settled = *settled;
    s->number = number + 1;
    s->text.len = 0;
    s->gaps = 0;
    s->guess = *out_perf_indent(p->conf.lines);
    crew_give(p->conf.crew, &s->task);
}

static void swap(struct text *a, struct text *b)
{
    const struct text t = *a;

    *a = *b;
    *b = t;
}

static void set_indent(struct press *p, const struct out_indent *to)
{
    if (to->count == 1)
        *out_perf_indent(p->conf.lines) = *to;
}

/* From byte `from` on; there may be no text at all. */
static void put_part(struct text *to, const struct sheet *s, size_t from, size_t end)
{
    if (end > from)
        text_put(to, s->text.at + from, end - from);
}

static pts_status put_in_turn(const struct press *p, const struct sheet *s,
                              struct spot_in at)
{
    const struct item *item = &s->batch.item.at[at.item];
    struct item one;

    if (item->kind != ITEM_SERIES)
        return p->conf.in_turn(p->conf.ctx, item);
    one.kind = ITEM_SAMPLE;
    one.sample = item->series.form;
    series_sample(&one.sample, &item->series.at[at.brief]);
    return p->conf.in_turn(p->conf.ctx, &one);
}

/* Whether the width at the beginning is what was guessed. */
static bool guess_is_right(const struct press *p, const struct sheet *s)
{
    const struct out_indent *now = out_perf_indent(p->conf.lines);

    return !spot_is_before((struct spot_in){0}, s->sure) ||
           (!s->wrong && now->count == 1 && now->at[0] == s->guess.at[0]);
}

/* The text with what was left out, from the first thing that is sure on. */
static pts_status put_sure(struct press *p, const struct sheet *s, struct spot_in from,
                           size_t at, struct text *to)
{
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st >= 0 && i < s->gaps; i++) {
        if (spot_is_before(s->gap[i].of, from))
            continue;
        put_part(to, s, at, s->gap[i].at);
        at = s->gap[i].at;
        set_indent(p, &s->gap[i].indent);
        st = put_in_turn(p, s, s->gap[i].of);
    }
    if (st >= 0)
        put_part(to, s, at, s->text.len);
    if (spot_is_before(from, s->done))
        set_indent(p, &s->indent);
    return st;
}

/* All of the sheet; then the items behind it. */
static pts_status put_together(struct press *p, const struct sheet *s, struct text *to)
{
    const bool right = guess_is_right(p, s);
    struct spot_in at = {0};
    pts_status st = PTS_OK;

    for (; !right && st >= 0 && spot_is_before(at, s->sure);
         at = spot_behind(&s->batch, at))
        st = put_in_turn(p, s, at);
    if (st >= 0)
        st = put_sure(p, s, at, right ? 0 : s->sure_at, to);
    if (spot_is_before(at, s->done))
        at = s->done;
    for (; st >= 0 && at.item < s->batch.item.len; at = spot_behind(&s->batch, at))
        st = put_in_turn(p, s, at);
    return st;
}

pts_status press_take(struct press *p, struct text *to)
{
    struct sheet *s = &p->sheet[p->first % p->sheets];
    pts_status st = PTS_OK;

    if (!p->count)
        return PTS_END;
    crew_await(p->conf.crew, &s->task);
    p->first++;
    p->count--;
    bool whole = !s->gaps && s->done.item == s->batch.item.len && guess_is_right(p, s);
    if (s->text.failed) {
        st = PTS_E_NOMEM;
    } else if (!to->len && whole) {
        swap(to, &s->text);
        set_indent(p, &s->indent);
    } else {
        st = put_together(p, s, to);
    }
    batch_empty(&s->batch);
    return to->failed ? PTS_E_NOMEM : st;
}

/* --- Life ---------------------------------------------------------------------------- */

static pts_status printer_make(const struct press_conf *conf, struct printer *p)
{
    pts_status st = resolve_new(conf->places, &p->resolve);

    if (st < 0)
        return st;
    resolve_apart(p->resolve);
    st = places_new(resolve_lookup(p->resolve), &p->places);
    return st < 0 ? st : conf->printer(conf->ctx, p->places, &p->lines);
}

pts_status press_new(const struct press_conf *conf, struct press **out)
{
    struct press *p = mem_zalloc(1, sizeof(*p));
    pts_status st = PTS_OK;

    if (!p)
        return PTS_E_NOMEM;
    p->conf = *conf;
    p->printers = crew_size(conf->crew);
    p->sheets = p->printers * SHEETS;
    p->printer = mem_zalloc(p->printers, sizeof(*p->printer));
    p->sheet = mem_zalloc(p->sheets, sizeof(*p->sheet));
    if (!p->printer || !p->sheet)
        st = PTS_E_NOMEM;
    for (uint32_t i = 0; st >= 0 && i < p->printers; i++)
        st = printer_make(conf, &p->printer[i]);
    if (st < 0) {
        press_free(p);
        return st;
    }
    for (uint32_t i = 0; i < p->sheets; i++) {
        p->sheet[i].printer = p->printer;
        p->sheet[i].end = &p->end;
        p->sheet[i].task.run = sheet_print;
        p->sheet[i].task.brief = true;
    }
    *out = p;
    return PTS_OK;
}

void press_free(struct press *p)
{
    if (!p)
        return;
    for (; p->count; p->count--)
        crew_recall(p->conf.crew, &p->sheet[p->first++ % p->sheets].task);
    for (uint32_t i = 0; p->sheet && i < p->sheets; i++) {
        batch_free(&p->sheet[i].batch);
        text_free(&p->sheet[i].text);
    }
    for (uint32_t i = 0; p->printer && i < p->printers; i++) {
        out_perf_free(p->printer[i].lines);
        places_free(p->printer[i].places);
        resolve_free(p->printer[i].resolve);
    }
    mem_free(p->sheet);
    mem_free(p->printer);
    mem_free(p);
}
