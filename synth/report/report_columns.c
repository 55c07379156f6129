/* report_columns.c - the columns of a report and the order of its rows.
 *
 * SPDX-License-Identifier: MIT
 *
 *     --sort    keys that make rows different, in columns behind the numbers
 *     --fields  columns, in place of the numbers; keys among them make rows different, too
 */
#include "synth/report/report_options.h"

#include "decoder/base/diag.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char default_keys[] = "comm,dso,symbol";
static const char branch_keys[] = "comm,dso_from,symbol_from,symbol_to,cycles";
static const char mem_keys[] = "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,"
                               "tlb,locked,blocked,local_ins_lat,local_p_stage_cyc";

struct number_word {
    const char *name;
    enum column_kind kind;
};

/* In perf's order. */
static const struct number_word numbers[] = {
    {"overhead",           COLUMN_OVERHEAD },
    {"overhead_sys",       COLUMN_SYS      },
    {"overhead_us",        COLUMN_US       },
    {"overhead_guest_sys", COLUMN_GUEST_SYS},
    {"overhead_guest_us",  COLUMN_GUEST_US },
    {"overhead_children",  COLUMN_CHILDREN },
    {"sample",             COLUMN_SAMPLES  },
    {"period",             COLUMN_PERIOD   },
};

enum { LEVELS_APART = 1 << 16 };

struct word {
    const char *at;
    size_t n;
    uint32_t level;
};

/* --- Words ------------------------------------------------------------------------- */

static pts_status bad_word(const struct report_opts *o, bool sort, const char *how,
                           const char *word, size_t n)
{
    char text[PTS_DIAG_TEXT];

    snprintf(text, sizeof(text), "Error:\n%s --%s key: `%.*s'", how,
             sort ? "sort" : "fields", (int)n, word);
    if (!o->sort && !o->fields) /* the word is that of the configuration */
        return report_quit(o, text);
    return report_usage(o, o->sort != NULL, o->fields != NULL, text, "");
}

const char *report_number_name(size_t i)
{
    return i < sizeof(numbers) / sizeof(numbers[0]) ? numbers[i].name : NULL;
}

static const struct number_word *number_find(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (strncasecmp(numbers[i].name, word, n) == 0)
            return &numbers[i];
    return NULL;
}

/* perf takes these in --sort for nothing where the processor is none of POWER's, but only when
 * they are spelled so. */
static bool is_of_power(const char *word, size_t n)
{
    static const char *const all[] = {"p_stage_cyc", "local_p_stage_cyc"};
    bool any = false;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        any |= strlen(all[i]) == n && strncmp(word, all[i], n) == 0;
    return any;
}

/* A column of a field is there once, be it of one event or of another one of its kind. */
static bool same_field(const struct column *a, const struct column *b)
{
    return a->key && b->key && field_key_same(a->key->field, b->key->field);
}

/* Once only, but for keys that are fields. */
static pts_status put(struct column_lists *l, bool sort, struct column c)
{
    size_t n = sort ? l->sort.len : l->field.len;
    const struct column *list = sort ? l->sort.at : l->field.at;

    for (size_t i = 0; i < n; i++)
        if (list[i].kind == c.kind &&
            (list[i].key == c.key || (!sort && same_field(&list[i], &c))))
            return PTS_OK;
    struct column *new = sort ? VEC_PUSH(&l->sort) : VEC_PUSH(&l->field);
    if (!new)
        return PTS_E_NOMEM;
    *new = c;
    return PTS_OK;
}

/* Fields are known by --sort only. */
static pts_status put_fields(struct report_opts *o, const struct word *word)
{
    struct field_keys *f = &o->fields_of;
    pts_status st = field_keys_find(f, word->at, word->n);

    for (size_t i = 0; st == PTS_OK && i < f->found.len; i++)
        st = put(&o->lists, true,
                 (struct column){.kind = COLUMN_KEY,
                                 .key = &f->found.at[i].key->key,
                                 .level = word->level});
    o->lists.has_fields |= st == PTS_OK;
    return st;
}

/* perf looks among the keys that hold for all samples first, then among numbers, then
 * among those of branches, then among fields of tracepoints. */
