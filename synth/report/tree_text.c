/* tree_text.c - rows with keys below each other: --hierarchy.
 *
 * SPDX-License-Identifier: MIT
 *
 *     65.26%        w                 comm
 *        42.53%        libc.so.6      dso
 *           35.06%        [.] msort   symbol: a row, with its chains
 */
#include "synth/report/nest.h"
#include "synth/report/report_text.h"

#include <math.h>
#include <string.h>

/* perf has no more dots than those below titles of keys. */
enum { INDENT = 3, GAP = 2, MOST_DOTS = 207 };

/* --- Titles ------------------------------------------------------------------------ */

/* Below the first. */
static uint32_t levels_below(const struct report_text *r)
{
    enum { FRONT_AND_FIRST = 2 };
    uint32_t n = r->opts->tree_nodes;

    return n > FRONT_AND_FIRST ? n - FRONT_AND_FIRST : 0;
}

static uint32_t width_of(const struct report_text *r, enum column_kind kind)
{
    const struct report_opts *o = r->opts;
    uint32_t i = 0;

    while (i + 1 < o->column_count && o->column[i].kind != kind)
        i++;
    return r->width[i];
}

/* Numbers in front of all keys, as wide as -w asks for, which titles and rows do not heed. */
static uint32_t numbers_width(const struct report_text *r)
{
    const struct report_opts *o = r->opts;
    const struct column *c = o->lists.field.at;
    uint32_t width = 0;

    for (uint32_t i = 0; i < o->lists.field.len && c[i].kind != COLUMN_KEY; i++) {
        uint32_t given = i < o->width_count ? o->width[i] : 0,
                 title = (uint32_t)strlen(report_title(r, &c[i]));
        width += i ? GAP : 0;
        width += !given ? width_of(r, c[i].kind) : given > title ? given : title;
    }
    return width;
}

static void put_dots(struct text *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        text_char(t, '.');
}

/* What is between columns. */
static void put_gap(const struct report_text *r, struct text *t)
{
    text_str(t, r->opts->separator ? r->opts->separator : "  ");
}

/* In front of what is n levels below the first; nothing where columns are separated. */
static uint32_t indent(const struct report_text *r, uint32_t n)
{
    return r->opts->separator ? 0 : n * INDENT;
}

static uint32_t put_trimmed(const char *title, struct text *t)
{
    title += strspn(title, " ");
    size_t len = strlen(title);

    while (len && title[len - 1] == ' ')
        len--;
    text_put(t, title, len);
    return (uint32_t)len;
}

/* Titles of what is not in front, levels apart: how wide they are. */
static uint32_t put_level_titles(const struct report_text *r, struct text *t)
{
    const struct report_opts *o = r->opts;
    uint32_t width = 0, last = 0;

    for (uint32_t i = o->tree_front; i < o->column_count; i++) {
        const uint32_t level = o->column[i].at;
        const char *sign = level == last ? "+" : last ? " / " : "";
        if (!level)
            continue;
        text_str(t, sign);
        width +=
            (uint32_t)strlen(sign) + put_trimmed(report_title(r, &o->column[i]), t);
        last = level;
    }
    return width;
}

/* The widest of the levels, side by side with what is above it. */
static uint32_t widest_level(const struct report_text *r)
{
    const struct report_opts *o = r->opts;
    uint32_t widest = 0, width = 0, last = 0;

    for (uint32_t i = o->tree_front; i < o->column_count; i++) {
        const uint32_t level = o->column[i].at;
        if (!level)
            continue;
        width = level == last ? width + 1 : (level - 1) * INDENT;
        width += r->width[i];
        widest = width > widest ? width : widest;
        last = level;
    }
    return widest;
}

/* A title as in a table. */
static void put_title(const struct report_text *r, uint32_t i, struct text *t)
{
    const struct column *c = &r->opts->column[i];
    const char *title = report_title(r, c);
    size_t n = strlen(title);

    if (c->kind != COLUMN_KEY || c->key->field)
        text_spaces(t, n < r->width[i] ? r->width[i] - n : 0);
    text_str(t, title);
    if (c->kind == COLUMN_KEY && !c->key->field)
        text_spaces(t, n < r->width[i] ? r->width[i] - n : 0);
}

