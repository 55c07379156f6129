/* blocks_text.c - perf report --total-cycles: blocks of a program by their cycles.
 *
 * SPDX-License-Identifier: MIT
 *
 * Those of functions that rows go to, each once.  Two that are called alike, in functions of
 * one name, are one.  Stacks that are made from a trace have no cycles, so that perf finds
 * no blocks: only the titles are left.
 */
#include "synth/report/report_text.h"

#include <stdlib.h>
#include <string.h>

struct title {
    const char *text;
    uint32_t width;
};

enum { SHARE, CYCLES, AVERAGE_SHARE, AVERAGE, RANGE, FILE_NAME, TITLES };
static const struct title titles[TITLES] = {
    {"Sampled Cycles%",       15},
    {"Sampled Cycles",        14},
    {"Avg Cycles%",           11},
    {"Avg Cycles",            10},
    {"[Program Block Range]", 70},
    {"Shared Object",         20},
};

/* --- Rows -------------------------------------------------------------------------- */

struct row {
    const struct timed_block *block;
    const struct block_function *of;
    int64_t share; /* of 100000 */
    size_t nr;     /* in which they came; then in the order by names */
};

struct rows {
    VEC(struct row) row;
    uint64_t average; /* of all, as often as rows go to their functions */
};

static int by_number(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_range(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = strcmp(b->of->at.sym, a->of->at.sym);

    if (!order)
        order = by_number(a->block->start, b->block->start);
    return order ? order : by_number(a->block->end, b->block->end);
}

static int by_name(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = by_range(a, b);

    return order ? order : by_number(a->nr, b->nr);
}

static int by_share(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    return a->share == b->share ? by_number(a->nr, b->nr)
                                : (a->share > b->share ? -1 : 1);
}

static double share_of(uint64_t cycles, uint64_t total)
{
    return total ? (double)cycles / (double)total : 0;
}

static bool add_function(struct rows *rows, const struct blocks *b,
                         const struct block_function *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const struct timed_block *k = &b->block.at[f->first + i];
        struct row *row = VEC_PUSH(&rows->row);
        if (!row)
            return false;
        *row =
            (struct row){k, f, (int64_t)(share_of(k->cycles_all, b->total) * 100000.0),
                         rows->row.len};
    }
    return true;
}

/* Of a row that only another event of the group has: of its row there. */
static struct block_function *function_of(struct blocks *b, const struct hists *h,
                                          uint32_t event, uint32_t row)
{
    struct block_function *f;
    const struct entry *e;
    bool known = blocks_of(b, event, row, &f);

    for (uint32_t k = 0; !known && k < h->peers; k++) {
        e = hists_peer(h, hists_at(h, row), k);
        known = e && blocks_of(b, event + 1 + k, e->number, &f);
    }
    return f;
}

/* Rows that are not shown count, too. */
static bool find_rows(struct rows *rows, const struct hists *h, struct blocks *b,
                      uint32_t event)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < h->rows; i++) {
        struct block_function *f = function_of(b, h, event, h->row[i]);
        if (!f)
            continue;
        rows->average += f->average;
        if (f->shown == event + 1)
            continue;
        f->shown = event + 1;
        ok = add_function(rows, b, f);
    }
    return ok;
}

static void order_rows(struct rows *rows)
{
    struct row *at = rows->row.at;
    size_t n = 0;

    if (!rows->row.len)
        return;
    qsort(at, rows->row.len, sizeof(*at), by_name);
    for (size_t i = 0; i < rows->row.len; i++)
        if (!n || by_range(&at[n - 1], &at[i]) != 0)
            at[n++] = at[i];
    rows->row.len = n;
    for (size_t i = 0; i < n; i++)
        at[i].nr = i;
    qsort(at, n, sizeof(*at), by_share);
}

/* --- Text -------------------------------------------------------------------------- */

static void put_share(const struct report_text *r, double share, uint32_t width,
                      struct text *t)
{
    const char *colour = report_colour(r->opts, 100.0 * share);

    text_str(t, colour ? colour : "");
    text_fixed2(t, 100.0 * share, width - 1);
    text_char(t, '%');
    text_str(t, colour ? REPORT_COLOUR_END : "");
}

static void put_cycles(uint64_t n, uint32_t width, struct text *t)
{
    static const uint64_t thousand = 1000, million = 1000000;

    if (n >= million)
        text_fmt(t, "%*.1fM", (int)width - 1, (double)n / (double)million);
    else if (n >= thousand)
        text_fmt(t, "%*.1fK", (int)width - 1, (double)n / (double)thousand);
    else
        text_dec(t, n, width);
}

