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

#include <string.h>

enum { INDENT = 3, GAP = 2 };

/* --- Titles ------------------------------------------------------------------------ */

/* Columns of numbers come first. */
static uint32_t numbers(const struct report_opts *o)
{
    uint32_t n = 0;

    while (n < o->column_count && o->column[n].kind != COLUMN_KEY)
        n++;
    return n;
}

static uint32_t levels(const struct report_text *r)
{
    return r->hists->nest.levels;
}

/* As wide as -w asks for, which titles and rows do not heed. */
static uint32_t number_width(const struct report_text *r)
{
    const struct report_opts *o = r->opts;
    uint32_t n = numbers(o), width = n ? GAP * (n - 1) : 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t given = i < o->width_count ? o->width[i] : 0,
                 title = (uint32_t)strlen(report_title(r, &o->column[i]));
        width += !given ? r->width[i] : given > title ? given : title;
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

/* Titles of keys, levels apart: how wide they are. */
static uint32_t put_key_titles(const struct report_text *r, struct text *t)
{
    const struct report_opts *o = r->opts;
    const size_t from = t->len;

    for (uint32_t k = 0; k < o->key_count; k++) {
        const char *title = o->key[k]->title;
        title += strspn(title, " ");
        size_t len = strlen(title);
        while (len && title[len - 1] == ' ')
            len--;
        if (k)
            text_str(t, o->key_level[k] == o->key_level[k - 1] ? "+" : " / ");
        text_put(t, title, len);
    }
    return (uint32_t)(t->len - from);
}

/* The widest of the levels, side by side with what is above it. */
static uint32_t widest_level(const struct report_text *r)
{
    const struct report_opts *o = r->opts;
    const uint32_t n = numbers(o);
    uint32_t widest = 0, width = 0;

    for (uint32_t k = 0; k < o->key_count; k++) {
        bool same = k && o->key_level[k] == o->key_level[k - 1];
        width = same ? width + 1 : o->key_level[k] * INDENT;
        width += r->width[n + k];
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void put_titles(const struct report_text *r, struct text *t)
{
    const struct report_opts *o = r->opts;
    const uint32_t n = numbers(o);

    text_str(t, "# ");
    text_spaces(t, indent(r, levels(r) - 1));
    for (uint32_t i = 0; i < n; i++) {
        text_strw(t, report_title(r, &o->column[i]), r->width[i]);
        put_gap(r, t);
    }
    uint32_t widest = put_key_titles(r, t), level = widest_level(r);
    text_str(t, "\n# ");
    put_dots(t, indent(r, levels(r) - 1));
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_str(t, o->separator ? o->separator : "..");
        put_dots(t, r->width[i]);
    }
    put_gap(r, t);
    put_dots(t, level > widest ? level : widest);
    text_str(t, "\n#\n");
}

/* --- Rows -------------------------------------------------------------------------- */

static void put_numbers(const struct report_text *r, const struct entry *e,
                        struct text *t)
{
    const uint32_t n = numbers(r->opts);

    for (uint32_t i = 0; i < n; i++) {
        if (i || !r->opts->separator)
            put_gap(r, t);
        size_t from = t->len;
        report_number(r, i, e, t);
        if (t->len - from < r->width[i])
            text_spaces(t, r->width[i] - (t->len - from));
    }
}

static void put_keys(struct report_text *r, uint32_t level, const struct entry *e,
                     struct text *t)
{
    const struct report_opts *o = r->opts;
    const uint32_t n = numbers(o);

    for (uint32_t k = 0; k < o->key_count; k++) {
        struct text cell = {0};
        size_t blank = 0;
        if (o->key_level[k] != level)
            continue;
        put_gap(r, t);
        report_key(r, o->key[k], e, r->width[n + k], &cell);
        while (blank < cell.len && cell.at[blank] == ' ')
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
    put_numbers(r, e, t);
    text_spaces(t, indent(r, levels(r) - 1));
    put_keys(r, level, e, t);
    text_char(t, '\n');
}

/* Whether the first of those below a node that no filter hides weighs enough. */
static bool any_shown(const struct report_text *r, uint32_t node)
{
    const struct nest *n = &r->hists->nest;
    const struct entry *e = r->hists->entry.at;
    uint32_t i = redblack_first(n->out.at, n->node.at[node].below_rank);

    while (i != REDBLACK_NONE && e[i].filtered)
        i = redblack_next(n->out.at, i);
    return i != REDBLACK_NONE && report_is_shown(r, &e[i]);
}

static void put_none(const struct report_text *r, uint32_t level, struct text *t)
{
    enum { MORE = 4 };

    text_spaces(t, (size_t)indent(r, levels(r) + level) + number_width(r) + MORE);
    text_fmt(t, "no entry >= %.2f%%\n", r->opts->percent_limit);
}

static pts_status put_rows(struct report_text *r, struct text *t)
{
    const struct nest *n = &r->hists->nest;
    pts_status st = PTS_OK;

    for (uint32_t i = nest_next(n, REDBLACK_NONE); st == PTS_OK && i != REDBLACK_NONE;
         i = nest_next(n, i)) {
        const struct entry *e = &r->hists->entry.at[i];
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
    if (!r->opts->quiet && levels(r))
        put_titles(r, t);
    pts_status st = put_rows(r, t);
    text_str(t, "\n\n");
    return t->failed ? PTS_E_NOMEM : st;
}
