/* report_text.c - the rows of an event as perf report --stdio prints them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/report_text.h"

enum { GAP = 2, NUMBER_WIDTH = 12, PERCENT_WIDTH = 8, GUEST_WIDTH = 9 };

/* --- Widths ------------------------------------------------------------------------ */

const char *report_title(const struct report_text *r, const struct column *c)
{
    switch (c->kind) {
    case COLUMN_CHILDREN:
        return "Children";
    case COLUMN_OVERHEAD:
        return r->opts->children && !(r->opts->fields && *r->opts->fields != '+')
                   ? "Self"
                   : "Overhead";
    case COLUMN_SYS:
        return "sys";
    case COLUMN_US:
        return "usr";
    case COLUMN_GUEST_SYS:
        return "guest sys";
    case COLUMN_GUEST_US:
        return "guest usr";
    case COLUMN_SAMPLES:
        return "Samples";
    case COLUMN_PERIOD:
        return "Period";
    case COLUMN_KEY:
        return c->key->title;
    }
    return "";
}

static bool is_percent(const struct column *c)
{
    return c->kind != COLUMN_SAMPLES && c->kind != COLUMN_PERIOD &&
           c->kind != COLUMN_KEY;
}

static uint32_t number_width(const struct column *c)
{
    if (c->kind == COLUMN_GUEST_SYS || c->kind == COLUMN_GUEST_US)
        return GUEST_WIDTH;
    return is_percent(c) ? PERCENT_WIDTH : NUMBER_WIDTH;
}

/* perf makes the text of a sample when it compares it with another one, else when it prints its row. */
static bool has_texts(const struct hists *h)
{
    bool any = false;

    for (uint32_t i = 0; i < h->rows && !any; i++)
        any = !hists_at(h, h->row[i])->item.trace_skipped;
    return any;
}

static uint32_t key_width(const struct report_text *r, const struct key *k)
{
    const struct hists *h = r->hists;
    uint32_t width = (uint32_t)strlen(k->title);

    if (k->field)
        return field_width(k->field, has_texts(h));
    for (uint32_t i = 0; i < h->rows; i++) {
        const struct entry *e = hists_at(h, h->row[i]);
        uint32_t n = e->filtered ? 0 : k->width(r->keys, &e->item);
        if (n > width)
            width = n;
    }
    return width;
}

void report_widths(struct report_text *r)
{
    const struct report_opts *o = r->opts;

    for (uint32_t i = 0; i < o->column_count; i++) {
        const struct column *c = &o->column[i];
        uint32_t title = (uint32_t)strlen(report_title(r, c)), number = number_width(c),
                 given = c->at < o->width_count && !o->hierarchy ? o->width[c->at] : 0;
        if (c->kind != COLUMN_KEY)
            r->one[i] = given ? given : number;
        if (c->kind != COLUMN_KEY && (r->hists->peers || r->grouped)) {
            uint32_t all = number * (r->hists->peers + 1);
            given = given > all ? given : all;
        }
        if (given)
            r->width[i] = c->kind == COLUMN_KEY || given > title ? given : title;
        else if (c->kind == COLUMN_KEY)
            r->width[i] = key_width(r, c->key);
        else
            r->width[i] = number > title ? number : title;
    }
}

/* --- Above the rows ---------------------------------------------------------------- */

/* 1234567 as "1M", 23 as "23 ". */
static void put_count(struct text *t, uint64_t n)
{
    static const char units[] = " KMGTPE";
    size_t unit = 0;

    for (; n > 1000 && unit + 1 < sizeof(units) - 1; unit++)
        n /= 1000;
    text_dec(t, n, 0);
    text_char(t, units[unit]);
}

