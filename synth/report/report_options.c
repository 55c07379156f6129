/* report_options.c - what a report is to show, from the options of perf report.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/report_options.h"

#define OPTIONS struct report_opts
#include "synth/plan/option_rows.h"

#include "decoder/base/diag.h"
#include "synth/plan/hints.h"

#include <stdio.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEFAULT_QUANTUM_NS = 100000000, WORD_MAX = 64 };

/* --- Options that take more than a member ------------------------------------------ */

static pts_status option_itrace(void *options, const char *value, struct pts_diag *why)
{
    struct report_opts *o = options;
    struct itrace *it = &o->run.itrace;
    pts_status st = itrace_parse(it, value, why);

    if (st == PTS_E_USAGE)
        hint_give(HINT_LETTERS, o->run.message, o->run.message_ctx);
    if (st == PTS_OK && !value) /* all kinds of samples, unlike perf script */
        itrace_instructions(it);
    return st;
}

static pts_status option_no_itrace(void *options, const char *value,
                                   struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->run.itrace.set = true;
    o->run.itrace.dont_decode = true;
    return PTS_OK;
}

static pts_status option_jobs(void *options, const char *value, struct pts_diag *why)
{
    struct report_opts *o = options;
    const struct pts_option jobs = {"jobs", value};

    return options_parse(&o->run, &jobs, 1, why);
}

static bool begins(const char *word, size_t n, const char *name)
{
    return n <= strlen(name) && strncmp(word, name, n) == 0;
}

struct chain_word {
    const char *name;
    enum { IS_MODE, IS_ORDER, IS_KEY, IS_BRANCH, IS_VALUE } what;
    int value;
};

/* In the order in which perf tries them. */
static const struct chain_word chain_words[] = {
    {"graph",    IS_MODE,   CHAIN_GRAPH   },
    {"flat",     IS_MODE,   CHAIN_FLAT    },
    {"fractal",  IS_MODE,   CHAIN_FRACTAL },
    {"folded",   IS_MODE,   CHAIN_FOLDED  },
    {"none",     IS_MODE,   CHAIN_NONE    },
    {"caller",   IS_ORDER,  1             },
    {"callee",   IS_ORDER,  0             },
    {"function", IS_KEY,    FRAME_FUNCTION},
    {"address",  IS_KEY,    FRAME_ADDRESS },
    {"srcline",  IS_KEY,    FRAME_SRCLINE },
    {"branch",   IS_BRANCH, true          },
    {"percent",  IS_VALUE,  CHAIN_PERCENT },
    {"period",   IS_VALUE,  CHAIN_PERIOD  },
    {"count",    IS_VALUE,  CHAIN_COUNT   },
};

static void chain_set(struct chain_opts *c, const struct chain_word *w)
{
    switch (w->what) {
    case IS_MODE:
        c->mode = (enum chain_mode)w->value;
        break;
    case IS_ORDER:
        c->callers_first = w->value;
        c->order_set = true;
        break;
    case IS_KEY:
        c->key = (enum frame_key)w->value;
        break;
    case IS_BRANCH:
        c->branches = true;
        break;
    case IS_VALUE:
        c->value = (enum chain_value)w->value;
        break;
    }
}

/* A word of -g, or a number: first the least percentage, then how many. */
static pts_status chain_word(struct chain_opts *c, const char *word, size_t n,
                             bool *percent_given, struct pts_diag *why)
{
    char number[WORD_MAX], *end;

    for (size_t i = 0; i < sizeof(chain_words) / sizeof(chain_words[0]); i++) {
        const struct chain_word *w = &chain_words[i];
        if (!begins(word, n, w->name))
            continue;
        chain_set(c, w);
        return PTS_OK;
    }
    snprintf(number, sizeof(number), "%.*s", (int)n, word);
    if (!*percent_given) {
        c->min_percent = strtod(number, &end);
        *percent_given = true;
    } else {
        c->most = (uint32_t)strtoul(number, &end, 0);
        c->most = c->most ? c->most : UINT32_MAX;
    }
    return end != number ? PTS_OK
                         : diag_set(why, PTS_E_USAGE, UINT64_MAX,
                                    "ptscript: the words of -g are graph, fractal, "
                                    "flat, folded, none, caller, callee, function, "
                                    "address, branch, percent, period, count; `%.*s' "
                                    "is none of them",
                                    (int)n, word);
}