static pts_status put_word(struct report_opts *o, bool sort, const struct word *word)
{
    const struct key *key = key_find(word->at, word->n);
    const struct number_word *number = number_find(word->at, word->n);
    struct column c = {.kind = COLUMN_KEY, .key = key, .level = word->level};

    if (sort && is_of_power(word->at, word->n))
        return PTS_OK;
    if (number && (!key || key->branch || key->mem)) {
        c.kind = number->kind;
        c.key = NULL;
        return put(&o->lists, sort, c);
    }
    if (!key) {
        pts_status st = sort ? put_fields(o, word) : PTS_END;
        return st == PTS_END ? bad_word(o, sort, "Unknown", word->at, word->n) : st;
    }
    if ((key->branch && !o->branches) || (key->mem && !o->mem_keys))
        return bad_word(o, sort, "Invalid", word->at, word->n);
    return put(&o->lists, sort, c);
}

/* In --sort keys within braces are on one level. */
static pts_status put_words(struct report_opts *o, bool sort, const char *words)
{
    pts_status st = PTS_OK;
    bool braces = false;
    /* None of the list before is the same. */
    uint32_t level = (uint32_t)(sort ? o->lists.sort.len : 0) * LEVELS_APART;

    while (*words && st == PTS_OK) {
        size_t n = strcspn(words, sort ? "{}, " : ", ");
        const struct word word = {words, n, level};
        if (n)
            st = put_word(o, sort, &word);
        words += n;
        level += !braces;
        /* It stays in the text.  NOLINTNEXTLINE(clang-analyzer-core*) */
        braces = *words == '{' || (braces && *words != '}');
        words += *words != '\0';
    }
    return st;
}

/* --- The lists --------------------------------------------------------------------- */

static bool is_strict(const char *list)
{
    return list && *list != '+';
}

/* Numbers in front of the keys, unless the list names them (anywhere, as a part of a word,
 * too). */
static pts_status sort_numbers(struct report_opts *o, const char *words)
{
    pts_status st = PTS_OK;

    if (is_strict(o->fields))
        return PTS_OK;
    if (o->children && !strstr(words, "overhead_children"))
        st = put(&o->lists, true, (struct column){.kind = COLUMN_CHILDREN});
    if (st == PTS_OK && !strstr(words, "overhead"))
        st = put(&o->lists, true, (struct column){.kind = COLUMN_OVERHEAD});
    return st;
}

/* A list of a + alone: perf takes it for a key.  Of fields an empty one, too. */
static bool adds_nothing(const char *list, bool fields)
{
    return list && (strcmp(list, "+") == 0 || (fields && !*list));
}

static pts_status read_sort(struct report_opts *o)
{
    const char *standard = o->branches       ? branch_keys
                           : o->mem_keys     ? mem_keys
                           : o->default_sort ? o->default_sort
                                             : default_keys;
    const char *words = o->sort ? o->sort : standard;
    bool adds = *words == '+';

    if (!o->sort && is_strict(o->fields))
        return PTS_OK;
    if (adds_nothing(o->sort, false))
        return bad_word(o, true, "Invalid", "+", 1);
    pts_status st = sort_numbers(o, words);
    if (st == PTS_OK && adds)
        st = put_words(o, true, standard);
    if (st == PTS_OK)
        st = put_words(o, true, words + adds);
    /* perf adds this where it sees the word. */
    if (st == PTS_OK && o->sort && strstr(o->sort, "symbol"))
        st = put_words(o, true, o->branches ? "ipc_lbr" : "ipc_null");
    return st;
}

static pts_status field_numbers(struct report_opts *o)
{
    const struct {
        bool on;
        enum column_kind kind;
    } all[] = {
        {o->children,     COLUMN_CHILDREN},
        {true,            COLUMN_OVERHEAD},
        {o->show_modes,   COLUMN_SYS     },
        {o->show_modes,   COLUMN_US      },
        {o->show_samples, COLUMN_SAMPLES },
        {o->show_period,  COLUMN_PERIOD  },
    };
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].on && !is_strict(o->fields))
            st = put(&o->lists, false, (struct column){.kind = all[i].kind});
    return st;
}

/* Keys that are sorted by are shown, and what is shown is sorted by. */
static pts_status join(struct column_lists *l)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < l->sort.len; i++)
        st = put(l, false, l->sort.at[i]);
    for (size_t i = 0; st == PTS_OK && i < l->field.len; i++)
        st = put(l, true, l->field.at[i]);
    return st;
}

/* --- Those of an event ------------------------------------------------------------- */

/* What all have, and its fields. */
static bool is_of(const struct column *c, uint32_t event)
{
    return c->kind != COLUMN_KEY || !c->key->field || c->key->field->event == event;
}

