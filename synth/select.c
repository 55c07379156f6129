/* select.c - which samples are wanted: times, cpus, threads, names.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything here is read the way perf reads it, errors included: which strings are
 * accepted is part of its interface.
 */
#include "synth/select.h"

#include "decoder/diag.h"
#include "synth/place.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_MAX_LEN = 4096,
    /* A conversion is off by the ticks of one nanosecond at most: a handful. */
    STEPS_MAX = 1 << 20
};

/* --- Numbers --- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* As strtoull without the errors: *end is s when there is no number. */
static uint64_t number_read(const char *s, const char **end, int base)
{
    const char *p = s;
    uint64_t v = 0;

    while (isspace((unsigned char)*p))
        p++;
    bool minus = *p == '-';
    p += minus || *p == '+';
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] | 0x20) == 'x' &&
        digit_of(p[2]) < 16) {
        p += 2;
        base = 16;
    } else if (base == 0) {
        base = *p == '0' ? 8 : 10;
    }
    const char *first = p;
    for (; digit_of(*p) < base; p++) {
        uint64_t d = (uint64_t)digit_of(*p), b = (uint64_t)base;
        v = v > (UINT64_MAX - d) / b ? UINT64_MAX : v * b + d;
    }
    *end = p == first ? s : p;
    return minus ? 0 - v : v;
}

/* --- Times --- */

/* "SEC[.FRACTION]" in n bytes. */
static bool time_read(const char *s, size_t n, uint64_t *ns)
{
    char buf[64];
    const char *end;

    if (n >= sizeof(buf))
        return false;
    memcpy(buf, s, n);
    buf[n] = '\0';
    uint64_t sec = number_read(buf, &end, 10), frac = 0;
    if (*end != '.' && *end != '\0')
        return false;
    if (*end == '.') {
        char digits[10] = "000000000";
        size_t len = strlen(++end);
        if (len > 9)
            return false;
        memcpy(digits, end, len);
        frac = number_read(digits, &end, 10);
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

pts_status time_parse(struct time_ranges *t, const char *str, struct pts_diag *why)
{
    size_t commas = 0;
    bool nomem = false;

    if (strchr(str, '%'))
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "--time with percentages is not supported yet");
    for (const char *p = str; *p; p++)
        commas += *p == ',';
    t->r.len = 0;
    if (commas && ranges_read(t, str, commas, &nomem))
        return PTS_OK;
    if (nomem)
        return PTS_E_NOMEM;
    return diag_set(why, PTS_E_RANGE, UINT64_MAX, "Invalid time string");
}

bool time_skips(const struct time_ranges *t, uint64_t ns)
{
    const struct time_range *r = t->r.at;

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

/* --- Cpus --- */

static pts_status cpus_bad(struct pts_diag *why)
{
    return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "Invalid cpu_list");
}

/* "N" or "N-M"; *too_large: the least cpu that the recording cannot have. */
static bool cpus_read(struct cpu_set *c, const char **at, uint32_t available,
                      uint64_t *too_large)
{
    const char *end;
    uint64_t first = number_read(*at, &end, 0), last = first;

    if (first >= INT32_MAX || (*end && *end != ',' && *end != '-'))
        return false;
    if (*end == '-') {
        const char *s = end + 1;
        last = number_read(s, &end, 0);
        if (last >= INT32_MAX || (*end && *end != ',') || last < first)
            return false;
    }
    for (uint64_t cpu = first; cpu <= last; cpu++) {
        if (cpu >= available || cpu >= SEL_CPUS) {
            *too_large = cpu < *too_large ? cpu : *too_large;
            break;
        }
        uint64_t bit = 1ull << cpu % 64;
        if (c->bit[cpu / 64] & bit)
            return false; /* twice */
        c->bit[cpu / 64] |= bit;
    }
    *at = *end ? end + 1 : end;
    return true;
}

pts_status cpus_parse(struct cpu_set *c, const char *str, uint32_t available,
                      struct pts_diag *why)
{
    uint64_t too_large = UINT64_MAX;

    *c = (struct cpu_set){.on = true};
    if (!isdigit((unsigned char)*str) && *str)
        return cpus_bad(why);
    while (isdigit((unsigned char)*str))
        if (!cpus_read(c, &str, available, &too_large))
            return cpus_bad(why);
    if (too_large != UINT64_MAX)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "Requested CPU %d too large. Consider raising MAX_NR_CPUS",
                        (int)too_large);
    return PTS_OK;
}

/* --- Lists --- */

static pts_status list_bad(const char *what, struct pts_diag *why)
{
    return diag_set(why, PTS_E_RANGE, UINT64_MAX, "problems parsing %s list", what);
}

static pts_status name_add(struct select *s, struct name_list *l, const char *name,
                           size_t n)
{
    const char *copy = arena_strndup(&s->strings, name, n);
    const char **slot = copy ? VEC_PUSH(&l->name) : NULL;

    if (!slot)
        return PTS_E_NOMEM;
    *slot = copy;
    return PTS_OK;
}

