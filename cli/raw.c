/* raw.c - options for a bare trace: --pt, --image, and what describes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Names and meanings are those of libipt's ptxed where it has them, so that the output
 * of its scripts can be pasted.  That decides three things: no option may be shortened;
 * --cpu means a processor when it has a slash, else perf's list of CPUs; and files of
 * side-band may come in any order, but --pevent:primary is always the first.
 *
 * A row of raw.def says which member of struct pts_raw_opts an option fills.  Whether
 * they fit together is looked at once all are there.
 */
#include "raw.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct raw_option;
typedef bool take_fn(struct cli_raw *r, const struct raw_option *o, const char *value,
                     struct problem *p);

struct raw_option {
    const char *name;
    take_fn *take;
    size_t at, bytes; /* the member */
    uint64_t max;
};

static void *member_of(struct cli_raw *r, const struct raw_option *o)
{
    return (char *)&r->opts + o->at;
}

/* Decimal, or hexadecimal with 0x, and nothing behind it. */
static bool number_read(const char *s, uint64_t *out)
{
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
    s += hex ? 2 : 0;
    if (!*s || s[strspn(s, digits)])
        return false;
    errno = 0;
    unsigned long long v = strtoull(s, NULL, hex ? 16 : 10);
    if (errno)
        return false;
    *out = v;
    return true;
}

static bool number_take(struct cli_raw *r, const struct raw_option *o,
                        const char *value, struct problem *p)
{
    uint64_t v;
    if (!number_read(value, &v) || v > o->max)
        return problem_say(p, "option `%s' expects a number from 0 to %llu", o->name,
                           (unsigned long long)o->max);
    uint32_t low = (uint32_t)v;
    memcpy(member_of(r, o), o->bytes == 4 ? (const void *)&low : (const void *)&v,
           o->bytes);
    return true;
}

/* FILE:ADDR, or FILE alone. */
static bool image_take(struct cli_raw *r, const struct raw_option *o, const char *value,
                       struct problem *p)
{
    /* The last colon, and only if a number follows: names may have some themselves. */
    const char *colon = strrchr(value, ':');
    struct pts_raw_image im = {value, 0, 0};
    im.placed = colon && number_read(colon + 1, &im.addr);
    size_t len = im.placed ? (size_t)(colon - value) : strlen(value);
    if (!len)
        return problem_say(p, "option `%s' expects a file", o->name);
    if (r->images == RAW_IMAGES_MAX || len >= RAW_NAMES_MAX - r->names_len)
        return problem_say(p, "too many images");
    char *name = r->names + r->names_len;
    snprintf(name, len + 1, "%.*s", (int)len, value);
    r->names_len += len + 1;
    im.path = name;
    r->image[r->images++] = im;
    return true;
}

bool raw_is_model(const char *cpu)
{
    return strchr(cpu, '/') != NULL;
}

/* FAMILY/MODEL or FAMILY/MODEL/STEPPING. */
static bool model_take(struct cli_raw *r, const char *value, struct problem *p)
{
    static const uint64_t max[3] = {0xffff, 0xff, 0xff};
    uint64_t part[3] = {0, 0, 0};
    const char *at = value;
    size_t count = 0;
    bool good = true;
    while (good && at && count < 3) {
        char text[24];
        size_t len = strcspn(at, "/");
        good = len < sizeof(text);
        snprintf(text, sizeof(text), "%.*s", (int)len, at);
        good = good && number_read(text, &part[count]) && part[count] <= max[count];
        at = at[len] ? at + len + 1 : NULL;
        count++;
    }
    if (!good || at || count < 2 || !part[0])
        return problem_say(
            p, "option `cpu' expects FAMILY/MODEL/STEPPING, or a list of CPUs");
    r->opts.cpu_family = (uint32_t)part[0];
    r->opts.cpu_model = (uint32_t)part[1];
    r->opts.cpu_stepping = (uint32_t)part[2];
    return true;
}

static bool file_take(const char **to, const char *name, const char *value,
                      struct problem *p)
{
    if (*to)
        return problem_say(p, "option `%s': one file is enough", name);
    if (!*value)
        return problem_say(p, "option `%s' expects a file", name);
    *to = value;
    return true;
}

static bool path_take(struct cli_raw *r, const struct raw_option *o, const char *value,
                      struct problem *p)
{
    return file_take(member_of(r, o), o->name, value, p);
}