pts_status report_chain_words(struct chain_opts *c, const char *words,
                              struct pts_diag *why)
{
    bool percent_given = false;
    pts_status st = PTS_OK;

    for (const char *at = words; *at && st == PTS_OK;) {
        size_t n = strcspn(at, ",");
        if (n)
            st = chain_word(c, at, n, &percent_given, why);
        at += n + (at[n] == ',');
    }
    return st;
}

static pts_status option_call_graph(void *options, const char *value,
                                    struct pts_diag *why)
{
    struct report_opts *o = options;

    o->chain.asked = true;
    /* Those of a -g without words perf has in pieces when there is another one. */
    if (!value) {
        value = o->chain.alone ? "graph" : "graph,0.5,caller,function,percent";
        o->chain.alone = true;
    }
    return report_chain_words(&o->chain, value, why);
}

static pts_status option_no_call_graph(void *options, const char *value,
                                       struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->chain.asked = false;
    o->chain.mode = CHAIN_NONE;
    return PTS_OK;
}

static pts_status option_inverted(void *options, const char *value,
                                  struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->chain.callers_first = true;
    o->chain.order_set = true;
    return PTS_OK;
}

static pts_status option_children(void *options, const char *value,
                                  struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->children = true;
    return PTS_OK;
}

static pts_status option_no_children(void *options, const char *value,
                                     struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->children = false;
    return PTS_OK;
}

static pts_status option_group(void *options, const char *value, struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->group = REPORT_TOGETHER;
    o->group_asked = true;
    return PTS_OK;
}

static pts_status option_no_group(void *options, const char *value,
                                  struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->group = REPORT_APART;
    o->group_asked = true;
    return PTS_OK;
}

static pts_status option_branch_stack(void *options, const char *value,
                                      struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->branch_asked = true;
    o->no_branches = false;
    return PTS_OK;
}

static pts_status option_no_branch_stack(void *options, const char *value,
                                         struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->branch_asked = false;
    o->no_branches = true;
    return PTS_OK;
}

/* What perf takes for a word of a configuration; but for one all mean that a terminal's
 * percentages are coloured, and this is none. */
static bool is_switch(const char *value)
{
    static const char *const words[] = {"never", "always", "auto", "true", "yes",
                                        "on",    "false",  "no",   "off"};
    char *end;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    (void)strtol(value, &end, 0);
    return !*value || (end != value && (!*end || strchr("kKmMgG", *end)));
}

static pts_status option_stdio_color(void *options, const char *value,
                                     struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)why;
    o->colour = !value || strcasecmp(value, "always") == 0;
    if (value && !is_switch(value) && o->message)
        o->message(o->run.message_ctx, PTS_MSG_WARNING,
                   "bad config value for 'color.ui', ignoring...\n");
    return PTS_OK;
}

static pts_status option_no_stdio_color(void *options, const char *value,
                                        struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->colour = false;
    return PTS_OK;
}

/* As strtol(3) reads each: what is no number is 0, the width of what is in the column, and ends
 * the list, but where a comma follows. */
static pts_status option_widths(void *options, const char *value, struct pts_diag *why)
{
    struct report_opts *o = options;
    char *end;

    o->width_count = 0;
    for (const char *at = value; o->width_count < WIDTHS_MAX; at = end + 1) {
        long n = strtol(at, &end, 10);
        if (n < 0 || n > INT16_MAX)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                            " Error: option `column-widths' expects numbers from 0 to "
                            "%d with commas between them",
                            INT16_MAX);
        o->width[o->width_count++] = (uint32_t)n;
        if (*end != ',')
            break;
    }
    return PTS_OK;
}