void report_event_head(const struct report_text *r, struct text *t)
{
    const struct hists *h = r->hists;
    const char *times = r->opts->run.time;

    text_str(t, "# Samples: ");
    uint64_t samples = 0, total = 0;
    for (uint32_t k = 0; k <= h->peers; k++) {
        samples += r->opts->relative ? h[k].samples_shown : h[k].samples;
        total += hists_total(&h[k], r->opts);
    }
    put_count(t, samples);
    text_fmt(t, " of event%s '%s'", r->members > 1 ? "s" : "", r->event);
    if (times)
        text_fmt(t, " (time slices: %s)", times);
    if (r->opts->ref_chains && strstr(r->event, "call-graph=no"))
        text_str(t, ", show reference callgraph");
    if (r->opts->mem_mode) {
        text_fmt(
            t, "\n# Total weight : %llu\n# Sort order   : ", (unsigned long long)total);
        report_sort_text(r->opts, t);
        text_char(t, '\n');
    } else {
        text_fmt(t, "\n# Event count (approx.): %llu\n", (unsigned long long)total);
    }
    if (r->opts->socket >= 0)
        text_fmt(t, "# Processor Socket: %lld\n", (long long)r->opts->socket);
    text_str(t, "#\n");
}

static void put_title(const struct report_text *r, uint32_t i, struct text *t)
{
    const struct column *c = &r->opts->column[i];
    const char *title = report_title(r, c);

    if (c->kind != COLUMN_KEY) {
        text_strw(t, title, r->width[i]);
        return;
    }
    size_t n = strlen(title);
    if (c->key->field) { /* as their values */
        text_spaces(t, n < r->width[i] ? r->width[i] - n : 0);
        text_put(t, title, n < r->width[i] ? n : r->width[i]);
        return;
    }
    text_put(t, title, n < r->width[i] ? n : r->width[i]);
    text_spaces(t, n < r->width[i] ? r->width[i] - n : 0);
}

/* perf has no room for more of a title. */
static void put_titles(const struct report_text *r, struct text *t)
{
    enum { TITLE_MAX = 1023 };
    const struct report_opts *o = r->opts;

    text_str(t, "# ");
    for (uint32_t i = 0; i < o->column_count; i++) {
        if (i)
            text_str(t, o->separator ? o->separator : "  ");
        const size_t from = t->len;
        put_title(r, i, t);
        if (t->len - from > TITLE_MAX)
            t->len = from + TITLE_MAX;
    }
    text_char(t, '\n');
}

static void put_dots(const struct report_text *r, struct text *t)
{
    text_str(t, "# ");
    for (uint32_t i = 0; i < r->opts->column_count; i++) {
        text_spaces(t, i ? GAP : 0);
        for (uint32_t n = 0; n < r->width[i]; n++)
            text_char(t, '.');
    }
    text_str(t, "\n#\n");
}

/* --- Rows -------------------------------------------------------------------------- */

/* Of the k-th event of its group. */
static double percent_of(const struct report_text *r, uint32_t k, uint64_t period)
{
    uint64_t total = hists_total(&r->hists[k], r->opts);

    return total ? 100.0 * (double)period / (double)total : 0;
}

const char *report_colour(const struct report_opts *o, double percent)
{
    const double much = 5.0, some = 0.5;

    if (!o->colour)
        return NULL;
    return percent >= much ? "\033[31m" : percent > some ? "\033[32m" : NULL;
}

static void put_percent(const struct report_text *r, uint32_t k, uint64_t period,
                        uint32_t width, struct text *t)
{
    const double percent = percent_of(r, k, period);
    const char *colour = r->opts->separator ? NULL : report_colour(r->opts, percent);

    text_str(t, colour ? colour : "");
    text_char(t, ' ');
    text_fixed2(t, percent, r->opts->separator || width < 2 ? 0 : width - 2);
    text_char(t, '%');
    text_str(t, colour ? REPORT_COLOUR_END : "");
}

static void put_plain(const struct report_text *r, uint64_t v, uint32_t width,
                      struct text *t)
{
    text_char(t, ' ');
    text_dec(t, v, r->opts->separator || !width ? 0 : width - 1);
}

/* Of each event of a group, side by side. */
void report_number(const struct report_text *r, uint32_t column, const struct entry *e,
                   struct text *t)
{
    const struct column *c = &r->opts->column[column];

    if (c->kind == COLUMN_CHILDREN && !r->opts->children) {
        text_strw(t, "N/A", r->one[column]);
        return;
    }
    for (uint32_t k = 0; k <= r->hists->peers; k++) {
        const struct entry *of = k ? hists_peer(r->hists, e, k - 1) : e;
        uint64_t v = entry_number(of, c->kind);
        if (is_percent(c))
            put_percent(r, k, v, r->one[column], t);
        else
            put_plain(r, v, r->one[column], t);
    }
}

