/* tree_text.c - rows with keys below each other: --hierarchy.
 *
 * SPDX-License-Identifier: MIT
 *
 *     65.26%        w                 comm
 *        42.53%        libc.so.6      dso
 *           35.06%        [.] msort   symbol: a row, with its chains
 *
 * Rows that were collected stand in the order of their keys, so those that are the same by
 * the first ones are neighbours: a range of them is a node, and its parts are the nodes below.
 */
#include "synth/report/report_text.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 3, GAP = 2 };

struct node {
    uint32_t from, to; /* collected rows */
    struct entry sum;  /* what is shown of them */
};

typedef VEC(struct node) node_list;

struct tree {
    struct report_text *r;
    const struct hists *h;
    const uint32_t *row; /* as they were collected */
    uint32_t levels;
    node_list level[KEYS_MAX]; /* nodes below the one above that is at hand, in order */
    size_t at[KEYS_MAX];
};

static int in_order(const void *a, const void *b, void *ctx)
{
    const struct node *x = a, *y = b;
    const struct tree *t = ctx;
    int64_t c = hists_printed(t->h, t->r->opts, t->r->keys, &x->sum, &y->sum);

    return c ? c > 0 ? -1 : 1 : (x->from > y->from) - (x->from < y->from);
}

static bool is_same(const struct tree *t, uint32_t level, const struct entry *a,
                    const struct entry *b)
{
    return !t->r->opts->key[level]->compare(t->r->keys, &a->item, &b->item);
}

/* The nodes of a level among these rows. */
static pts_status fill(struct tree *t, uint32_t level, uint32_t from, uint32_t to)
{
    node_list *l = &t->level[level];

    l->len = t->at[level] = 0;
    for (uint32_t i = from; i < to; i++) {
        const struct entry *e = &t->h->entry.at[t->row[i]];
        struct node *last = l->len ? &l->at[l->len - 1] : NULL;
        if (last && is_same(t, level, &last->sum, e)) {
            hists_add_tally(&last->sum.self, &e->self);
            last->to = i + 1;
            continue;
        }
        struct node *new = VEC_PUSH(l);
        if (!new)
            return PTS_E_NOMEM;
        *new = (struct node){i, i + 1, *e};
    }
    if (l->len)
        qsort_r(l->at, l->len, sizeof(*l->at), in_order, t);
    return PTS_OK;
}

/* --- Titles ------------------------------------------------------------------------ */

/* Columns of numbers come first. */
static uint32_t numbers(const struct report_opts *o)
{
    uint32_t n = 0;

    while (n < o->column_count && o->column[n].kind != COLUMN_KEY)
        n++;
    return n;
}

static uint32_t number_width(const struct report_text *r)
{
    uint32_t n = numbers(r->opts), width = n ? GAP * (n - 1) : 0;

    for (uint32_t i = 0; i < n; i++)
        width += r->width[i];
    return width;
}

static void put_dots(struct text *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        text_char(t, '.');
}

static void put_titles(const struct tree *tree, struct text *t)
{
    const struct report_text *r = tree->r;
    const struct report_opts *o = r->opts;
    uint32_t n = numbers(o), indent = (tree->levels - 1) * INDENT, widest = 0;

    text_str(t, "# ");
    text_spaces(t, indent);
    for (uint32_t i = 0; i < n; i++) {
        text_strw(t, report_title(r, &o->column[i]), r->width[i]);
        text_spaces(t, GAP);
    }
    size_t from = t->len;
    for (uint32_t i = n; i < o->column_count; i++) {
        const char *title = o->column[i].key->title;
        title += strspn(title, " ");
        size_t len = strlen(title);
        while (len && title[len - 1] == ' ')
            len--;
        text_str(t, i > n ? " / " : "");
        text_put(t, title, len);
    }
    widest = (uint32_t)(t->len - from);
    for (uint32_t i = n; i < o->column_count; i++)
        if (r->width[i] + (i - n) * INDENT > widest)
            widest = r->width[i] + (i - n) * INDENT;
    text_str(t, "\n# ");
    put_dots(t, indent + number_width(r));
    text_spaces(t, GAP);
    put_dots(t, widest);
    text_str(t, "\n#\n");
}

/* --- Rows -------------------------------------------------------------------------- */

static void put_node(const struct tree *tree, uint32_t level, const struct entry *e,
                     struct text *t)
{
    struct report_text *r = tree->r;
    uint32_t n = numbers(r->opts);
    struct text cell = {0};

    text_spaces(t, (size_t)level * INDENT);
    for (uint32_t i = 0; i < n; i++) {
        text_spaces(t, GAP);
        report_number(r, i, e, t);
    }
    text_spaces(t, (size_t)(tree->levels - 1) * INDENT + GAP);
    report_key(r, r->opts->key[level], e, r->width[n + level], &cell);
    size_t blank = 0;
    while (blank < cell.len && cell.at[blank] == ' ')
        blank++;
    if (cell.len)
        text_put(t, cell.at + blank, cell.len - blank);
    t->failed |= cell.failed;
    text_free(&cell);
    text_char(t, '\n');
}

static bool any_shown(const struct tree *t, uint32_t level)
{
    bool any = false;

    for (size_t i = 0; !any && i < t->level[level].len; i++)
        any = report_is_shown(t->r, &t->level[level].at[i].sum);
    return any;
}

static void put_none(const struct tree *tree, uint32_t level, struct text *t)
{
    enum { MORE = 4 };

    text_spaces(t,
                (size_t)(tree->levels + level) * INDENT + number_width(tree->r) + MORE);
    text_fmt(t, "no entry >= %.2f%%\n", tree->r->opts->percent_limit);
}

/* A node, and what comes next: its parts, or the one behind it. */
static pts_status put_next(struct tree *tree, uint32_t *level, struct text *t)
{
    const struct node n = tree->level[*level].at[tree->at[*level]++];
    const struct report_opts *o = tree->r->opts;

    if (!report_is_shown(tree->r, &n.sum))
        return PTS_OK;
    put_node(tree, *level, &n.sum, t);
    if (*level + 1 == tree->levels)
        return o->chains && n.sum.chains != REDBLACK_NONE
                   ? report_chains(tree->r, &n.sum, t)
                   : PTS_OK;
    pts_status st = fill(tree, *level + 1, n.from, n.to);
    if (st < 0)
        return st;
    if (!any_shown(tree, *level + 1))
        put_none(tree, *level, t);
    ++*level;
    return PTS_OK;
}

static pts_status put_rows(struct tree *tree, struct text *t)
{
    uint32_t level = 0;
    pts_status st = fill(tree, 0, 0, tree->h->rows);

    while (st == PTS_OK) {
        if (tree->at[level] < tree->level[level].len)
            st = put_next(tree, &level, t);
        else if (level)
            level--;
        else
            break;
    }
    return st;
}

pts_status report_tree(struct report_text *r, struct hists *h, struct text *t)
{
    struct tree tree = {.r = r, .h = h, .row = h->row, .levels = r->opts->key_count};

    report_widths(r);
    if (!r->opts->quiet) {
        report_event_head(r, t);
        put_titles(&tree, t);
    }
    pts_status st = put_rows(&tree, t);
    for (uint32_t i = 0; i < tree.levels; i++)
        VEC_FREE(&tree.level[i]);
    text_str(t, "\n\n");
    return t->failed ? PTS_E_NOMEM : st;
}