static bool is_vague(const struct key *k)
{
    return k->field ? field_key_varies(k->field) : k->vague;
}

static pts_status add_key(struct report_opts *o, const struct column *c,
                          struct pts_diag *why)
{
    if (o->key_count == KEYS_MAX)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "more than %d keys", KEYS_MAX);
    o->key[o->key_count++] = c->key;
    return PTS_OK;
}

static pts_status set_keys(struct report_opts *o, uint32_t event, struct pts_diag *why)
{
    const struct column_lists *l = &o->lists;
    bool symbol = false, vague = false;

    for (size_t i = 0; i < l->sort.len; i++) {
        const struct column *c = &l->sort.at[i];
        if (c->kind != COLUMN_KEY || !is_of(c, event))
            continue;
        pts_status st = add_key(o, c, why);
        if (st < 0)
            return st;
        symbol |= strcmp(c->key->name, "symbol") == 0 ||
                  strncmp(c->key->name, "ipc_", 4) == 0;
        vague |= is_vague(c->key);
    }
    o->by_moment |= l->has_fields;
    for (uint32_t i = 0; i < o->key_count; i++)
        o->by_name |= strcmp(o->key[i]->name, "comm") == 0;
    for (uint32_t i = 0; i < o->key_count; i++)
        o->by_moment |= o->mem_mode || o->key[i]->more ||
                        strcmp(o->key[i]->name, "cpu") == 0 ||
                        strcmp(o->key[i]->name, "time") == 0 ||
                        strcmp(o->key[i]->name, "parent") == 0 ||
                        strcmp(o->key[i]->name, "trace") == 0;
    o->by_tree |= vague || (symbol && !o->by_dso);
    return PTS_OK;
}

/* Of a list of one name only that name can be in the column: it is said above the rows. */
static bool is_elided(const struct report_opts *o, const struct column *c)
{
    const struct {
        const char *key;
        const struct name_list *list;
    } all[] = {
        {"comm",   &o->sel.comms  },
        {"dso",    &o->sel.dsos   },
        {"symbol", &o->sel.symbols}
    };

    for (size_t i = 0; c->kind == COLUMN_KEY && i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(c->key->name, all[i].key) == 0)
            return all[i].list->on && all[i].list->name.len == 1;
    return false;
}

/* perf takes the column away when it finds no callers, also where it was named. */
static void drop_children(struct column_lists *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->field.len; i++)
        if (l->field.at[i].kind != COLUMN_CHILDREN)
            l->field.at[n++] = l->field.at[i];
    l->field.len = n;
}

static pts_status add_column(struct report_opts *o, struct column c, bool left,
                             struct pts_diag *why)
{
    bool elided = is_elided(o, &c);

    if (o->column_count == COLUMNS_MAX || o->elided_count == COLUMNS_MAX)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "more than %d columns",
                        COLUMNS_MAX);
    if (elided)
        o->elided[o->elided_count++] = c;
    if (!left || !elided)
        o->column[o->column_count++] = c;
    return PTS_OK;
}

static pts_status set_columns(struct report_opts *o, uint32_t event,
                              struct pts_diag *why)
{
    const struct column_lists *l = &o->lists;
    uint32_t left = 0;
    pts_status st = PTS_OK;

    for (size_t i = 0; i < l->field.len; i++)
        left += l->field.at[i].kind == COLUMN_KEY && !l->field.at[i].key->field &&
                !is_elided(o, &l->field.at[i]);
    o->column_all = (uint32_t)l->field.len;
    for (size_t i = 0; st == PTS_OK && i < l->field.len; i++) {
        struct column c = l->field.at[i];
        c.at = (uint32_t)i;
        if (is_of(&c, event))
            st = add_column(o, c, left, why);
    }
    /* There are no more of them than keys and numbers. */
    for (size_t i = 0; st == PTS_OK && i < l->sort.len; i++)
        if ((!left || !is_elided(o, &l->sort.at[i])) && is_of(&l->sort.at[i], event) &&
            o->rank_count < COLUMNS_MAX)
            o->rank[o->rank_count++] = l->sort.at[i];
    return st;
}

/* --- Levels of a hierarchy ----------------------------------------------------------- */

/* Of those that are there; `at` is the first column of the next one. */
struct level {
    size_t at;
    uint32_t number; /* as it was read */
};

static bool next_level(const struct column_lists *l, uint32_t event,
                       struct level *level)
{
    const struct column *c = l->sort.at;

