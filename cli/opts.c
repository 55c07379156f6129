/* opts.c - reads a command line the way perf script does.
 *
 * SPDX-License-Identifier: MIT
 *
 * The command's table says what exists.  perf's habits that scripts rely on: letters
 * may be joined (-vD) and carry their argument (-Fip); a long name may be shortened as
 * long as it stays unambiguous; --no-NAME undoes what can be undone; an optional
 * argument is only taken from --name=x; what a word means that is no option is the
 * command's affair, and the first may name the command.
 *
 *     ptscript --buildid-dir x  evlist  -vF
 *              \_____________/  \____/  \__ options of evlist
 *               options of the   command
 *               first command
 */
#include "opts.h"

#include "mem.h"

#include <string.h>

enum { NAME_MAX_BYTES = 32, FAR = 3 };

/* A place on the command line. */
struct words {
    int argc, at;
    char **argv;
    const struct option
        *lone; /* the last was this one, which had no value and may have */
};

static const char *words_next(struct words *w)
{
    return w->at < w->argc ? w->argv[w->at++] : NULL;
}

/* One for each letter that is missing, too many or another, two for such a pair. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned row[NAME_MAX_BYTES + 1], diagonal;

    for (unsigned j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        diagonal = row[0]++;
        for (size_t j = 1; j <= nb; j++) {
            unsigned other = diagonal + (a[i - 1] != b[j - 1]);
            unsigned less = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = less < other ? less : other;
        }
    }
    return row[nb];
}

/* Which command may be meant. */
static void hint_command(struct cli_opts *out, const char *word)
{
    const char *best = NULL;
    unsigned least = FAR;
    size_t n = strlen(word);

    for (size_t i = 0; n < NAME_MAX_BYTES && command_at(i); i++) {
        const char *name = command_at(i)->name;
        unsigned d = distance(word, n, name, strlen(name));
        if (d < least && d < n) {
            least = d;
            best = name;
        }
    }
    if (best)
        problem_hint(&out->problem, "did you mean the command %s?", best);
}

/* Which option may be meant by the n letters at s. */
static void hint_option(struct cli_opts *out, const char *s, size_t n)
{
    const char *best = NULL;
    unsigned least = FAR;

    for (const struct option *o = out->command->options; o->name; o++) {
        size_t len = strlen(o->name);
        unsigned d = n < NAME_MAX_BYTES && len < NAME_MAX_BYTES
                         ? distance(s, n, o->name, len)
                         : FAR;
        if (d < least && d < len) {
            least = d;
            best = o->name;
        }
    }
    if (best)
        problem_hint(&out->problem, "did you mean --%s%s?", best, s + n);
}

/* Says what is wrong, and is what all who read a part of the line return then. */
#define WRONG(out, ...) (problem_say(&(out)->problem, __VA_ARGS__), CLI_USAGE)
/* An option that is known, and used in a wrong way: perf indents that less. */
#define MISUSED(out, ...) ((out)->problem.of_known = true, WRONG(out, __VA_ARGS__))

/* As strtol reads it, to the end: blanks and a sign may stand in front, and no word at
 * all is 0. */
static bool is_number(const char *text)
{
    const char *p = text + strspn(text, " \t\n\v\f\r");

    p += *p == '-' || *p == '+';
    size_t n = strspn(p, "0123456789");
    return !p[n] && (n || !*text);
}

/* What a value should have been; NULL: it is. */
static const char *number_wanted(const struct option *o, const char *value)
{
    if (o->argument == ARGUMENT_COUNT && *value == '-')
        return "an unsigned";
    bool number = o->argument == ARGUMENT_NUMBER || o->argument == ARGUMENT_COUNT;
    return number && !is_number(value) ? "a" : NULL;
}

static enum cli_want give_library(struct cli_opts *out, const char *name,
                                  const char *value)
{
    if (out->count == CLI_OPTIONS_MAX)
        return WRONG(out, "too many options");
    out->list[out->count++] = (struct pts_option){name, value};
    return CLI_RUN;
}