static void put_titles(const struct report_text *r, struct text *t)
{
    const struct report_opts *o = r->opts;

    text_str(t, "# ");
    text_spaces(t, indent(r, levels_below(r)));
    for (uint32_t i = 0; i < o->tree_front; i++) {
        put_title(r, i, t);
        put_gap(r, t);
    }
    uint32_t widest = put_level_titles(r, t), level = widest_level(r);
    text_str(t, "\n# ");
    put_dots(t, indent(r, levels_below(r)));
    for (uint32_t i = 0; i < o->tree_front; i++) {
        if (i)
            text_str(t, o->separator ? o->separator : "..");
        put_dots(t, r->width[i]);
    }
    put_gap(r, t);
    widest = level > widest ? level : widest;
    put_dots(t, widest < MOST_DOTS ? widest : MOST_DOTS);
    text_str(t, "\n#\n");
}

/* --- Rows -------------------------------------------------------------------------- */

static void put_column(struct report_text *r, uint32_t i, const struct entry *e,
                       struct text *t)
{
    const struct column *c = &r->opts->column[i];

    if (c->kind == COLUMN_KEY)
        report_key(r, c->key, e, r->width[i], t);
    else
        report_number(r, i, e, t);
}

static void put_front(struct report_text *r, const struct entry *e, struct text *t)
{
    for (uint32_t i = 0; i < r->opts->tree_front; i++) {
        if (i || !r->opts->separator)
            put_gap(r, t);
        size_t from = t->len;
        put_column(r, i, e, t);
        if (t->len - from < r->width[i])
            text_spaces(t, r->width[i] - (t->len - from));
    }
}

static void put_level(struct report_text *r, uint32_t level, const struct entry *e,
                      struct text *t)
{
    const struct report_opts *o = r->opts;

    for (uint32_t i = o->tree_front; i < o->column_count; i++) {
        struct text cell = {0};
        size_t blank = 0;
        if (o->column[i].level != level)
            continue;
        put_gap(r, t);
        put_column(r, i, e, &cell);
        while (blank < cell.len && strchr(" \t\n\v\f\r", cell.at[blank]))
            blank++;
        if (cell.len)
            text_put(t, cell.at + blank, cell.len - blank);
        t->failed |= cell.failed;
        text_free(&cell);
    }
}

static void put_node(struct report_text *r, uint32_t level, const struct entry *e,
                     struct text *t)
{
    if (r->opts->exclude_other && !e->item.parent)
        return;
    text_spaces(t, (size_t)level * INDENT);
    put_front(r, e, t);
    text_spaces(t, indent(r, levels_below(r)));
    put_level(r, level, e, t);
    text_char(t, '\n');
}

/* Whether the first of those below a node that no filter hides weighs enough. */
static bool any_shown(const struct report_text *r, uint32_t node)
{
    const struct nest *n = &r->hists->nest;
    uint32_t i = redblack_first(n->out.at, n->node.at[node].below_rank);

    while (i != REDBLACK_NONE && hists_at(r->hists, i)->filtered)
        i = redblack_next(n->out.at, i);
    /* Nor is anything as much as "nan". */
    return i != REDBLACK_NONE && report_is_shown(r, hists_at(r->hists, i)) &&
           !isnan(r->opts->percent_limit);
}

static void put_none(const struct report_text *r, uint32_t level, struct text *t)
{
    enum { MORE = 4 };

    text_spaces(t, (size_t)indent(r, r->opts->tree_nodes - 1 + level) +
                       numbers_width(r) + MORE);
    text_fmt(t, "no entry >= %.2f%%\n", r->opts->percent_limit);
}

static pts_status put_rows(struct report_text *r, struct text *t)
{
    const struct nest *n = &r->hists->nest;
    pts_status st = PTS_OK;

    for (uint32_t i = nest_next(n, REDBLACK_NONE); st == PTS_OK && i != REDBLACK_NONE;
         i = nest_next(n, i)) {
        const struct entry *e = hists_at(r->hists, i);
        const uint32_t level = n->node.at[i].level;
        if (!report_is_shown(r, e))
            continue;
        put_node(r, level, e, t);
        if (!nest_is_leaf(n, i) && !any_shown(r, i))
            put_none(r, level, t);
        else if (nest_is_leaf(n, i) && r->opts->chains && e->chains != REDBLACK_NONE)
            st = report_chains(r, e, t);
    }
    return st;
}

pts_status report_tree(struct report_text *r, struct text *t)
{
    report_widths(r);
    if (!r->opts->quiet)
        report_event_head(r, t);
    if (!r->opts->quiet && r->hists->nest.titles)
        put_titles(r, t);
    pts_status st = put_rows(r, t);
    text_str(t, "\n\n");
    return t->failed ? PTS_E_NOMEM : st;
}
