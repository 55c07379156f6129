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

/* --- Words ------------------------------------------------------------------------- */

static pts_status bad_word(const struct report_opts *o, bool sort, const char *how,
                           const char *word, size_t n)
{
    char text[300];

    const char *usage = o->sort     ? "-s, --sort <key[,key2...]>"
                        : o->fields ? "-F, --fields <key[,keys...]>"
                                    : NULL;
    int at = snprintf(text, sizeof(text), "Error:\n%s --%s key: `%.*s'", how,
                      sort ? "sort" : "fields", (int)(n < 60 ? n : 60), word);
    if (usage) /* or the word is that of the configuration */
        snprintf(text + at, sizeof(text) - (size_t)at,
                 "\n Usage: ptscript report [<options>]\n\n    %s (ptscript report "
                 "--help)\n",
                 usage);
    return report_quit(o, text);
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

/* perf looks among the keys that hold for all samples first, then among numbers, then
 * among those of branches. */
static pts_status word_read(const struct report_opts *o, bool sort, const char *word,
                            size_t n, struct column *out, struct pts_diag *why)
{
    const struct key *key = key_find(word, n);
    const struct number_word *number = number_find(word, n);

    if (number && (!key || key->branch || key->mem)) {
        *out = (struct column){.kind = number->kind};
        return PTS_OK;
    }
    if (!key)
        return bad_word(o, sort, "Unknown", word, n);
    if ((key->branch && !o->branches) || (key->mem && !o->mem_keys))
        return bad_word(o, sort, "Invalid", word, n);
    if (!key->title)
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "--%s: the key %s is not supported yet",
                        sort ? "sort" : "fields", key->name);
    *out = (struct column){.kind = COLUMN_KEY, .key = key};
    return PTS_OK;
}

static bool have(const struct column *list, uint32_t count, const struct column *c)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].kind == c->kind && list[i].key == c->key)
            return true;
    return false;
}

/* Once only. */
static pts_status put(struct column *list, uint32_t *count, struct column c,
                      struct pts_diag *why)
{
    if (have(list, *count, &c))
        return PTS_OK;
    if (*count == COLUMNS_MAX)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "more than %d columns",
                        COLUMNS_MAX);
    list[(*count)++] = c;
    return PTS_OK;
}

enum { LEVELS_APART = 1 << 16 };

struct word {
    const char *at;
    size_t n;
    uint32_t level;
};

static pts_status put_word(const struct report_opts *o, bool sort,
                           const struct word *word, struct column *list,
                           uint32_t *count, struct pts_diag *why)
{
    struct column c = {.kind = COLUMN_OVERHEAD};

    if (sort && is_of_power(word->at, word->n))
        return PTS_OK;
    pts_status st = word_read(o, sort, word->at, word->n, &c, why);
    c.level = word->level;
    return st == PTS_OK ? put(list, count, c, why) : st;
}

/* In --sort keys within braces are on one level. */
static pts_status put_words(const struct report_opts *o, bool sort, const char *words,
                            struct column *list, uint32_t *count, struct pts_diag *why)
{
    pts_status st = PTS_OK;
    bool braces = false;
    uint32_t level = *count * LEVELS_APART; /* none of the list before is the same */

    while (*words && st == PTS_OK) {
        size_t n = strcspn(words, sort ? "{}, " : ", ");
        const struct word word = {words, n, level};
        if (n)
            st = put_word(o, sort, &word, list, count, why);
        words += n;
        level += !braces;
        /* It stays in the text.  NOLINTNEXTLINE(clang-analyzer-core*) */
        braces = *words == '{' || (braces && *words != '}');
        words += *words != '\0';
    }
    return st;
}

/* --- The lists --------------------------------------------------------------------- */

struct lists {
    struct column sort[COLUMNS_MAX], field[COLUMNS_MAX];
    uint32_t sorts, fields;
};

static bool is_strict(const char *list)
{
    return list && *list != '+';
}

/* Numbers in front of the keys, unless the list names them (anywhere, as a part of a word,
 * too). */
static pts_status sort_numbers(const struct report_opts *o, const char *words,
                               struct lists *l, struct pts_diag *why)
{
    pts_status st = PTS_OK;

    if (is_strict(o->fields))
        return PTS_OK;
    if (o->children && !strstr(words, "overhead_children"))
        st = put(l->sort, &l->sorts, (struct column){.kind = COLUMN_CHILDREN}, why);
    if (st == PTS_OK && !strstr(words, "overhead"))
        st = put(l->sort, &l->sorts, (struct column){.kind = COLUMN_OVERHEAD}, why);
    return st;
}

static pts_status read_sort(const struct report_opts *o, struct lists *l,
                            struct pts_diag *why)
{
    const char *standard = o->branches       ? branch_keys
                           : o->mem_keys     ? mem_keys
                           : o->default_sort ? o->default_sort
                                             : default_keys;
    const char *words = o->sort ? o->sort : standard;
    bool adds = *words == '+';