static enum cli_want give_raw(struct cli_opts *out, const char *name, bool undo,
                              const char *value)
{
    if (undo)
        return WRONG(out, "option `%s' cannot be undone", name);
    if (strcmp(name, "pevent:sysroot") == 0)
        out->symfs = value;
    return raw_take(&out->raw, name, value, &out->problem) ? CLI_RUN : CLI_USAGE;
}

static enum cli_want require_read(struct cli_opts *out, bool undo, const char *value)
{
    static const char *const hows[] = {[PTS_BUILDID_WARN] = "warn",
                                       [PTS_BUILDID_ERROR] = "error",
                                       [PTS_BUILDID_OFF] = "off"};
    const char *how = undo || !value ? "warn" : value;
    for (unsigned i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
        if (strcmp(how, hows[i]) == 0) {
            out->require_buildid = (enum pts_require_buildid)i;
            return CLI_RUN;
        }
    return WRONG(out, "option `require-buildid' is error, warn or off, not `%s'", how);
}

/* To the library, into a member of the program's own, or nowhere.  --cpu is two
 * options: a processor has a slash. */
static enum cli_want apply(struct cli_opts *out, const struct option *o, bool undo,
                           const char *value)
{
    switch (o->taker) {
    case TAKE_LIBRARY:
    case TAKE_OURS:
    case TAKE_NOT_YET:
        if (value && strcmp(o->name, "cpu") == 0 && raw_is_model(value))
            return give_raw(out, o->name, undo, value);
        return give_library(out, undo ? o->no_name : o->name, value);
    case TAKE_RAW:
        return give_raw(out, o->name, undo, value);
    case TAKE_INPUT:
        out->input = value;
        return CLI_RUN;
    case TAKE_SYMFS:
        out->symfs = value;
        return CLI_RUN;
    case TAKE_VMLINUX:
        out->vmlinux = undo ? NULL : value;
        return CLI_RUN;
    case TAKE_IGNORE_VMLINUX:
        out->ignore_vmlinux = !undo;
        return CLI_RUN;
    case TAKE_KALLSYMS:
        out->kallsyms = undo ? NULL : value;
        return CLI_RUN;
    case TAKE_GUESTMOUNT:
        out->guestmount = undo ? NULL : value;
        return CLI_RUN;
    case TAKE_GUESTVMLINUX:
        out->guestvmlinux = undo ? NULL : value;
        return CLI_RUN;
    case TAKE_GUESTKALLSYMS:
        out->guestkallsyms = undo ? NULL : value;
        return CLI_RUN;
    case TAKE_GUESTMODULES:
        out->guestmodules = undo ? NULL : value;
        return CLI_RUN;
    case TAKE_GUEST_CODE:
        out->guest_code = !undo;
        return CLI_RUN;
    case TAKE_BUILDID_DIR:
        out->buildid_dir = value;
        return CLI_RUN;
    case TAKE_REQUIRE_BUILDID:
        return require_read(out, undo, value);
    case TAKE_FORCE:
        out->force = !undo;
        return CLI_RUN;
    case TAKE_STORE:
        out->store = !undo;
        return CLI_RUN;
    case TAKE_MEM:
        out->mem = 0;
        return undo || mem_read(value, &out->mem, &out->problem) ? CLI_RUN : CLI_USAGE;
    case TAKE_LIST_DLFILTERS:
        out->list_dlfilters = true;
        return CLI_LIST;
    case TAKE_PROGRESS:
        out->no_progress = undo;
        return CLI_RUN;
    case TAKE_PAGER:
        out->no_pager = undo;
        return CLI_RUN;
    case TAKE_DEBUGINFOD:
        out->debuginfod = undo ? NULL : value ? value : "";
        out->no_debuginfod = undo;
        return CLI_RUN;
    case TAKE_OUTPUT:
        out->output = value;
        return CLI_RUN;
    case TAKE_OVERWRITE:
        out->overwrite = !undo;
        return CLI_RUN;
    case TAKE_SCRIPT:
        out->script = undo ? NULL : value;
        return CLI_RUN;
    case TAKE_SCRIPT_LIST:
        out->list_scripts = true;
        return CLI_LIST;
    case TAKE_SCRIPT_GENERATE:
        out->generate = undo ? NULL : value;
        return CLI_RUN;
    case TAKE_REFUSE:
        return WRONG(out, "option `%s' is not supported yet", o->name);
    case TAKE_HELP:
        return CLI_HELP;
    case TAKE_VERSION:
        return CLI_VERSION;
    }
    return CLI_RUN;
}

static bool needs_value(const struct option *o)
{
    return o->argument == ARGUMENT_TEXT || o->argument == ARGUMENT_NUMBER ||
           o->argument == ARGUMENT_COUNT;
}

/* The next word, where it can only be a value. */
static const char *value_next(const struct option *o, struct words *w)
{
    bool there =
        o->argument == ARGUMENT_NEXT && w->at < w->argc && *w->argv[w->at] != '-';
    return there ? words_next(w) : NULL;
}

/* One word of joined letters.  A letter that takes a value has the rest of the word,
 * or the next one. */
static enum cli_want letter_read(struct cli_opts *out, struct words *w, const char *s)
{
    for (; *s; s++) {
        const struct option *o = out->command->options;
        while (o->name && o->letter != *s)
            o++;
        if (!o->name)
            return WRONG(out, "unknown switch `%c'", *s);

        const char *value = NULL;
        if (needs_value(o)) {
            value = s[1] ? s + 1 : words_next(w);
            if (!value)
                return MISUSED(out, "switch `%c' requires a value", *s);
            const char *wanted = number_wanted(o, value);
            if (wanted)
                return MISUSED(out, "switch `%c' expects %s numerical value", *s,
                               wanted);
        } else if (o->argument == ARGUMENT_NEXT) {
            value = s[1] ? s + 1 : value_next(o, w);
        }
        enum cli_want want = apply(out, o, false, value);
        /* A value takes the rest of the word. */
        if (want != CLI_RUN || value)
            return want;
    }
    return CLI_RUN;
}

/* An option that a word names, or its opposite. */
struct named {
    const struct option *opt;
    bool undo;
};

static bool starts(const char *text, const char *with, size_t n)
{
    return strncmp(text, with, n) == 0;
}

/* How the n letters at s name o: 2 in full, 1 shortened, 0 not at all. */
static int name_match(const struct option *o, const char *s, size_t n, bool *undo)
{
    *undo = false;
    if (starts(o->name, s, n))
        return o->name[n] ? 1 : 2;
    *undo = true;
    if (!starts(o->no_name, s, n))
        return 0;
    return o->no_name[n] ? 1 : 2;
}

static const char *named_text(const struct named *f)
{
    return f->undo ? f->opt->no_name : f->opt->name;
}

static bool is_ours(const struct option *o)
{
    return o->taker == TAKE_RAW || o->taker == TAKE_OURS || o->taker == TAKE_STORE ||
           o->taker == TAKE_DEBUGINFOD || o->taker == TAKE_PROGRESS ||
           o->taker == TAKE_PAGER || o->taker == TAKE_MEM ||
           o->taker == TAKE_REQUIRE_BUILDID;
}

/* A full name is taken at once, a shortened one when all others have been looked at:
 * the last two that fit are blamed, so the order of the table shows. */
static enum cli_want name_find(struct cli_opts *out, const char *s, size_t n,
                               struct named *to)
{
    struct named before = {NULL, false}, last = {NULL, false};
    for (const struct option *o = out->command->options; o->name; o++) {
        bool undo;
        int match = name_match(o, s, n, &undo);
        if (match == 2) {
            *to = (struct named){o, undo};
            return CLI_RUN;
        }
        /* What is not perf's may not make its short names ambiguous. */
        if (match == 1 && !is_ours(o)) {
            before = last;
            last = (struct named){o, undo};
        }
    }
    if (!last.opt)
        hint_option(out, s, n);
    if (!last.opt)
        return WRONG(out, "unknown option `%s'", s);
    if (before.opt)
        return MISUSED(out, "Ambiguous option: %.*s (could be --%s or --%s)", (int)n, s,
                       named_text(&before), named_text(&last));
    *to = last;
    return CLI_RUN;
}

/* For shells, which ask for words to complete.  As in perf, in no table and never
 * shortened, so that no name is less ambiguous than it was. */
static enum cli_want list_read(const char *s)
{
    if (strcmp(s, "list-cmds") == 0)
        return CLI_LIST_COMMANDS;
    return strcmp(s, "list-opts") == 0 ? CLI_LIST_OPTIONS : CLI_RUN;
}

/* A value stands behind "=" or, if there must be one, is the next word.  What is
 * undone takes none. */
static enum cli_want long_read(struct cli_opts *out, struct words *w, const char *s)
{
    struct named f = {NULL, false};
    size_t n = strcspn(s, "=");
    const char *value = s[n] ? s + n + 1 : NULL;
    enum cli_want want = list_read(s);
    if (want == CLI_RUN)
        want = name_find(out, s, n, &f);
    if (want != CLI_RUN)
        return want;
    const char *name = named_text(&f);

