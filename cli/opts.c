/* opts.c - reads a command line the way perf script does.
 *
 * SPDX-License-Identifier: MIT
 *
 * One table (opts.def) says what exists.  perf's habits that scripts rely on: letters
 * may be joined (-vD) and carry their argument (-Fip); a long name may be shortened as
 * long as it stays unambiguous; --no-NAME undoes what can be undone; an optional
 * argument is only taken from --name=x; the first word that is no option ends the
 * options. */
#include "opts.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum arg { NONE, NUMBER, TEXT, MAYBE };
enum who { LIB, INPUT, RAW, SYMFS, BUILDID, FORCE, THREADS, HELP, VERSION };

struct opt {
    char letter;
    const char *name; /* points behind the "no-" of no_name */
    const char *no_name;
    enum arg arg;
    enum who who;
    const char *arg_name, *help;
};

#define OPT(letter, long, arg, who, arg_name, help)                                    \
    {letter, &("no-" long)[3], "no-" long, arg, who, arg_name, help},
static const struct opt script_table[] = {
#include "opts.def"
};
static const struct opt evlist_table[] = {
#include "evlist.def"
};
#undef OPT

/* The commands, by enum cli_command. */
static const struct command {
    const char *name;
    const struct opt *table, *end;
    const char *help;
} commands[] = {
    [CLI_SCRIPT] =
        {"script", script_table,
                      script_table + sizeof(script_table) / sizeof(script_table[0]),
                      "Usage: ptscript [script] [OPTION]...\n"
         "Prints the events of a perf.data file, decoding its Intel PT trace,\n"
         "with perf script's options and in perf script's format.\n\n"             },
    [CLI_EVLIST] = {"evlist", evlist_table,
                      evlist_table + sizeof(evlist_table) / sizeof(evlist_table[0]),
                      "Usage: ptscript evlist [OPTION]...\n"
                    "Lists the events that a perf.data file was recorded with.\n\n"},
};

/* A place on the command line, and whose options are there. */
struct words {
    int argc, at;
    char **argv;
    const struct command *cmd;
    bool named; /* by a word */
};

static const char *words_next(struct words *w)
{
    return w->at < w->argc ? w->argv[w->at++] : NULL;
}

__attribute__((format(printf, 2, 3))) static enum cli_want wrong(struct cli_opts *out,
                                                                 const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out->problem, sizeof(out->problem), fmt, ap);
    va_end(ap);
    return CLI_USAGE;
}

static int is_number(const char *text)
{
    const char *p = text + (*text == '-' || *text == '+');
    if (!*p)
        return 0;
    while (*p >= '0' && *p <= '9')
        p++;
    return *p == '\0';
}

static enum cli_want give_library(struct cli_opts *out, const char *name,
                                  const char *value)
{
    if (out->count == CLI_OPTIONS_MAX)
        return wrong(out, "too many options");
    out->list[out->count++] = (struct pts_option){name, value};
    return CLI_RUN;
}

static enum cli_want give_raw(struct cli_opts *out, const char *name, int undo,
                              const char *value)
{
    if (undo)
        return wrong(out, "option `%s' cannot be undone", name);
    if (strcmp(name, "pevent:sysroot") == 0)
        out->symfs = value;
    return raw_take(&out->raw, name, value, out->problem, sizeof(out->problem))
               ? CLI_RUN
               : CLI_USAGE;
}

static enum cli_want apply(struct cli_opts *out, const struct opt *o, int undo,
                           const char *value)
{
    switch (o->who) {
    case LIB:
        if (value && strcmp(o->name, "cpu") == 0 && raw_is_model(value))
            return give_raw(out, o->name, undo, value);
        return give_library(out, undo ? o->no_name : o->name, value);
    case INPUT:
        out->input = value;
        return CLI_RUN;
    case RAW:
        return give_raw(out, o->name, undo, value);
    case SYMFS:
        out->symfs = value;
        return CLI_RUN;
    case BUILDID:
        out->buildid_dir = value;
        return CLI_RUN;
    case FORCE:
        out->force = !undo;
        return CLI_RUN;
    case THREADS:
        return wrong(out, "option `threads' is not supported yet");
    case HELP:
        return CLI_HELP;
    case VERSION:
        return CLI_VERSION;
    }
    return CLI_RUN;
}

static enum cli_want letter_read(struct cli_opts *out, struct words *w, const char *s)
{
    for (; *s; s++) {
        const struct opt *o = w->cmd->table;
        while (o < w->cmd->end && o->letter != *s)
            o++;
        if (o == w->cmd->end)
            return wrong(out, "unknown switch `%c'", *s);

        const char *value = NULL;
        if (o->arg == TEXT || o->arg == NUMBER) {
            value = s[1] ? s + 1 : words_next(w);
            if (!value)
                return wrong(out, "switch `%c' requires a value", *s);
            if (o->arg == NUMBER && !is_number(value))
                return wrong(out, "switch `%c' expects a numerical value", *s);
        }
        enum cli_want want = apply(out, o, 0, value);
        if (want != CLI_RUN || value)
            return want;
    }
    return CLI_RUN;
}

struct found {
    const struct opt *opt;
    int undo;
};

static int starts(const char *text, const char *with, size_t n)
{
    return strncmp(text, with, n) == 0;
}

