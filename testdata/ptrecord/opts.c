/* opts.c - the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/opts.h"

#include "testdata/ptrecord/msg.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum opt_kind { FLAG, NUM32, NUM64, TEXT, EVENT, MODE, VERSION, HELP };

struct opt {
    const char *name, *arg, *help;
    uint64_t low, high;
    size_t where; /* in struct opts */
    uint8_t kind;
    char letter;
};

static const struct opt opts[] = {
#define OPT(name, letter, arg, member, kind, low, high, help)                          \
    {name, arg, help, low, high, offsetof(struct opts, member), kind, letter},
#include "testdata/ptrecord/opts.def"
#undef OPT
};

/* The terms of the event, as the kernel names them in /sys. */
static const struct term {
    const char *name;
    size_t where; /* in struct rec_conf */
    uint32_t high;
} terms[] = {
    {"tsc",        offsetof(struct rec_conf, tsc),        1 },
    {"mtc",        offsetof(struct rec_conf, mtc),        1 },
    {"mtc_period", offsetof(struct rec_conf, mtc_period), 15},
    {"cyc",        offsetof(struct rec_conf, cyc),        1 },
    {"cyc_thresh", offsetof(struct rec_conf, cyc_thresh), 15},
    {"psb_period", offsetof(struct rec_conf, psb_period), 15},
    {"noretcomp",  offsetof(struct rec_conf, noretcomp),  1 },
    {"branch",     offsetof(struct rec_conf, branch),     1 },
    {"ptw",        offsetof(struct rec_conf, ptw),        1 },
    {"fup_on_ptw", offsetof(struct rec_conf, fup_on_ptw), 1 },
    {"pwr_evt",    offsetof(struct rec_conf, pwr_evt),    1 },
    {"event",      offsetof(struct rec_conf, event),      1 },
};

enum { OPTS = sizeof opts / sizeof *opts, TERMS = sizeof terms / sizeof *terms };

static noreturn void help_print(void)
{
    puts("Usage: ptrecord [options] -o FILE -- program [arguments]\n\n"
         "Records a program as perf record -e intel_pt//u would on Intel PT hardware,\n"
         "without the hardware.\n");
    for (const struct opt *o = opts; o < opts + OPTS; o++) {
        char name[48];
        snprintf(name, sizeof name, "--%s%s%s", o->name, o->arg ? " " : "",
                 o->arg ? o->arg : "");
        printf("  %c%c%s %-20s %s\n", o->letter ? '-' : ' ',
               o->letter ? o->letter : ' ', o->letter ? "," : " ", name, o->help);
    }
    fputs("\nTerms of an event:", stdout);
    for (const struct term *t = terms; t < terms + TERMS; t++)
        printf(" %s%s", t->name, t->high > 1 ? "=N" : "");
    puts("");
    exit(0);
}

/* TEXT of LEN bytes as a number; WHAT is for the message. */
static uint64_t number_read(const char *what, const char *text, uint64_t low,
                            uint64_t high)
{
    char *end;
    errno = 0;
    uint64_t v = strtoull(text, &end, 0);
    if (errno || *text == '-' || end == text || *end || v < low || v > high)
        msg_die("%s: %s is not a number from %llu to %llu", what, text,
                (unsigned long long)low, (unsigned long long)high);
    return v;
}

/* NAME or NAME=NUMBER. */
static void term_read(struct rec_conf *conf, char *text)
{
    char *value = strchr(text, '=');
    if (value)
        *value++ = 0;
    for (const struct term *t = terms; t < terms + TERMS; t++) {
        if (strcmp(t->name, text) != 0)
            continue;
        uint64_t v = value ? number_read(text, value, 0, t->high) : 1;
        void *to = (char *)conf + t->where;
        if (t->high > 1)
            *(uint32_t *)to = (uint32_t)v;
        else
            *(bool *)to = v;
        return;
    }
    msg_die("intel_pt has no term %s", text);
}

