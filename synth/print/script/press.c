/* press.c - the lines of samples, made by several at once.
 *
 * SPDX-License-Identifier: MIT
 *
 *     text of a sheet   line line line line line line line ...
 *                                |              |
 *     gaps                       item 3         item 6     made in turn, and put in
 */
#include "synth/print/script/press.h"

#include "decoder/base/arena.h"
#include "synth/print/record/rec_text.h"

enum {
    SHEETS = 3, /* for each who works: one on its way, and some that wait */
    GAPS = 64   /* of a sheet; from the next one on all is made in turn */
};

/* Where something is to be put in. */
struct gap {
    size_t item;
    size_t at; /* bytes of the text before it */
    struct out_indent indent;
};

struct printer {
    struct resolve *resolve;
    struct places *places;
    struct out_perf *lines;
};

struct sheet {
    struct crew_task task;
    struct press *press;
    struct batch batch;
    struct out_settled settled;
    struct text text;
    size_t done; /* items that are in the text or gaps */
    uint32_t gaps;
    struct gap gap[GAPS];
    struct out_indent indent; /* behind all of them */
};

struct press {
    struct press_conf conf;
    struct printer *printer; /* one for each who works */
    uint32_t printers;
    struct sheet *sheet; /* a ring */
    uint32_t sheets, first, count;
};

/* --- The text of a sheet, by any of the crew ---------------------------------------- */

static bool print_sample(struct printer *p, const struct sample *s, struct text *t)
{
    if (s->hidden)
        return true;
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

/* False: it must wait for its turn. */
static bool print_item(struct printer *p, const struct item *item, struct text *t)
{
    switch (item->kind) {
    case ITEM_SAMPLE:
        return print_sample(p, &item->sample, t);
    case ITEM_ERROR:
        rec_text_error(t, item->error);
        return true;
    case ITEM_TEXT:
        text_put(t, item->text->at, item->text->len);
        return true;
    case ITEM_RECORD:
    case ITEM_TRACE:
        break;
    }
    return false;
}

static void sheet_print(struct crew_task *task, uint32_t who)
{
    struct sheet *s = (struct sheet *)task; /* its first member */
    struct printer *p = &s->press->printer[who];
    const struct batch *b = &s->batch;

    struct out_indent *indent = out_perf_indent(p->lines);

    out_perf_settle(p->lines, &s->settled);
    *indent = (struct out_indent){0};
    for (s->done = 0; s->done < b->item.len && !s->text.failed; s->done++) {
        const struct gap gap = {s->done, s->text.len, *indent};
        if (print_item(p, &b->item.at[s->done], &s->text))
            continue;
        s->text.len = gap.at;
        if (s->gaps == GAPS) {
            *indent = gap.indent;
            break;
        }
        s->gap[s->gaps++] = gap;
    }
    s->indent = *indent;
}

/* --- In order ------------------------------------------------------------------------ */

bool press_is_full(const struct press *p)
{
    return p->count == p->sheets;
}

void press_give(struct press *p, struct batch *b, const struct out_settled *settled)
{
    struct sheet *s = &p->sheet[(p->first + p->count++) % p->sheets];
    const struct batch empty = s->batch;

    s->batch = *b;
    *b = empty;
    s->settled = *settled;
    s->text.len = 0;
    s->gaps = 0;
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

/* The text with what was left out; then the items behind it. */
static pts_status put_together(struct press *p, const struct sheet *s, struct text *to)
{
    const struct item *item = s->batch.item.at;
    pts_status st = PTS_OK;
    size_t at = 0;

    for (uint32_t i = 0; st >= 0 && i < s->gaps; i++) {
        put_part(to, s, at, s->gap[i].at);
        at = s->gap[i].at;
        set_indent(p, &s->gap[i].indent);
        st = p->conf.in_turn(p->conf.ctx, &item[s->gap[i].item]);
    }
    if (st >= 0)
        put_part(to, s, at, s->text.len);
    set_indent(p, &s->indent);
    for (size_t i = s->done; st >= 0 && i < s->batch.item.len; i++)
        st = p->conf.in_turn(p->conf.ctx, &item[i]);
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
    bool whole = !s->gaps && s->done == s->batch.item.len;
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
        p->sheet[i].press = p;
        p->sheet[i].task.run = sheet_print;
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