/* Each line of a file is a name. */
static pts_status names_load(struct select *s, struct name_list *l, const char *path)
{
    char line[LINE_MAX_LEN];
    FILE *f = fopen(path, "re");
    pts_status st = f ? PTS_OK : PTS_E_IO;

    while (st == PTS_OK && fgets(line, sizeof(line), f)) {
        size_t n = strlen(line);
        if (n) /* perf takes the last character off, newline or not */
            st = name_add(s, l, line, n - 1);
    }
    if (f)
        fclose(f);
    return st;
}

pts_status select_names(struct select *s, struct name_list *l, const char *str,
                        const char *what, struct pts_diag *why)
{
    pts_status st = PTS_OK;

    l->name.len = 0;
    l->on = true;
    while (st == PTS_OK) {
        size_t n = strcspn(str, ",");
        char path[LINE_MAX_LEN];
        if (strncmp(str, "file://", 7) == 0 && n < sizeof(path)) {
            memcpy(path, str + 7, n - 7);
            path[n - 7] = '\0';
            st = names_load(s, l, path);
        } else if (n) {
            st = name_add(s, l, str, n);
        }
        str += n;
        if (!*str)
            break;
        str++;
    }
    return st == PTS_E_IO ? list_bad(what, why) : st;
}

pts_status select_numbers(struct select *s, struct number_list *l, const char *str,
                          const char *what, struct pts_diag *why)
{
    (void)s;
    l->n.len = 0;
    l->on = true;
    for (;;) {
        const char *end;
        uint64_t v = number_read(str, &end, 10);
        if (*end != ',' && *end != '\0')
            return list_bad(what, why);
        uint64_t *slot = VEC_PUSH(&l->n);
        if (!slot)
            return PTS_E_NOMEM;
        *slot = v;
        if (!*end)
            return PTS_OK;
        str = end + 1;
    }
}

pts_status select_symbols(struct select *s, const char *str, struct pts_diag *why)
{
    pts_status st = select_names(s, &s->symbols, str, "symbol", why);
    size_t kept = 0;

    s->addresses.n.len = 0;
    s->addresses.on = false;
    for (size_t i = 0; st == PTS_OK && i < s->symbols.name.len; i++) {
        const char *name = s->symbols.name.at[i], *end;
        uint64_t v = number_read(name, &end, 16);
        while (end != name && isspace((unsigned char)*end))
            end++;
        if (end == name || *end) {
            s->symbols.name.at[kept++] = name;
            continue;
        }
        uint64_t *slot = VEC_PUSH(&s->addresses.n);
        if (!slot)
            return PTS_E_NOMEM;
        *slot = v;
        s->addresses.on = true;
    }
    s->symbols.name.len = kept;
    return st;
}

void select_free(struct select *s)
{
    VEC_FREE(&s->time.r);
    VEC_FREE(&s->comms.name);
    VEC_FREE(&s->dsos.name);
    VEC_FREE(&s->symbols.name);
    VEC_FREE(&s->pids.n);
    VEC_FREE(&s->tids.n);
    VEC_FREE(&s->addresses.n);
    arena_free(&s->strings);
}

bool names_have(const struct name_list *l, const char *name)
{
    for (size_t i = 0; name && i < l->name.len; i++)
        if (strcmp(l->name.at[i], name) == 0)
            return true;
    return false;
}

bool numbers_have(const struct number_list *l, uint64_t n)
{
    for (size_t i = 0; i < l->n.len; i++)
        if (l->n.at[i] == n)
            return true;
    return false;
}

bool select_thread_ok(const struct select *s, int32_t pid, int32_t tid,
                      const char *comm)
{
    return (!s->comms.on || names_have(&s->comms, comm)) &&
           (!s->pids.on || numbers_have(&s->pids, (uint64_t)(int64_t)pid)) &&
           (!s->tids.on || numbers_have(&s->tids, (uint64_t)(int64_t)tid));
}

static bool address_ok(const struct select *s, uint64_t ip)
{
    for (size_t i = 0; i < s->addresses.n.len; i++) {
        uint64_t a = s->addresses.n.at[i];
        if (ip == a || (s->addr_range && ip >= a && ip < a + s->addr_range))
            return true;
    }
    return false;
}

static bool symbol_ok(const struct select *s, const struct place *p)
{
    char start[32];

    if (p->sym) {
        if (names_have(&s->symbols, p->sym))
            return true;
        snprintf(start, sizeof(start), "0x%llx", (unsigned long long)p->sym_ip);
        if (names_have(&s->symbols, start))
            return true;
    }
    return p->dso && address_ok(s, p->ip);
}

bool select_place_ok(const struct select *s, const struct place *p)
{
    if (s->dsos.on && !(p->dso && (names_have(&s->dsos, p->dso_short) ||
                                   names_have(&s->dsos, p->dso))))
        return false;
    return !s->symbols.on || symbol_ok(s, p);
}