    for (; level->at < l->sort.len; level->at++) {
        bool new = is_of(&c[level->at], event);
        for (size_t k = 0; new &&k < level->at; k++)
            new = !is_of(&c[k], event) || c[k].level != c[level->at].level;
        if (!new)
            continue;
        level->number = c[level->at++].level;
        return true;
    }
    return false;
}

static pts_status add_level(struct report_opts *o, uint32_t event, uint32_t number,
                            uint32_t to, struct pts_diag *why)
{
    const struct column_lists *l = &o->lists;

    for (size_t i = 0, keys = 0; i < l->sort.len; i++) {
        struct column c = l->sort.at[i];
        if (!is_of(&c, event))
            continue;
        keys += c.kind == COLUMN_KEY;
        if (c.level != number)
            continue;
        if (o->column_count == COLUMNS_MAX)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX, "more than %d columns",
                            COLUMNS_MAX);
        if (c.kind == COLUMN_KEY)
            o->key_level[keys - 1] = to;
        c.level = to;
        c.at = o->tree_nodes - 1;
        o->column[o->column_count++] = c;
    }
    return PTS_OK;
}

/* perf makes copies of the columns, also of those that it does not show elsewhere. */
static pts_status set_tree(struct report_opts *o, uint32_t event, struct pts_diag *why)
{
    struct level level = {0};
    pts_status st = PTS_OK;

    o->column_count = o->tree_front = o->tree_levels = o->tree_nodes = 0;
    while (st == PTS_OK && next_level(&o->lists, event, &level)) {
        bool first = !o->tree_nodes++;
        if (first)
            st = add_level(o, event, level.number, TREE_FRONT, why);
        if (first)
            o->tree_front = o->column_count;
        /* Numbers that no word of --sort names have no rows, if they are not in front. */
        if (st == PTS_OK && level.number)
            st = add_level(o, event, level.number, o->tree_levels++, why);
        else if (st == PTS_OK && !first)
            st = add_level(o, event, level.number, TREE_NO_ROWS, why);
    }
    return st;
}

static pts_status set_event(struct report_opts *o, uint32_t event, struct pts_diag *why)
{
    pts_status st = set_keys(o, event, why);

    if (st == PTS_OK)
        st = set_columns(o, event, why);
    return st == PTS_OK && o->hierarchy ? set_tree(o, event, why) : st;
}

pts_status report_own_columns(const struct report_opts *o, uint32_t event,
                              struct report_opts *own, struct pts_diag *why)
{
    *own = *o;
    own->is_own = true;
    own->key_count = own->column_count = own->rank_count = own->elided_count = 0;
    return set_event(own, event, why);
}

void report_sort_text(const struct report_opts *o, struct text *t)
{
    const bool adds = o->sort && *o->sort == '+';

    if (adds)
        text_fmt(t, "%s,%s", o->by_trace ? o->default_sort : mem_keys, o->sort + 1);
    else
        text_str(t, o->sort ? o->sort : mem_keys);
    if (o->sort && strstr(o->sort, "symbol"))
        text_str(t, ",ipc_null");
}

pts_status report_columns(struct report_opts *o, struct pts_diag *why)
{
    struct column_lists *l = &o->lists;
    const char *fields = o->fields ? o->fields : "";
    pts_status st = read_sort(o);

    for (size_t i = 0; i < l->sort.len; i++) {
        o->collapses |=
            l->sort.at[i].key && strcmp(l->sort.at[i].key->name, "comm") == 0;
        o->by_dso |= l->sort.at[i].key && strcmp(l->sort.at[i].key->name, "dso") == 0;
    }
    if (st == PTS_OK && o->parent)
        st = put_words(o, true, "parent");
    for (size_t i = 0; i < l->sort.len; i++)
        o->by_parent |=
            l->sort.at[i].key && strcmp(l->sort.at[i].key->name, "parent") == 0;
    if (st == PTS_OK)
        st = field_numbers(o);
    if (st == PTS_OK && adds_nothing(o->fields, true))
        st = bad_word(o, false, "Invalid", "+", 1);
    if (st == PTS_OK)
        st = put_words(o, false, fields + (*fields == '+'));
    if (st == PTS_OK)
        st = join(l);
    if (o->no_children && !is_strict(o->fields))
        drop_children(l);
    /* Of events that are no tracepoints. */
    return st == PTS_OK ? set_event(o, UINT32_MAX, why) : st;
}
