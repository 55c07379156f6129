/* select_time.c - --time: seconds, percentages, and their ticks.
 *
 * SPDX-License-Identifier: MIT
 *
 * Read the way perf reads them, errors included.
 *
 *     12.5,20         from 12.5 s to 20 s; either may be missing
 *     1,2 5,6         several, which must not overlap and must stand in order
 *     10%/2           the second tenth
 *     0%-10%,30%-40%  parts of the whole
 *     10%             the first tenth
 *
 * Percentages are of the time between the first and the last sample, which the header
 * says.
 */
#include "decoder/base/diag.h"
#include "decoder/base/u64.h"
#include "synth/plan/number.h"
#include "synth/plan/select.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A conversion is off by the ticks of one nanosecond at most: a handful. */
enum { STEPS_MAX = 1 << 20 };

/* "SEC[.FRACTION]" in n bytes. */
static bool time_read(const char *s, size_t n, uint64_t *ns)
{
    char buf[64];
    const char *end;

    if (n >= sizeof(buf))
        return false;
    memcpy(buf, s, n);
    buf[n] = '\0';
    uint64_t sec = read_number(buf, &end, 10), frac = 0;
    if (*end != '.' && *end != '\0')
        return false;
    if (*end == '.') {
        /* ".5" is half a second: digits are filled up to nanoseconds on the right. */
        char digits[10] = "000000000";
        size_t len = strlen(++end);
        if (len > 9)
            return false;
        memcpy(digits, end, len);
        frac = read_number(digits, &end, 10);
        if (*end)
            return false;
    }
    *ns = sec * 1000000000 + frac;
    return true;
}

/* "START,END", either may be empty.  perf takes what follows a second comma as part of
 * END, which then is no number. */
static bool range_read(const char *s, size_t n, struct time_range *r)
{
    const char *comma = memchr(s, ',', n);
    size_t start = comma ? (size_t)(comma - s) : n;
    size_t end = comma ? n - start - 1 : 0;

    *r = (struct time_range){0};
    if (start && !time_read(s, start, &r->start))
        return false;
    if (end && !time_read(comma + 1, end, &r->end))
        return false;
    return !r->end || r->end >= r->start;
}

/* All ranges but the last end at white space; the last takes the rest. */
static bool ranges_read(struct time_ranges *t, const char *str, size_t commas,
                        bool *nomem)
{
    const char *p = str;

    for (size_t i = 0; i < commas; i++) {
        const char *arg = p, *arg_end = p + strlen(p);
        struct time_range r;
        if (i + 1 < commas) {
            p = strchr(p, ',');
            if (!p) /* the one before took them all */
                return false;
            for (p++; isspace((unsigned char)*p); p++)
                ;
            while (*p && !isspace((unsigned char)*p))
                if (*p++ == ',')
                    return false;
            arg_end = p;
            p += *p != '\0';
        }
        if (!range_read(arg, (size_t)(arg_end - arg), &r))
            return false;
        struct time_range *out = VEC_PUSH(&t->r);
        *nomem = !out;
        if (!out)
            return false;
        *out = r;
    }
    for (size_t i = 0; i + 1 < commas; i++)
        if (t->r.at[i].end >= t->r.at[i + 1].start)
            return false;
    return true;
}

/* The first n percent and the like.  perf reads a fraction as a double and rounds the
 * product, so the same is done here. */
static bool percent_read(const char *s, size_t n, double *out)
{
    char buf[64], *end;
    const char *sign = memchr(s, '%', n);

    if (!sign || (size_t)(sign - s) >= sizeof(buf))
        return false;
    memcpy(buf, s, (size_t)(sign - s));
    buf[sign - s] = '\0';
    double v = strtod(buf, &end);
    *out = v / 100.0;
    return *end == '\0';
}

static uint64_t round_half_up(double v)
{
    uint64_t whole = u64_of_double(v);
    return whole + (v - (double)whole >= 0.5);
}

static bool slice_set(struct time_range *r, double from, double to,
                      const struct time_base *base)
{
    double total = (double)(base->last - base->first);

    if (!(from >= 0.0 && from <= 1.0 && to >= 0.0 && to <= 1.0))
        return false;
    r->start = base->first + round_half_up(from * total);
    r->end = base->first + round_half_up(to * total);
    /* Slices must not share a nanosecond: the next one begins where this one would
     * end. */
    if (r->end > r->start && r->end != base->last)
        r->end--;
    return true;
}