/* One more side-band file. */
static bool secondary_take(struct cli_raw *r, const struct raw_option *o,
                           const char *value, struct problem *p)
{
    if (r->others == RAW_SIDEBAND_MAX)
        return problem_say(p, "too many side-band files");
    return file_take(&r->sideband[++r->others], o->name, value, p);
}

static bool primary_take(struct cli_raw *r, const struct raw_option *o,
                         const char *value, struct problem *p)
{
    if (r->sideband[0])
        return secondary_take(r, o, value, p);
    return file_take(&r->sideband[0], o->name, value, p);
}

static bool set_take(struct cli_raw *r, const struct raw_option *o, const char *value,
                     struct problem *p)
{
    (void)value, (void)p;
    *(int *)member_of(r, o) = 1;
    return true;
}

/* The parser has done it. */
static bool nothing_take(struct cli_raw *r, const struct raw_option *o,
                         const char *value, struct problem *p)
{
    (void)r, (void)o, (void)value, (void)p;
    return true;
}

/* A member's place; _Generic sees to it that it is of the type that is stored there. */
#define MEMBER(member) ((struct pts_raw_opts *)NULL)->member
#define AT(member)     offsetof(struct pts_raw_opts, member)

#define SET(member) set_take, _Generic(MEMBER(member), int : AT(member)), sizeof(int), 1
#define PATH(member)                                                                   \
    path_take, _Generic(MEMBER(member), const char * : AT(member)), sizeof(char *), 0
#define UP_TO(member, max)     number_take, AT(member), sizeof(MEMBER(member)), max
#define FILTER(i, member, max) UP_TO(filter[i].member, max)
#define CALL(name)             name##_take, 0, 0, 0
#define NOTHING                CALL(nothing)

#define PTS_OPTION(letter, name, argument, taker, does, arg_name, help) {name, does},
static const struct raw_option options[] = {
#include <ptscript/raw.def>
};
#undef PTS_OPTION

/* Which parts of an address range are given: filter:addrN_cfg, _a, _b. */
static void filter_noted(struct cli_raw *r, const char *name)
{
    static const char prefix[] = "filter:addr";
    if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
        return;
    size_t i = (size_t)(name[sizeof(prefix) - 1] - '0');
    const char *part = name + sizeof(prefix) + 1;
    r->has_filter[i].cfg |= *part == 'c';
    r->has_filter[i].a |= *part == 'a';
    r->has_filter[i].b |= *part == 'b';
}

bool raw_take(struct cli_raw *r, const char *name, const char *value, struct problem *p)
{
    /* For the message of raw_check: which option it was that has no trace to be
     * about. */
    if (!r->first)
        r->first = name;
    if (strcmp(name, "cpu") == 0)
        return model_take(r, value, p);
    r->has_sample_type |= strcmp(name, "pevent:sample-type") == 0;
    filter_noted(r, name);
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (strcmp(name, options[i].name) == 0)
            return options[i].take(r, &options[i], value, p);
    return problem_say(p, "unknown option `%s'", name);
}

/* A range is of use only as a whole. */
static bool filters_check(const struct cli_raw *r, struct problem *p)
{
    for (int i = 0; i < PTS_RAW_FILTERS; i++) {
        bool cfg = r->has_filter[i].cfg, a = r->has_filter[i].a, b = r->has_filter[i].b;
        if ((a || b) && !cfg)
            return problem_say(p, "option `filter:addr%d_%c' needs --filter:addr%d_cfg",
                               i, a ? 'a' : 'b', i);
        if (r->opts.filter[i].cfg && !(a && b))
            return problem_say(p, "option `filter:addr%d_cfg' needs --filter:addr%d_%c",
                               i, i, a ? 'b' : 'a');
    }
    return true;
}

bool raw_check(struct cli_raw *r, struct problem *p)
{
    struct pts_raw_opts *o = &r->opts;
    bool sideband = r->others || r->has_sample_type || o->clock.time_mult ||
                    o->clock.time_zero || o->clock.time_shift || o->tsc_offset;
    if (r->first && !o->trace)
        return problem_say(p, "option `%s' needs --pt", r->first);
    if (sideband && !r->sideband[0])
        return problem_say(p, "the pevent options need --pevent:primary");
    if (r->sideband[0] && !r->has_sample_type)
        return problem_say(p, "--pevent:primary needs --pevent:sample-type");
    if (!filters_check(r, p))
        return false;
    o->size = sizeof(*o);
    o->images = r->image;
    o->image_count = r->images;
    o->sideband = r->sideband;
    o->sideband_count = r->sideband[0] ? 1 + r->others : 0;
    return true;
}