static pts_status option_no_widths(void *options, const char *value,
                                   struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)value, (void)why;
    o->width_count = 0;
    return PTS_OK;
}

static pts_status option_percent_limit(void *options, const char *value,
                                       struct pts_diag *why)
{
    struct report_opts *o = options;
    (void)why;
    o->percent_limit = strtod(value, NULL);
    o->chain.min_percent = o->percent_limit;
    return PTS_OK;
}

static pts_status option_percentage(void *options, const char *value,
                                    struct pts_diag *why)
{
    struct report_opts *o = options;

    o->relative = strcmp(value, "relative") == 0;
    return o->relative || strcmp(value, "absolute") == 0
               ? PTS_OK
               : diag_set(why, PTS_E_USAGE, UINT64_MAX,
                          "ptscript: --percentage is relative or absolute");
}

static pts_status option_time_quantum(void *options, const char *value,
                                      struct pts_diag *why)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        {"ns", 1         },
        {"us", 1000      },
        {"ms", 1000000   },
        {"s",  1000000000},
        {"",   1         }
    };
    struct report_opts *o = options;
    char *end;
    uint64_t n = strtoul(value, &end, 0);
    const bool read = end != value;

    if (read && !n)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "time quantum cannot be 0");
    while (isspace((unsigned char)*end))
        end++;
    for (size_t i = 0; read && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(end, units[i].name) == 0 && n < UINT64_MAX / units[i].ns) {
            o->time_quantum = n * units[i].ns;
            return PTS_OK;
        }
    return diag_set(why, PTS_E_USAGE, UINT64_MAX, "Cannot parse time quantum `%s'",
                    value);
}

/* perf takes the two words in either order. */
static pts_status option_percent_type(void *options, const char *value,
                                      struct pts_diag *why)
{
    static const char *const types[] = {
        "local-period", "period-local", "global-period", "period-global",
        "local-hits",   "hits-local",   "global-hits",   "hits-global"};
    (void)options;

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(value, types[i]) == 0)
            return PTS_OK;
    return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                    " Error: option `percent-type' expects local or global, -, period "
                    "or hits");
}

static const struct option_row rows[] = {
#include <ptscript/report.def>
    OPTION_ROWS_END,
};

void report_defaults(struct report_opts *o, pts_message_fn *message, void *message_ctx)
{
    options_init(&o->run, message, message_ctx);
    o->run.code_unseen = o->run.guests_come = true;
    o->run.own_order = true;
    o->children = o->inlined = o->skip_empty = true;
    o->time_quantum = DEFAULT_QUANTUM_NS;
    o->socket = -1;
    o->chain = (struct chain_opts){.min_percent = 0.5, .most = UINT32_MAX};
    o->message = message;
}

pts_status report_options(struct report_opts *o, const struct pts_option *list,
                          size_t count, struct pts_diag *why)
{
    pts_status st = option_rows_take(rows, o, list, count, why);
    o->features = o->header || o->header_only || o->show_info;
    if (o->quiet) {
        o->run.message = NULL;
        o->run.quiet = true;
        o->run.verbose = false;
        o->header = o->header_only = false;
    }
    o->tasks |= o->mmaps;
    if (st == PTS_OK && o->prefix_strip && !o->prefix)
        return diag_set(why, PTS_E_RANGE, UINT64_MAX,
                        "--prefix-strip requires --prefix");
    o->run.dump_unsorted |= o->disable_order && o->run.dump;
    if (st == PTS_OK && o->separator && strcmp(o->separator, ".") == 0)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        "'.' is the only non valid --field-separator argument");
    if (o->separator && !*o->separator) /* as if none had been given */
        o->separator = NULL;
    return st;
}

void report_options_free(struct report_opts *o)
{
    select_free(&o->sel);
    field_keys_free(&o->fields_of);
    VEC_FREE(&o->lists.sort);
    VEC_FREE(&o->lists.field);
}