/* "N%/K": the K-th slice of N percent. */
static bool slice_read(const char *s, size_t n, struct time_range *r,
                       const struct time_base *base)
{
    const char *slash = memchr(s, '/', n), *end;
    double percent;

    if (!slash || !percent_read(s, (size_t)(slash - s), &percent) || percent <= 0.0)
        return false;
    int k = (int)(int64_t)read_number(slash + 1, &end, 10);
    if (end != s + n)
        return false;
    return slice_set(r, percent * ((double)k - 1), percent * k, base);
}

/* "A%-B%" */
static bool span_read(const char *s, size_t n, struct time_range *r,
                      const struct time_base *base)
{
    const char *dash = memchr(s, '-', n);
    double from, to;

    if (!dash || !percent_read(s, (size_t)(dash - s), &from) ||
        !percent_read(dash + 1, n - (size_t)(dash - s) - 1, &to))
        return false;
    return slice_set(r, from, to, base);
}

/* "N%" alone is its first slice. */
static bool first_read(const char *s, struct time_range *r,
                       const struct time_base *base)
{
    size_t n = strlen(s);
    double percent;

    if (strchr(s, '%') != s + n - 1 || !percent_read(s, n, &percent) || percent <= 0.0)
        return false;
    return slice_set(r, 0.0, percent, base);
}

static bool percents_read(struct time_ranges *t, const char *str,
                          const struct time_base *base, bool *nomem)
{
    bool slices = strchr(str, '/'), spans = !slices && strchr(str, '-');

    do {
        size_t n = slices || spans ? strcspn(str, ",") : strlen(str);
        struct time_range *r = VEC_PUSH(&t->r);
        *nomem = !r;
        if (!r || !(slices  ? slice_read(str, n, r, base)
                    : spans ? span_read(str, n, r, base)
                            : first_read(str, r, base)))
            return false;
        str += n + (str[n] == ',');
    } while (*str);
    return true;
}

pts_status time_parse(struct time_ranges *t, const char *str,
                      const struct time_base *base, struct pts_diag *why)
{
    bool percent = strchr(str, '%'), nomem = false, ok;
    size_t commas = 0;

    if ((percent || base->relative) && !base->first && !base->last)
        return diag_set(why, PTS_E_RANGE, UINT64_MAX,
                        "HINT: no first/last sample time found in perf data.\n"
                        "Please use latest perf binary to execute 'perf record'\n"
                        "(if '--buildid-all' is enabled, please set "
                        "'--timestamp-boundary').");
    for (const char *p = str; *p; p++)
        commas += *p == ',';
    t->r.len = 0;
    if (percent)
        ok = percents_read(t, str, base, &nomem);
    else
        ok = commas && ranges_read(t, str, commas, &nomem);
    if (nomem)
        return PTS_E_NOMEM;
    if (!ok)
        return diag_set(why, PTS_E_RANGE, UINT64_MAX, "Invalid time string");
    for (size_t i = 0; base->relative && i < t->r.len; i++) {
        t->r.at[i].start += base->first;
        t->r.at[i].end += base->first;
    }
    return PTS_OK;
}

bool time_skips(const struct time_ranges *t, uint64_t ns)
{
    const struct time_range *r = t->r.at;

    /* A sample without a time cannot be left out by time. */
    if (ns == 0 || t->r.len == 0)
        return false;
    if (t->r.len == 1)
        return (r->start && ns < r->start) || (r->end && ns > r->end);
    for (size_t i = 0; i < t->r.len; i++)
        if (ns >= r[i].start && (ns <= r[i].end || !r[i].end))
            return false;
    return true;
}

struct time_range time_in_ticks(struct time_range ns, const struct tsc_conv *c)
{
    struct time_range out = {0};

    if (ns.start) {
        uint64_t t = tsc_of_ns(ns.start, c);
        /* Several ticks may be the same nanosecond, and all of them belong to the
         * range: so down to the last tick before it, then up to the first one in it. */
        for (int i = 0; i < STEPS_MAX && tsc_to_ns(t, c) >= ns.start; i++)
            t--;
        for (int i = 0; i < STEPS_MAX && tsc_to_ns(t, c) < ns.start; i++)
            t++;
        out.start = t;
    }
    if (ns.end) {
        uint64_t t = tsc_of_ns(ns.end, c);
        for (int i = 0; i < STEPS_MAX && tsc_to_ns(t, c) <= ns.end; i++)
            t++;
        for (int i = 0; i < STEPS_MAX && tsc_to_ns(t, c) > ns.end; i++)
            t--;
        out.end = t;
    }
    return out;
}