/* A separator within a cell would be one too many. */
static void hide_separator(const struct report_text *r, struct text *cell)
{
    const char *sep = r->opts->separator;

    for (size_t i = 0; sep && *sep && i < cell->len; i++)
        if (cell->at[i] == *sep)
            cell->at[i] = '.';
}

void report_key(struct report_text *r, const struct key *k, const struct entry *e,
                uint32_t width, struct text *t)
{
    struct text *cell = &r->cell;

    cell->len = 0;
    if (k->counts) {
        struct subject item = e->item;
        struct subject_more more = *e->item.more;
        more.samples = e->self.count;
        item.more = &more;
        key_cell(k, r->keys, &item, width, cell);
    } else {
        key_cell(k, r->keys, &e->item, width, cell);
    }
    if (k->pads && cell->len > width)
        cell->len = width;
    if (k->pads) /* a blank that separates is hidden there, too */
        text_spaces(cell, width - cell->len);
    t->failed |= cell->failed;
    if (!k->field)
        hide_separator(r, cell);
    text_put(t, cell->at ? cell->at : "", cell->len);
}

static bool is_symbol(const struct key *k)
{
    static const char *const names[] = {"symbol", "symbol_from", "symbol_to",
                                        "symbol_daddr"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(k->name, names[i]) == 0)
            return true;
    return false;
}

/* perf has room for so many bytes of a row, with colours if it has no separator; with --verbose
 * for the address in front of one symbol, however many there are; of numbers that are wider than
 * they need be for one event of a group. */
static size_t row_room(const struct report_text *r)
{
    enum { MORE = 3, VERBOSE = 19, COLOURS = 224 };
    const struct report_opts *o = r->opts;
    size_t room = o->separator ? MORE : MORE + COLOURS;
    bool symbol = false;

    for (uint32_t i = 0; i < o->column_count; i++)
        room += r->width[i] + (i ? GAP : 0);
    for (uint32_t i = 0; i < o->key_count; i++)
        symbol |= is_symbol(o->key[i]);
    return room + (symbol && o->run.verbose ? VERBOSE : 0);
}

static void put_row(struct report_text *r, const struct entry *e, size_t room,
                    struct text *t)
{
    const struct report_opts *o = r->opts;
    const size_t begin = t->len;

    for (uint32_t i = 0; i < o->column_count; i++) {
        const struct column *c = &o->column[i];
        uint32_t width = r->width[i];
        if (!o->separator)
            text_spaces(t, GAP);
        else if (i)
            text_str(t, o->separator);
        size_t from = t->len;
        if (c->kind == COLUMN_KEY)
            report_key(r, c->key, e, width, t);
        else
            report_number(r, i, e, t);
        /* The last one of all, shown or not, only as far as it does so itself. */
        if (c->at + 1 < o->column_all && t->len - from < width)
            text_spaces(t, width - (t->len - from));
    }
    if (t->len - begin > room)
        t->len = begin + room;
    text_char(t, '\n');
}

bool report_is_shown(const struct report_text *r, const struct entry *e)
{
    uint64_t period = r->opts->children ? e->all.period : e->self.period;

    /* Nothing is less than "nan". */
    return !e->filtered &&
           !((float)percent_of(r, 0, period) < (float)r->opts->percent_limit);
}

pts_status report_event(struct report_text *r, struct text *t)
{
    const struct report_opts *o = r->opts;
    pts_status st = PTS_OK;

    report_widths(r);
    const size_t room = row_room(r);
    if (!o->quiet) {
        report_event_head(r, t);
        put_titles(r, t);
        if (!o->separator)
            put_dots(r, t);
    }
    for (size_t i = 0; st == PTS_OK && i < r->hists->rows; i++) {
        const struct entry *e = hists_at(r->hists, r->hists->row[i]);
        if (!report_is_shown(r, e))
            continue;
        put_row(r, e, room, t);
        if (o->chains && e->chains != REDBLACK_NONE)
            st = report_chains(r, e, t);
    }
    text_str(t, "\n\n");
    return t->failed ? PTS_E_NOMEM : st;
}
