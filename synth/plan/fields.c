/* fields.c - which columns are printed for which class of events.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf keeps, besides the set itself, what was asked for by name: only a default may be
 * dropped silently.  In the form "class:list" it does not keep it, so there everything
 * may be.
 */
#include "synth/plan/fields.h"

#include "decoder/base/diag.h"

#include <stdio.h>
#include <string.h>

static const char *const words[FIELD_COUNT] = {
#define FIELD(word, name) word,
#include <ptscript/fields.def>
#undef FIELD
};

static const struct {
    const char *word;
    enum out_class class;
} class_words[] = {
    {"hw",    CLASS_HARDWARE  },
    {"sw",    CLASS_SOFTWARE  },
    {"trace", CLASS_TRACEPOINT},
    {"raw",   CLASS_RAW       },
    {"break", CLASS_BREAKPOINT},
    {"synth", CLASS_SYNTH     },
};

#define F_START (F_(COMM) | F_(TID) | F_(CPU) | F_(TIME) | F_(EVENT))
#define F_PLACE (F_(IP) | F_(SYM) | F_(SYMOFF) | F_(DSO))

/* perf's columns when nothing is asked for.  `invalid`: those that a class can never
 * have. */
void fields_init(struct fields *f)
{
    static const uint64_t basic = F_START | F_PLACE | F_(PERIOD);

    *f = (struct fields){0};
    for (size_t i = 0; i < CLASSES; i++) {
        f->of[i].on = basic;
        f->of[i].invalid = F_(TRACE) | F_(BPF_OUTPUT);
    }
    f->of[CLASS_SOFTWARE].on |= F_(BPF_OUTPUT);
    f->of[CLASS_SOFTWARE].invalid = F_(TRACE);
    f->of[CLASS_TRACEPOINT].on = F_START | F_(TRACE);
    f->of[CLASS_TRACEPOINT].invalid = 0;
    f->of[CLASS_RAW].on |= F_(ADDR) | F_(DATA_SRC) | F_(WEIGHT) | F_(PHYS_ADDR) |
                           F_(DATA_PAGE_SIZE) | F_(CODE_PAGE_SIZE) | F_(INS_LAT);
    f->of[CLASS_SYNTH].on = F_START | F_PLACE | F_(SYNTH);
}

static pts_status usage(struct pts_diag *why, const char *text)
{
    return diag_set(why, PTS_E_USAGE, UINT64_MAX, "%s", text);
}

static void warn(pts_message_fn *message, void *ctx, const char *before,
                 const char *middle, const char *after)
{
    char text[128];

    if (!message)
        return;
    snprintf(text, sizeof(text), "%s%s%s\n", before, middle, after);
    message(ctx, PTS_MSG_WARNING, text);
}

/* One -F option on its way through. */
struct parse {
    struct fields *f;
    int class; /* enum out_class, or -1 for all */
    enum { CHANGE_NONE, CHANGE_SET, CHANGE_ADD, CHANGE_REMOVE } change;
    pts_message_fn *message;
    void *ctx;
};

/* For all classes at once: where a field cannot be, it is passed over with a
 * warning. */
static void change_global(struct parse *p, size_t i)
{
    uint64_t bit = 1ull << i;

    for (size_t j = 0; j < CLASSES; j++) {
        struct field_class *c = &p->f->of[j];
        if (c->invalid & bit) {
            char middle[64];
            snprintf(middle, sizeof(middle), "%s' not valid for %s", words[i],
                     evl_class_name((enum out_class)j));
            warn(p->message, p->ctx, "'", middle, " events. Ignoring.");
            continue;
        }
        if (p->change == CHANGE_REMOVE) {
            c->on &= ~bit;
            c->asked &= ~bit;
            c->refused |= bit;
        } else {
            c->on |= bit;
            c->asked |= bit;
            c->refused &= ~bit;
        }
        c->user_set = c->wildcard = true;
    }
}

/* For one class, which was named: a field that it cannot have is an error. */
static pts_status change_typed(struct parse *p, size_t i, struct pts_diag *why)
{
    struct field_class *c = &p->f->of[p->class];
    uint64_t bit = 1ull << i;

    if (c->invalid & bit)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "'%s' not valid for %s events.",
                        words[i], evl_class_name((enum out_class)p->class));
    c->on = p->change == CHANGE_REMOVE ? c->on & ~bit : c->on | bit;
    c->user_set = c->wildcard = true;
    return PTS_OK;
}

static size_t field_find(const char *word, size_t n)
{
    size_t i = 0;

    while (i < FIELD_COUNT && (strlen(words[i]) != n || memcmp(words[i], word, n) != 0))
        i++;
    return i;
}

