/* config.c - what perf's configuration says, and what of it means nothing.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf looks at the keys of some sections whatever it is asked to do, though little
 * needs them: a value that cannot be used ends it, or is told and passed over.  The words
 * are its own.
 */
#include "synth/plan/config.h"

#include "decoder/base/diag.h"
#include "synth/plan/number.h"

#include <ctype.h>
#include <ptscript/config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- Numbers and answers ---------------------------------------------------------- */

/* The lower 32 bits of a number, which may have k, m or g behind it. */
static bool int_read(const char *value, int32_t *out)
{
    static const char units[] = "kmg";
    const char *end;
    uint64_t n = read_number(value, &end, 0);

    if (!*value)
        return false;
    if (*end) {
        const char *unit = strchr(units, tolower((unsigned char)*end));
        if (!unit || end[1])
            return false;
        n <<= 10 * (unit - units + 1);
    }
    *out = (int32_t)(uint32_t)n;
    return true;
}

static void bad_value(const char *name, pts_message_fn *message, void *ctx)
{
    char text[400];

    snprintf(text, sizeof(text), "bad config value for '%s', ignoring...\n", name);
    message(ctx, PTS_MSG_WARNING, text);
}

typedef int compare_fn(const char *a, const char *b);

static bool is_one_of(const char *value, const char *const *words, compare_fn *compare)
{
    while (*words && compare(*words, value) != 0)
        words++;
    return *words != NULL;
}

int pts_config_yes(const struct pts_option *setting, pts_message_fn *message, void *ctx)
{
    static const char *const yes[] = {"true", "yes", "on", NULL};
    static const char *const no[] = {"", "false", "no", "off", NULL};
    int32_t n;

    if (is_one_of(setting->value, yes, strcasecmp))
        return 1;
    if (is_one_of(setting->value, no, strcasecmp))
        return 0;
    if (int_read(setting->value, &n))
        return n != 0;
    bad_value(setting->name, message, ctx);
    return 1;
}

/* Abbreviations will do, down to nothing. */
static bool is_begin_of(const char *value, const char *name)
{
    return strncmp(name, value, strlen(value)) == 0;
}

/* The digits in front, as sscanf() reads an unsigned; 0: there are none. */
static uint32_t digits(const char *value)
{
    uint64_t n = 0;

    for (const char *p = value; *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    return (uint32_t)n;
}

/* --- Decoding --------------------------------------------------------------------- */

/* Of the log: what perf takes when nothing is said; more is never kept. */
enum { LOG_SIZE = 16384, LOG_SIZE_MAX = 64 << 20 };

void config_read(const struct pts_option *settings, size_t count,
                 pts_message_fn *message, void *ctx, struct config *out)
{
    *out = (struct config){0};
    for (size_t i = 0; i < count; i++) {
        const struct pts_option *o = &settings[i];
        if (strcmp(o->name, "intel-pt.mispred-all") == 0)
            out->mispred_all = pts_config_yes(o, message, ctx);
        else if (strcmp(o->name, "intel-pt.max-loops") == 0 &&
                 !int_read(o->value, &out->max_loops))
            bad_value(o->name, message, ctx);
        else if (strcmp(o->name, "itrace.debug-log-buffer-size") == 0)
            out->log_size = o->value[0] == '-' ? LOG_SIZE_MAX : digits(o->value);
    }
    if (!out->log_size)
        out->log_size = LOG_SIZE;
    else if (out->log_size > LOG_SIZE_MAX)
        out->log_size = LOG_SIZE_MAX;
    /* perf does not look before a loop's second branch. */
    if (out->max_loops < 0)
        out->max_loops = 1;
}

pts_status config_number(const struct pts_option *setting, pts_message_fn *message,
                         void *ctx, struct pts_diag *why)
{
    int32_t n;

    if (int_read(setting->value, &n))
        return PTS_OK;
    bad_value(setting->name, message, ctx);
    return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                    "Error in the given config file: wrong config key-value pair "
                    "%s=%s",
                    setting->name, setting->value);
}

bool config_callers_first(const struct pts_option *settings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(settings[i].name, "call-graph.order") == 0)
            return is_begin_of(settings[i].value, "caller");
    return false;
}

/* --- What is checked for every command -------------------------------------------- */

enum { WORDS = 2048 }; /* characters that perf says at once, the value and all */

/* False for a value that ends perf; *words is what it says before, or NULL. */
typedef bool check_fn(const char *value, const char **words);

static bool is_percentage(const char *value, const char **words)
{
    (void)words;
    return strcmp(value, "relative") == 0 || strcmp(value, "absolute") == 0;
}

static bool begins_one_of(const char *value, const char *const *names)
{
    while (*names && !is_begin_of(value, *names))
        names++;
    return *names != NULL;
}

static bool is_order(const char *value, const char **words)
{
    static const char *const names[] = {"caller", "callee", NULL};
    *words = "Invalid callchain order";
    return begins_one_of(value, names);
}

static bool is_print_type(const char *value, const char **words)
{
    static const char *const names[] = {"graph", "flat", "fractal", "folded", NULL};
    *words = "Invalid callchain mode";
    return begins_one_of(value, names);
}