/* The line of an address in a function, if debug data have one. */
static pts_status put_line(const struct blocks_shown *s, const struct row *row,
                           uint64_t off, struct text *t)
{
    const struct place *at = &row->of->at;
    const struct place_query q = {&row->of->who,
                                  at->ip - at->addr + at->sym_start + off,
                                  mode_at_addr(at->ip, false)};
    const char *line;
    pts_status st = lines_known(s->lines, &q, at, &line);

    if (st == PTS_OK && line)
        text_str(t, line);
    return st != PTS_OK ? st : line ? PTS_OK : PTS_END;
}

static pts_status put_range(const struct blocks_shown *s, const struct row *row,
                            struct text *cell)
{
    const struct timed_block *k = row->block;

    cell->len = 0;
    text_char(cell, '[');
    pts_status st = put_line(s, row, k->start, cell);
    text_str(cell, " -> ");
    if (st == PTS_OK)
        st = put_line(s, row, k->end, cell);
    text_char(cell, ']');
    if (st != PTS_END)
        return st;
    cell->len = 0;
    text_fmt(cell, "[%7llx -> %7llx]", (unsigned long long)k->start,
             (unsigned long long)k->end);
    return PTS_OK;
}

static void put_gap(const struct report_text *r, uint32_t column, struct text *t)
{
    const char *separator = r->opts->separator;

    if (column || !separator)
        text_str(t, separator ? separator : "  ");
}

static pts_status put_row(struct report_text *r, const struct blocks_shown *s,
                          const struct rows *rows, const struct row *row,
                          struct text *t)
{
    const struct timed_block *k = row->block;
    const uint64_t average = k->cycles_all / k->count_all;
    const char *dso = row->of->at.dso_short;
    const bool wide = !r->opts->separator;

    pts_status st = put_range(s, row, &r->cell);
    if (st < 0)
        return st;
    for (uint32_t i = 0; i < TITLES; i++) {
        const uint32_t width = wide ? titles[i].width : 1;
        put_gap(r, i, t);
        if (i == SHARE)
            put_share(r, share_of(k->cycles_all, s->blocks->total), width, t);
        else if (i == CYCLES)
            put_cycles(k->cycles_all, width, t);
        else if (i == AVERAGE_SHARE)
            put_share(r, share_of(average, rows->average), width, t);
        else if (i == AVERAGE)
            put_cycles(average, width, t);
        else if (i == RANGE) {
            text_spaces(t, width > r->cell.len ? width - r->cell.len : 0);
            text_put(t, r->cell.at, r->cell.len);
        } else
            text_strw(t, dso ? dso : "[unknown]", width);
    }
    text_char(t, '\n');
    return r->cell.failed ? PTS_E_NOMEM : PTS_OK;
}

static pts_status put_rows(struct report_text *r, const struct blocks_shown *s,
                           uint32_t event, struct text *t)
{
    struct rows rows = {0};
    pts_status st = find_rows(&rows, r->hists, s->blocks, event) ? PTS_OK : PTS_E_NOMEM;

    order_rows(&rows);
    for (size_t i = 0; st == PTS_OK && i < rows.row.len; i++) {
        const struct row *row = &rows.row.at[i];
        const double of_longest =
            s->blocks->total
                ? (double)row->block->cycles * 100.0 / (double)s->blocks->total
                : 0;
        if (!((float)of_longest < (float)r->opts->percent_limit))
            st = put_row(r, s, &rows, row, t);
    }
    VEC_FREE(&rows.row);
    return st;
}

/* --- All --------------------------------------------------------------------------- */

static void put_titles(const struct report_text *r, struct text *t)
{
    text_str(t, "# ");
    for (uint32_t i = 0; i < TITLES; i++) {
        if (i)
            put_gap(r, i, t);
        text_strw(t, titles[i].text, titles[i].width);
    }
    if (r->opts->separator) {
        text_char(t, '\n');
        return;
    }
    text_str(t, "\n# ");
    for (size_t i = 0; i < TITLES; i++) {
        text_str(t, i ? "  " : "");
        for (size_t k = 0; k < titles[i].width; k++)
            text_char(t, '.');
    }
    text_str(t, "\n#\n");
}

pts_status report_blocks(struct report_text *r, const struct blocks_shown *s,
                         uint32_t event, struct text *t)
{
    if (!r->opts->quiet)
        report_event_head(r, t);
    put_titles(r, t);
    return put_rows(r, s, event, t);
}
