/* raw.c - options for a bare trace: --pt, --image, and what describes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Names and meanings are those of libipt's ptxed where it has them, so that the output
 * of its scripts can be pasted.
 */
#include "raw.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_32(name, member, max)                                                   \
    {                                                                                  \
        name, offsetof(struct pts_raw_opts, member), 4, max                            \
    }
#define NUMBER_64(name, member)                                                        \
    {                                                                                  \
        name, offsetof(struct pts_raw_opts, member), 8, UINT64_MAX                     \
    }
static const struct number {
    const char *name;
    size_t at, bytes;
    uint64_t max;
} numbers[] = {
    NUMBER_32("mtc-freq", mtc_freq, 15),
    NUMBER_32("nom-freq", nom_freq, 255),
    NUMBER_32("cpuid-0x15.eax", cpuid_15_eax, UINT32_MAX),
    NUMBER_32("cpuid-0x15.ebx", cpuid_15_ebx, UINT32_MAX),
    NUMBER_64("pevent:sample-type", sample_type),
    NUMBER_64("pevent:time-zero", clock.time_zero),
    NUMBER_32("pevent:time-shift", clock.time_shift, 63),
    NUMBER_32("pevent:time-mult", clock.time_mult, UINT32_MAX),
    NUMBER_64("pevent:tsc-offset", tsc_offset),
};

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

static bool number_take(struct cli_raw *r, const struct number *o, const char *value,
                        char *problem, size_t n)
{
    uint64_t v;
    if (!number_read(value, &v) || v > o->max) {
        snprintf(problem, n, "option `%s' expects a number from 0 to %llu", o->name,
                 (unsigned long long)o->max);
        return false;
    }
    uint32_t low = (uint32_t)v;
    char *to = (char *)&r->opts + o->at;
    memcpy(to, o->bytes == 4 ? (const void *)&low : (const void *)&v, o->bytes);
    return true;
}

/* FILE:ADDR, or FILE alone. */
static bool image_take(struct cli_raw *r, const char *value, char *problem, size_t n)
{
    const char *colon = strrchr(value, ':');
    struct pts_raw_image im = {value, 0, 0};
    im.placed = colon && number_read(colon + 1, &im.addr);
    size_t len = im.placed ? (size_t)(colon - value) : strlen(value);
    if (!len || r->images == RAW_IMAGES_MAX || len >= RAW_NAMES_MAX - r->names_len) {
        snprintf(problem, n, len ? "too many images" : "option `image' expects a file");
        return false;
    }
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
static bool model_take(struct cli_raw *r, const char *value, char *problem, size_t n)
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
    if (!good || at || count < 2 || !part[0]) {
        snprintf(problem, n,
                 "option `cpu' expects FAMILY/MODEL/STEPPING, or a list of CPUs");
        return false;
    }
    r->opts.cpu_family = (uint32_t)part[0];
    r->opts.cpu_model = (uint32_t)part[1];
    r->opts.cpu_stepping = (uint32_t)part[2];
    return true;
}

static bool file_take(const char **to, const char *name, const char *value,
                      char *problem, size_t n)
{
    if (*to || !*value) {
        snprintf(problem, n,
                 *to ? "option `%s': one file is enough" : "option `%s' expects a file",
                 name);
        return false;
    }
    *to = value;
    return true;
}

/* One more side-band file. */
static bool other_take(struct cli_raw *r, const char *name, const char *value,
                       char *problem, size_t n)
{
    if (r->others < RAW_SIDEBAND_MAX)
        return file_take(&r->sideband[++r->others], name, value, problem, n);
    snprintf(problem, n, "too many side-band files");
    return false;
}

static bool is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

bool raw_take(struct cli_raw *r, const char *name, const char *value, char *problem,
              size_t n)
{
    if (!r->first)
        r->first = name;
    r->has_sample_type |= is(name, "pevent:sample-type");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (is(name, numbers[i].name))
            return number_take(r, &numbers[i], value, problem, n);
    if (is(name, "pt"))
        return file_take(&r->opts.trace, name, value, problem, n);
    if (is(name, "image"))
        return image_take(r, value, problem, n);
    if (is(name, "cpu"))
        return model_take(r, value, problem, n);
    if (is(name, "pevent:primary") && !r->sideband[0])
        return file_take(&r->sideband[0], name, value, problem, n);
    if (is(name, "pevent:primary") || is(name, "pevent:secondary"))
        return other_take(r, name, value, problem, n);
    if (is(name, "pevent:vdso-x64"))
        return file_take(&r->opts.vdso, name, value, problem, n);
    if (is(name, "pevent:vdso-ia32"))
        return file_take(&r->opts.vdso_ia32, name, value, problem, n);
    r->opts.no_ret_compression |= is(name, "noretcomp");
    r->opts.event_trace |= is(name, "event-trace");
    return true;
}

bool raw_check(struct cli_raw *r, char *problem, size_t n)
{
    struct pts_raw_opts *o = &r->opts;
    bool sideband = r->others || r->has_sample_type || o->clock.time_mult ||
                    o->clock.time_zero || o->clock.time_shift || o->tsc_offset;
    *problem = '\0';
    if (r->first && !o->trace)
        snprintf(problem, n, "option `%s' needs --pt", r->first);
    else if (sideband && !r->sideband[0])
        snprintf(problem, n, "the pevent options need --pevent:primary");
    else if (r->sideband[0] && !r->has_sample_type)
        snprintf(problem, n, "--pevent:primary needs --pevent:sample-type");
    o->size = sizeof(*o);
    o->images = r->image;
    o->image_count = r->images;
    o->sideband = r->sideband;
    o->sideband_count = r->sideband[0] ? 1 + r->others : 0;
    return !*problem;
}