static pts_status parse_word(struct parse *p, const char *word, size_t n,
                             struct pts_diag *why)
{
    /* "-F a,b" sets, "-F +a,-b" changes: in one option only one of the two, as perf has
     * it. */
    bool sign = *word == '+' || *word == '-';

    if (sign ? p->change == CHANGE_SET
             : p->change != CHANGE_SET && p->change != CHANGE_NONE)
        return usage(why, "Cannot mix +-field with overridden fields");
    p->change = !sign ? CHANGE_SET : *word == '+' ? CHANGE_ADD : CHANGE_REMOVE;
    word += sign;
    n -= sign;
    size_t i = field_find(word, n);
    /* Not a column of a class in perf 6.1, but a switch for all lines. */
    if (i == FIELD_COUNT && n == 5 && memcmp(word, "flags", 5) == 0) {
        p->f->flags = p->change != CHANGE_REMOVE;
        return PTS_OK;
    }
    if (i == FIELD_COUNT)
        return usage(why, "Invalid field requested.");
    if (p->class >= 0)
        return change_typed(p, i, why);
    change_global(p, i);
    return PTS_OK;
}

static bool any_user_set(const struct fields *f)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (f->of[i].user_set)
            return true;
    return false;
}

/* The class named before the colon; perf overrides its set unless there are signs. */
static pts_status parse_class(struct parse *p, const char *word, size_t n,
                              const char *rest, struct pts_diag *why)
{
    for (size_t i = 0; i < sizeof(class_words) / sizeof(class_words[0]); i++)
        if (strlen(class_words[i].word) == n &&
            memcmp(class_words[i].word, word, n) == 0)
            p->class = (int)class_words[i].class;
    if (p->class < 0)
        return usage(why, "Invalid event type in field string.");
    struct field_class *c = &p->f->of[p->class];
    if (c->user_set)
        warn(p->message, p->ctx, "Overriding previous field request for ",
             evl_class_name((enum out_class)p->class), " events.");
    if (strpbrk(rest, "+-"))
        return PTS_OK;
    c->on = 0;
    c->user_set = true;
    c->wildcard = false;
    return PTS_OK;
}

static pts_status parse_all(struct parse *p, const char *str, struct pts_diag *why)
{
    if (!*str)
        return usage(why, "Cannot set fields to 'none' for all event types.");
    /* Signs change the defaults; without one the list begins empty. */
    if (strpbrk(str, "+-"))
        return PTS_OK;
    if (any_user_set(p->f))
        warn(p->message, p->ctx, "Overriding previous field request for all events.",
             "", "");
    for (size_t i = 0; i < CLASSES; i++) {
        p->f->of[i].on = 0;
        p->f->of[i].user_set = p->f->of[i].wildcard = true;
    }
    return PTS_OK;
}

pts_status fields_parse(struct fields *f, const char *str, pts_message_fn *message,
                        void *ctx, struct pts_diag *why)
{
    struct parse p = {.f = f, .class = -1, .message = message, .ctx = ctx};
    const char *colon = strchr(str, ':');
    const char *at = colon ? colon + 1 : str;
    pts_status st = colon ? parse_class(&p, str, (size_t)(colon - str), at, why)
                          : parse_all(&p, str, why);

    while (st == PTS_OK && *at) {
        size_t n = strcspn(at, ",");
        if (n)
            st = parse_word(&p, at, n, why);
        at += n + (at[n] == ',');
    }
    return st;
}

/* Fields that a trace may fill though the recorded event's samples do not hold them. */
static const uint64_t aux_may_fill =
    F_(ADDR) | F_(DATA_SRC) | F_(WEIGHT) | F_(CPU) | F_(IREGS) | F_(PHYS_ADDR);