    if (!value && !f.undo && f.opt->argument == ARGUMENT_MAYBE)
        w->lone = f.opt;
    if (value && (f.undo || f.opt->argument == ARGUMENT_NONE))
        return MISUSED(out, "option `%s' takes no value", name);
    if (!f.undo && !value)
        value = value_next(f.opt, w);
    if (!f.undo && needs_value(f.opt)) {
        if (!value)
            value = words_next(w);
        if (!value)
            return MISUSED(out, "option `%s' requires a value", name);
        const char *wanted = number_wanted(f.opt, value);
        if (wanted)
            return MISUSED(out, "option `%s' expects %s numerical value", name, wanted);
    }
    return apply(out, f.opt, f.undo, value);
}

/* The first word may name the command; perf's own options may come before it. */
static bool command_read(struct cli_opts *out, const char *word)
{
    const struct command *c = out->named ? NULL : command_find(word);
    if (!c)
        return false;
    out->command = c;
    out->named = true;
    return true;
}

/* "help evlist": as perf, and many others, have it. */
static enum cli_want help_read(struct cli_opts *out, struct words *w)
{
    const char *word = words_next(w);

    if (word && !command_read(out, word)) {
        hint_command(out, word);
        return WRONG(out, "`%s' is no command", word);
    }
    return CLI_HELP;
}

static enum cli_want word_read(struct cli_opts *out, struct words *w, const char *word,
                               bool behind)
{
    if (!behind && command_read(out, word))
        return CLI_RUN;
    if (!behind && !out->named && strcmp(word, "version") == 0)
        return CLI_VERSION;
    if (!behind && !out->named && strcmp(word, "help") == 0)
        return help_read(out, w);
    if (w->lone)
        problem_hint(&out->problem, "did you mean --%s=%s?", w->lone->name, word);
    if (!out->command->word)
        return WRONG(out, "`%s': %s takes no arguments", word, out->command->name);
    if (!out->command->word(out, word)) {
        if (!behind && !out->named && !*out->problem.hint && !command_is_missing(word))
            hint_command(out, word);
        return CLI_USAGE;
    }
    if (out->command->words_end) {
        out->rest = w->argv + w->at - 1;
        out->rest_count = w->argc - w->at + 1;
        w->at = w->argc;
    }
    return CLI_RUN;
}

static enum cli_want check(struct cli_opts *out)
{
    if (!raw_check(&out->raw, &out->problem))
        return CLI_USAGE;
    if (out->raw.opts.trace && out->input)
        return WRONG(out, "--pt and --input exclude each other");
    /* As in perf it counts more than the option, wherever that stands. */
    return out->word ? give_library(out, "symbol-filter", out->word) : CLI_RUN;
}

enum cli_want cli_parse(int argc, char **argv, struct cli_opts *out)
{
    struct words w = {argc, 1, argv, NULL};
    enum cli_want want = CLI_RUN;
    bool behind = false; /* "--", where all is words */

    out->command = command_at(0);
    out->argc = argc;
    out->argv = argv;
    while (want == CLI_RUN && w.at < argc) {
        const char *s = words_next(&w);
        if (s[0] == '-')
            w.lone = NULL;
        /* A lone "-" is a word. */
        if (behind || s[0] != '-' || !s[1])
            want = word_read(out, &w, s, behind);
        else if (strcmp(s, "--") == 0)
            behind = true;
        else if (starts(s, "--", 2))
            want = long_read(out, &w, s + 2);
        else
            want = letter_read(out, &w, s + 1);
    }
    return want == CLI_RUN ? check(out) : want;
}