static bool is_sort_key(const char *value, const char **words)
{
    static const char *const names[] = {"function", "address", "srcline", "branch",
                                        NULL};
    *words = "Invalid callchain sort key";
    return begins_one_of(value, names);
}

/* Begins with a number of any notation. */
static bool begins_number(const char *value)
{
    char *end;
    (void)strtod(value, &end);
    return end != value;
}

static bool is_threshold(const char *value, const char **words)
{
    *words = "Invalid callchain threshold";
    return begins_number(value);
}

static bool is_print_limit(const char *value, const char **words)
{
    *words = "Invalid callchain print limit";
    return begins_number(value);
}

static bool is_dump_size(const char *value, const char **words)
{
    enum { MAX = 65528 };
    const char *end;
    uint64_t n = read_number(value, &end, 0);

    *words = "callchain: Incorrect stack dump size (max 65528)";
    return !*end && n && n <= MAX;
}

struct check {
    const char *key;
    check_fn *fits;
};

static const struct check checks[] = {
    {"call-graph.order",       is_order      },
    {"call-graph.print-type",  is_print_type },
    {"call-graph.sort-key",    is_sort_key   },
    {"call-graph.threshold",   is_threshold  },
    {"call-graph.print-limit", is_print_limit},
    {"call-graph.dump-size",   is_dump_size  },
    {"hist.percentage",        is_percentage },
};

/* A method, a comma, its argument: the argument of lbr is a mistake, that of fp is not
 * looked at. */
static bool record_mode_fits(const char *value, char *said, size_t size)
{
    const char *name = value + strspn(value, ",");
    size_t n = strcspn(name, ",");
    char argument[32];
    const char *words;

    snprintf(argument, sizeof(argument), "%s", name + n + strspn(name + n, ","));
    argument[strcspn(argument, ",")] = '\0';
    if (n == 2 && strncmp(name, "fp", n) == 0)
        return true;
    if (n == 3 && strncmp(name, "lbr", n) == 0) {
        snprintf(said, size,
                 "callchain: No more arguments needed for --call-graph lbr\n");
        return !*argument;
    }
    if (n == 5 && strncmp(name, "dwarf", n) == 0) {
        bool fit = !*argument || is_dump_size(argument, &words);
        snprintf(said, size, "%s: %s\n", fit ? "" : words, argument);
        return fit;
    }
    snprintf(said, size, "callchain: Unknown --call-graph option value: %s\n", value);
    return false;
}

static bool llvm_knows(const char *name)
{
    static const char *const names[] = {"clang-path",  "clang-bpf-cmd-template",
                                        "clang-opt",   "kbuild-dir",
                                        "kbuild-opts", "dump-obj",
                                        "opts",        NULL};
    return is_one_of(name, names, strcmp);
}

/* Whether perf goes on; *said is what it says else, first. */
static bool fits(const struct pts_option *o, char *said, size_t size)
{
    const char *words = NULL;

    *said = '\0';
    if (strcmp(o->name, "call-graph.record-mode") == 0)
        return record_mode_fits(o->value, said, size);
    if (strncmp(o->name, "llvm.", 5) == 0)
        return llvm_knows(o->name + 5);
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        if (strcmp(o->name, checks[i].key) != 0 || checks[i].fits(o->value, &words))
            continue;
        if (words)
            snprintf(said, size, "%s: %s\n", words, o->value);
        return false;
    }
    return true;
}

/* Answers that are asked for whatever is done. */
static void ask_answer(const struct pts_option *o, pts_message_fn *message, void *ctx)
{
    static const char *const keys[] = {"ui.show-headers", "stat.big-num",
                                       "stat.no-csv-summary", NULL};
    struct pts_option told = *o;

    if (strcmp(o->name, "llvm.dump-obj") == 0)
        told.name = "dump-obj";
    else if (!is_one_of(o->name, keys, strcmp))
        return;
    (void)pts_config_yes(&told, message, ctx);
}

/* A value may be longer than *why can hold. */
static pts_status refuse(const struct pts_option *o, pts_message_fn *message, void *ctx,
                         struct pts_diag *why)
{
    static const char words[] =
        "Error in the given config file: wrong config key-value "
        "pair";
    char said[WORDS];

    snprintf(said, sizeof(said), "%s %s=%s\n", words, o->name, o->value);
    message(ctx, PTS_MSG_WARNING, said);
    return diag_set(why, PTS_E_USAGE, UINT64_MAX, "%s %s", words, o->name);
}

pts_status pts_config_check(const struct pts_option *settings, size_t count,
                            pts_message_fn *message, void *ctx, struct pts_diag *why)
{
    char said[WORDS];

    for (size_t i = 0; i < count; i++) {
        const struct pts_option *o = &settings[i];
        ask_answer(o, message, ctx);
        if (fits(o, said, sizeof(said)))
            continue;
        if (*said)
            message(ctx, PTS_MSG_WARNING, said);
        return refuse(o, message, ctx, why);
    }
    return PTS_OK;
}