static const struct {
    uint64_t field;
    uint64_t off; /* what is dropped with it */
    const char *word, *said;
    uint64_t needs;
} checks[] = {
    {F_(IP),             F_(IP),             "ip",             "IP",             PTS_SAMPLE_IP           },
    {F_(ADDR),           F_(ADDR),           "addr",           "ADDR",           PTS_SAMPLE_ADDR         },
    {F_(DATA_SRC),       F_(DATA_SRC),       "data_src",       "DATA_SRC",       PTS_SAMPLE_DATA_SRC     },
    {F_(WEIGHT),         F_(WEIGHT),         "weight",         "WEIGHT",
     PTS_SAMPLE_WEIGHT | PTS_SAMPLE_WEIGHT_STRUCT                                                        },
    {0,                  0,                  NULL,             NULL,             0                       }, /* here come the checks between fields */
    {F_(PID) | F_(TID),  F_(PID) | F_(TID),  "",               "TID",            PTS_SAMPLE_TID          },
    {F_(TIME),           F_(TIME),           "time",           "TIME",           PTS_SAMPLE_TIME         },
    {F_(CPU),            F_(CPU),            "cpu",            "CPU",            PTS_SAMPLE_CPU          },
    {F_(IREGS),          F_(IREGS),          "iregs",          "IREGS",          PTS_SAMPLE_REGS_INTR    },
    {F_(UREGS),          F_(UREGS),          "uregs",          "UREGS",          PTS_SAMPLE_REGS_USER    },
    {F_(PHYS_ADDR),      F_(PHYS_ADDR),      "phys_addr",      "PHYS_ADDR",      PTS_SAMPLE_PHYS_ADDR    },
    {F_(DATA_PAGE_SIZE), F_(DATA_PAGE_SIZE), "data_page_size", "DATA_PAGE_SIZE",
     PTS_SAMPLE_DATA_PAGE_SIZE                                                                           },
    {F_(CODE_PAGE_SIZE), F_(CODE_PAGE_SIZE), "code_page_size", "CODE_PAGE_SIZE",
     PTS_SAMPLE_CODE_PAGE_SIZE                                                                           },
    {F_(INS_LAT),        F_(INS_LAT),        "ins_lat",        "WEIGHT_STRUCT",  PTS_SAMPLE_WEIGHT_STRUCT},
};

/* Whether some event of the file recorded branches of all kinds. */
static bool any_branch_stacks(const struct evlist *l)
{
    for (size_t i = 0; i < l->ev.len; i++)
        if (l->ev.at[i].attr.branch_sample_type & PTS_BRANCH_ANY)
            return true;
    return false;
}

/* Fields that are of no use without another one. */
static pts_status check_between(const struct field_class *c, const struct evlist *l,
                                const struct evl_event *e, const struct fields_check *k,
                                struct pts_diag *why)
{
    bool address = e->attr.sample_type & (PTS_SAMPLE_IP | PTS_SAMPLE_ADDR);

    if (c->on & F_(SYM) && !address)
        return diag_set(
            why, PTS_E_FORMAT, UINT64_MAX,
            "Display of symbols requested but neither sample IP nor sample "
            "address\navailable. Hence, no addresses to convert to symbols.");
    if (c->on & F_(SYMOFF) && !(c->on & F_(SYM)))
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "Display of offsets requested but symbol is notselected.");
    if (c->on & F_(DSO) && !address)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "Display of DSO requested but no address to convert.");
    if (c->on & (F_(SRCLINE) | F_(SRCCODE)) && !(c->on & F_(IP)))
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "Display of source line number requested but sample IP is "
                        "not\nselected. Hence, no address to lookup the source line "
                        "number.");
    if (c->on & F_BRSTACKINSNS && !k->has_auxtrace && !any_branch_stacks(l))
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "Display of branch stack assembler requested, but non "
                        "all-branch filter set\nHint: run 'perf record -b ...'");
    return PTS_OK;
}

/* A column needs what its event has recorded.  One that is on by default goes off
 * silently; one that was asked for ends the run, unless the trace may fill it. */
/* perf opens no file with tracepoints that it does not describe, as that of a recorder that
 * was killed. */
static pts_status without_formats(const struct evlist *l, struct pts_diag *why)
{
    if (evl_first_of(l, CLASS_TRACEPOINT) == EVL_NONE)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "No trace sample to read. Did you call 'perf record -R'?");
    return diag_set(
        why, PTS_E_FORMAT, UINT64_MAX,
        "incompatible file format (rerun with -v to learn more)\n"
        "ptscript: formats of its tracepoints are missing; -F -trace prints "
        "what else there is");
}

static pts_status check_event(struct fields *f, const struct evlist *l,
                              const struct evl_event *e, const struct fields_check *k,
                              struct pts_diag *why)
{
    struct field_class *c = &f->of[e->class];

    /* A dummy event has no samples of its own, and the counters of perf stat have none,
     * either. */
    if (evl_is_dummy(e) || k->has_stat)
        return PTS_OK;
    if (c->on & F_(TRACE) && !k->has_tracing)
        return without_formats(l, why);
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        uint64_t field = checks[i].field;
        if (!field) {
            pts_status st = check_between(c, l, e, k, why);
            if (st < 0)
                return st;
            continue;
        }
        if (!(c->on & field) || e->attr.sample_type & checks[i].needs)
            continue;
        if (!(c->asked & field))
            c->on &= ~checks[i].off;
        else if (!(k->has_auxtrace && field & aux_may_fill))
            return diag_set(
                why, PTS_E_FORMAT, UINT64_MAX,
                "Samples for '%s' event do not have %s attribute set. Cannot "
                "print '%s' field.",
                e->name, checks[i].said, checks[i].word);
    }
    return PTS_OK;
}