static void event_read(struct rec_conf *conf, const char *text)
{
    static const char lead[] = "intel_pt/";
    char list[256], *rest = list;
    const char *slash = strrchr(text, '/');
    if (strncmp(text, lead, sizeof lead - 1) != 0 || slash < text + sizeof lead - 1)
        msg_die("%s: only intel_pt/.../u can be recorded", text);
    if (slash[1] && strcmp(slash + 1, "u") != 0)
        msg_die("%s: only user space can be recorded", text);
    text += sizeof lead - 1;
    if ((size_t)(slash - text) >= sizeof list)
        msg_die("%s: too long", text);
    snprintf(list, sizeof list, "%.*s", (int)(slash - text), text);
    for (char *term; (term = strsep(&rest, ","));)
        if (*term)
            term_read(conf, term);
}

static void opt_apply(struct opts *o, const struct opt *opt, char *arg)
{
    void *to = (char *)o + opt->where;
    switch ((enum opt_kind)opt->kind) {
    case FLAG:
        *(bool *)to = true;
        break;
    case NUM32:
        *(uint32_t *)to = (uint32_t)number_read(opt->name, arg, opt->low, opt->high);
        break;
    case NUM64:
        *(uint64_t *)to = number_read(opt->name, arg, opt->low, opt->high);
        break;
    case TEXT:
        *(const char **)to = arg;
        break;
    case EVENT:
        event_read(to, arg);
        break;
    case MODE:
        *(enum rec_mode *)to = REC_PER_THREAD;
        break;
    case VERSION:
        puts("ptrecord " PTS_VERSION);
        exit(fflush(stdout) != 0);
    case HELP:
        help_print();
    }
}

/* The options in the form that getopt wants. */
static void getopt_tables(struct option list[OPTS + 1], char letters[2 * OPTS + 2])
{
    *letters++ = '+'; /* the program's options are its own */
    for (int i = 0; i < OPTS; i++) {
        list[i] = (struct option){opts[i].name, opts[i].arg != NULL, NULL, 256 + i};
        if (!opts[i].letter)
            continue;
        *letters++ = opts[i].letter;
        if (opts[i].arg)
            *letters++ = ':';
    }
    *letters = 0;
    list[OPTS] = (struct option){0};
}

static const struct opt *opt_find(int code)
{
    if (code >= 256)
        return &opts[code - 256];
    for (const struct opt *o = opts; o < opts + OPTS; o++)
        if (o->letter == code)
            return o;
    return NULL;
}

/* Options that say nothing, or what no kernel does, together. */
static void together_check(const struct rec_conf *c)
{
    bool pieces = c->snapshot || c->aux_sample,
         switches = c->mode == REC_PER_CPU && c->tsc;
    const struct {
        bool wrong;
        const char *why;
    } rules[] = {
        {c->snapshot && c->aux_sample,
         "--snapshot and --aux-sample exclude each other"                                         },
        {c->pebs && c->aux_sample,                 "--pebs and --aux-sample exclude each other"   },
        {c->aux_bytes && !pieces,                  "--aux-bytes needs --snapshot or --aux-sample" },
        {c->faults.truncate && pieces,             "--truncate: what is overwritten is never full"},
        {c->untimed && c->mode != REC_PER_THREAD,  "--no-timestamps needs --per-thread"           },
        {c->own_switches && !switches,
         "--own-switches needs a buffer per CPU, and tsc"                                         },
        {c->faults.lost && !switches,              "--lost needs a buffer per CPU, and tsc"       },
        {(c->pebs_xmm || c->pebs_lbr) && !c->pebs,
         "--pebs-xmm and --pebs-lbr need --pebs"                                                  },
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            msg_die("%s", rules[i].why);
}

void opts_read(struct opts *o, int argc, char **argv)
{
    struct option list[OPTS + 1];
    char letters[2 * OPTS + 2];
    int code;
    *o = (struct opts){.slice = 20000, .interrupts = 100000};
    o->rec = (struct rec_conf){.cpus = 4,
                               .seed = 1,
                               .repeat = 1,
                               .tsc = true,
                               .mtc = true,
                               .mtc_period = 3,
                               .psb_period = REC_PSB_DEFAULT,
                               .branch = true};
    getopt_tables(list, letters);
    while ((code = getopt_long(argc, argv, letters, list, NULL)) != -1) {
        const struct opt *opt = opt_find(code);
        if (!opt)
            exit(129); /* getopt has said why */
        opt_apply(o, opt, optarg);
    }
    o->argc = argc - optind;
    o->argv = argv + optind;
    if (!o->argc)
        msg_die("no program to run (try --help)");
    together_check(&o->rec);
    if (!o->rec.output)
        o->rec.output = "perf.data";
}