/* How the n letters at s name o: 2 in full, 1 shortened, 0 not at all. */
static int name_match(const struct opt *o, const char *s, size_t n, int *undo)
{
    *undo = 0;
    if (starts(o->name, s, n))
        return o->name[n] ? 1 : 2;
    *undo = 1;
    if (!starts(o->no_name, s, n))
        return 0;
    return o->no_name[n] ? 1 : 2;
}

/* Every option is looked at before a shortened name is accepted, a full name at once.
 */
static enum cli_want name_find(struct cli_opts *out, const struct command *cmd,
                               const char *s, size_t n, struct found *to)
{
    struct found near[2] = {
        {NULL, 0},
        {NULL, 0}
    };
    for (const struct opt *o = cmd->table; o < cmd->end; o++) {
        int undo, match = name_match(o, s, n, &undo);
        if (match == 2) {
            *to = (struct found){o, undo};
            return CLI_RUN;
        }
        if (match == 1 && o->who != RAW) {
            near[0] = near[1];
            near[1] = (struct found){o, undo};
        }
    }
    if (!near[1].opt)
        return wrong(out, "unknown option `%s'", s);
    if (near[0].opt)
        return wrong(out, "Ambiguous option: %.*s (could be --%s or --%s)", (int)n, s,
                     near[0].undo ? near[0].opt->no_name : near[0].opt->name,
                     near[1].undo ? near[1].opt->no_name : near[1].opt->name);
    *to = near[1];
    return CLI_RUN;
}

static enum cli_want long_read(struct cli_opts *out, struct words *w, const char *s)
{
    struct found f = {w->cmd->table, 0};
    size_t n = strcspn(s, "=");
    const char *value = s[n] ? s + n + 1 : NULL;
    enum cli_want want = name_find(out, w->cmd, s, n, &f);
    if (want != CLI_RUN)
        return want;
    const char *name = f.undo ? f.opt->no_name : f.opt->name;

    if (value && (f.undo || f.opt->arg == NONE))
        return wrong(out, "option `%s' takes no value", name);
    if (!f.undo && (f.opt->arg == TEXT || f.opt->arg == NUMBER)) {
        if (!value)
            value = words_next(w);
        if (!value)
            return wrong(out, "option `%s' requires a value", name);
        if (f.opt->arg == NUMBER && !is_number(value))
            return wrong(out, "option `%s' expects a numerical value", name);
    }
    return apply(out, f.opt, f.undo, value);
}

/* perf has more commands than this program; say so rather than look for a script. */
static enum cli_want word_refuse(struct cli_opts *out, const char *word)
{
    static const char *const missing[] = {
        "annotate", "archive", "buildid-cache", "buildid-list", "c2c",
        "data",     "diff",    "inject",        "kvm",          "record",
        "report",   "stat",    "timechart"};
    if (out->command != CLI_SCRIPT)
        return wrong(out, "`%s': %s takes no arguments", word,
                     commands[out->command].name);
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
        if (strcmp(word, missing[i]) == 0)
            return wrong(out, "`%s' is not supported, only script and evlist are",
                         word);
    return wrong(out, "`%s': scripts are not supported", word);
}

/* The first word may name the command; perf's own options may come before it. */
static bool command_read(struct cli_opts *out, struct words *w, const char *word)
{
    for (size_t i = 0; !w->named && i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(word, commands[i].name) != 0)
            continue;
        out->command = (enum cli_command)i;
        w->cmd = &commands[i];
        w->named = true;
        return true;
    }
    return false;
}

static enum cli_want check(struct cli_opts *out)
{
    if (!raw_check(&out->raw, out->problem, sizeof(out->problem)))
        return CLI_USAGE;
    if (out->raw.opts.trace && out->input)
        return wrong(out, "--pt and --input exclude each other");
    return CLI_RUN;
}

enum cli_want cli_parse(int argc, char **argv, struct cli_opts *out)
{
    struct words w = {argc, 1, argv, &commands[CLI_SCRIPT], false};
    enum cli_want want = CLI_RUN;

    memset(out, 0, sizeof(*out));
    while (want == CLI_RUN && w.at < argc) {
        const char *s = words_next(&w);
        if (strcmp(s, "--") == 0)
            want = w.at < argc ? word_refuse(out, argv[w.at]) : CLI_RUN;
        else if (starts(s, "--", 2))
            want = long_read(out, &w, s + 2);
        else if (s[0] == '-' && s[1])
            want = letter_read(out, &w, s + 1);
        else if (!command_read(out, &w, s))
            want = word_refuse(out, s);
    }
    if (want == CLI_RUN)
        want = check(out);
    out->want = want;
    return want;
}

static void help_line(FILE *to, const struct opt *o)
{
    char left[64], letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    snprintf(left, sizeof(left), "  %s--%s%s%s%s", letter, o->name,
             o->arg == MAYBE && *o->arg_name ? "[="
             : *o->arg_name                  ? " "
                                             : "",
             o->arg_name, o->arg == MAYBE && *o->arg_name ? "]" : "");
    fprintf(to, "%-36s %s\n", left, o->help);
}

void cli_help(FILE *to, enum cli_command command)
{
    fputs(commands[command].help, to);
    for (const struct opt *o = commands[command].table; o < commands[command].end; o++)
        help_line(to, o);
    if (command == CLI_SCRIPT)
        fputs("\nOther commands: ptscript evlist (see ptscript evlist --help).\n", to);
    fputs("\nAn option this version cannot honour is refused, never ignored.\n", to);
}