/* Tracepoints are printed without addresses, unless one of them has callers to tell. */
static void show_chains_of_tracepoints(struct fields *f, const struct evlist *l)
{
    struct field_class *c = &f->of[CLASS_TRACEPOINT];

    for (size_t i = 0; !c->user_set && i < l->ev.len; i++)
        if (l->ev.at[i].class == CLASS_TRACEPOINT && l->ev.at[i].has_chain)
            c->on |= F_(IP) | F_(SYM) | F_(SYMOFF) | F_(DSO);
}

/* As evl_first_of, of events that have samples: number `first` or behind it. */
static uint32_t first_with_samples(const struct evlist *l, uint32_t first)
{
    const struct evl_event *e = l->ev.at;

    for (size_t i = first; i < l->ev.len; i++)
        if (e[i].class == e[first].class && !evl_is_dummy(&e[i]))
            return (uint32_t)i;
    return EVL_NONE;
}

/* perf looks at the first event of each class only, and at no dummy. */
pts_status fields_check_all(struct fields *f, const struct evlist *l,
                            const struct fields_check *k, struct pts_diag *why)
{
    bool tod = false;

    for (size_t j = 0; j < CLASSES; j++) {
        struct field_class *c = &f->of[j];
        uint32_t first = evl_first_of(l, (enum out_class)j);
        if (first == EVL_NONE) {
            /* "sw:ip" names a class; made events may still come, when the trace is
             * looked at. */
            if (c->user_set && !c->wildcard && j != CLASS_SYNTH)
                return diag_set(
                    why, PTS_E_FORMAT, UINT64_MAX,
                    "%s events do not exist. Remove corresponding -F option "
                    "to proceed.",
                    evl_class_name((enum out_class)j));
            continue;
        }
        first = first_with_samples(l, first);
        if (first == EVL_NONE)
            continue;
        pts_status st = c->on ? check_event(f, l, &l->ev.at[first], k, why) : PTS_OK;
        if (st < 0)
            return st;
        tod |= (c->on & F_(TOD)) != 0;
    }
    if (tod && !k->has_clock)
        return diag_set(
            why, PTS_E_FORMAT, UINT64_MAX,
            "Can't provide 'tod' time, missing clock data. Please record with "
            "-k/--clockid option.");
    if (k->chains)
        show_chains_of_tracepoints(f, l);
    return PTS_OK;
}

/* Chains need an address and a name, even when they were not asked for. */
static void turn_on_for_chains(struct fields *f, const struct evlist *l, uint32_t i,
                               const struct fields_check *k)
{
    static const uint64_t unwound = PTS_SAMPLE_REGS_USER | PTS_SAMPLE_STACK_USER;
    struct field_class *c = &f->of[l->ev.at[i].class];
    uint64_t types = 0;

    for (uint32_t j = 0; j <= i; j++)
        /* What all events up to this one have recorded, together: perf or-s them as
         * they come. */
        types |= l->ev.at[j].attr.sample_type;
    if (k->chains && (types & (PTS_SAMPLE_CALLCHAIN | PTS_SAMPLE_BRANCH_STACK) ||
                      (types & unwound) == unwound))
        c->on |= (F_(IP) | F_(SYM)) & ~c->refused;
}

/* The same for an event that comes later; it counts only if it is the first of its
 * type. */
pts_status fields_check_made(struct fields *f, const struct evlist *l, uint32_t i,
                             const struct fields_check *k, struct pts_diag *why)
{
    const struct evl_event *e = &l->ev.at[i];

    if (e->class == CLASS_OTHER || !e->attr.sample_type)
        return PTS_OK;
    for (uint32_t j = 0; j < i; j++)
        if (l->ev.at[j].attr.type == e->attr.type)
            return PTS_OK;
    pts_status st = check_event(f, l, e, k, why);
    if (st == PTS_OK)
        turn_on_for_chains(f, l, i, k);
    if (st != PTS_E_FORMAT)
        return st;
    why->status =
        PTS_E_RANGE; /* its own exit status in perf, unlike fields_check_all */
    return PTS_E_RANGE;
}

const char *fields_unsupported(const struct fields *f, const struct evlist *l,
                               const struct fields_check *c)
{
    /* Metrics come from groups; without one perf has none to print. */
    const uint64_t not_yet = c->has_groups ? F_(METRIC) : 0;
    uint64_t used = 0;

    for (size_t i = 0; i < l->ev.len; i++) {
        const struct evl_event *e = &l->ev.at[i];
        if (evl_is_dummy(e))
            continue;
        used |= f->of[e->class].on & not_yet;
    }
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (used & 1ull << i)
            return words[i];
    return NULL;
}