    if (!o->sort && is_strict(o->fields))
        return PTS_OK;
    pts_status st = sort_numbers(o, words, l, why);
    if (st == PTS_OK && adds)
        st = put_words(o, true, standard, l->sort, &l->sorts, why);
    if (st == PTS_OK)
        st = put_words(o, true, words + adds, l->sort, &l->sorts, why);
    /* perf adds this where it sees the word. */
    if (st == PTS_OK && o->sort && strstr(o->sort, "symbol"))
        st = put_words(o, true, o->branches ? "ipc_lbr" : "ipc_null", l->sort,
                       &l->sorts, why);
    return st;
}

static pts_status field_numbers(const struct report_opts *o, struct lists *l,
                                struct pts_diag *why)
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
            st = put(l->field, &l->fields, (struct column){.kind = all[i].kind}, why);
    return st;
}

/* Keys that are sorted by are shown, and what is shown is sorted by. */
static pts_status join(const struct column *from, uint32_t n, struct column *to,
                       uint32_t *count, struct pts_diag *why)
{
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < n; i++)
        st = put(to, count, from[i], why);
    return st;
}

static pts_status set_keys(struct report_opts *o, const struct lists *l,
                           struct pts_diag *why)
{
    bool symbol = false, dso = false, flags = false;
    uint32_t last = 0;

    for (uint32_t i = 0; i < l->sorts; i++) {
        if (l->sort[i].kind != COLUMN_KEY)
            continue;
        if (o->key_count == KEYS_MAX)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX, "more than %d keys",
                            KEYS_MAX);
        /* Levels are as many as have keys. */
        uint32_t above = o->key_count ? o->key_level[o->key_count - 1] + 1 : 0;
        bool same = above && l->sort[i].level == last;
        last = l->sort[i].level;
        o->key_level[o->key_count] = same ? above - 1 : above;
        o->key[o->key_count++] = l->sort[i].key;
        symbol |= strcmp(l->sort[i].key->name, "symbol") == 0 ||
                  strncmp(l->sort[i].key->name, "ipc_", 4) == 0;
        dso |= strcmp(l->sort[i].key->name, "dso") == 0;
        flags |= l->sort[i].key->vague;
    }
    for (uint32_t i = 0; i < o->key_count; i++)
        o->by_moment |= o->mem_mode || o->key[i]->more ||
                        strcmp(o->key[i]->name, "cpu") == 0 ||
                        strcmp(o->key[i]->name, "time") == 0 ||
                        strcmp(o->key[i]->name, "parent") == 0 ||
                        strcmp(o->key[i]->name, "trace") == 0;
    o->by_tree = flags || (symbol && !dso);
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
static void drop_children(struct lists *l)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->fields; i++)
        if (l->field[i].kind != COLUMN_CHILDREN)
            l->field[n++] = l->field[i];
    l->fields = n;
}

static void set_columns(struct report_opts *o, const struct lists *l)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < l->fields; i++)
        left += l->field[i].kind == COLUMN_KEY && !is_elided(o, &l->field[i]);
    o->column_all = l->fields;
    for (uint32_t i = 0; i < l->fields; i++) {
        struct column c = l->field[i];
        bool elided = is_elided(o, &c);
        c.at = i;
        if (elided)
            o->elided[o->elided_count++] = c;
        if (!left || !elided || o->hierarchy) /* which perf has made copies for */
            o->column[o->column_count++] = c;
    }
    for (uint32_t i = 0; i < l->sorts; i++)
        if (!left || !is_elided(o, &l->sort[i]))
            o->rank[o->rank_count++] = l->sort[i];
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
    struct lists l = {0};
    const char *fields = o->fields ? o->fields : "";
    pts_status st = read_sort(o, &l, why);

    for (uint32_t i = 0; i < l.sorts; i++)
        o->collapses |= l.sort[i].key && strcmp(l.sort[i].key->name, "comm") == 0;
    if (st == PTS_OK && o->parent)
        st = put_words(o, true, "parent", l.sort, &l.sorts, why);
    for (uint32_t i = 0; i < l.sorts; i++)
        o->by_parent |= l.sort[i].key && strcmp(l.sort[i].key->name, "parent") == 0;
    if (st == PTS_OK)
        st = field_numbers(o, &l, why);
    if (st == PTS_OK)
        st = put_words(o, false, fields + (*fields == '+'), l.field, &l.fields, why);
    if (st == PTS_OK)
        st = join(l.sort, l.sorts, l.field, &l.fields, why);
    if (st == PTS_OK)
        st = join(l.field, l.fields, l.sort, &l.sorts, why);
    if (o->no_children && !is_strict(o->fields))
        drop_children(&l);
    if (st == PTS_OK)
        st = set_keys(o, &l, why);
    if (st == PTS_OK)
        set_columns(o, &l);
    return st;
}
