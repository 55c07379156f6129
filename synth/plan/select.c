/* select.c - which samples are wanted: cpus, threads, names.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything here is read the way perf reads it, errors included: which strings are
 * accepted is part of its interface.
 */
#include "synth/plan/select.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "synth/plan/number.h"
#include "synth/symbol/place.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LEN = 4096 };

/* --- Cpus --- */

static pts_status cpus_bad(struct pts_diag *why)
{
    return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "Invalid cpu_list");
}

/* Whether any of these is in a list, of which no more than up to an end is looked at. */
static bool cpus_have(const char *list, const char *list_end, uint64_t first,
                      uint64_t last)
{
    bool have = false;

    while (!have && list < list_end) {
        uint64_t from = read_number(list, &list, 0), to = from;
        if (*list == '-')
            to = read_number(list + 1, &list, 0);
        have = from <= last && first <= to;
        list++;
    }
    return have;
}

/* "N" or "N-M"; *too_large: the least cpu that the recording cannot have. */
static bool cpus_read(struct cpu_set *c, const char *list, const char **at,
                      uint32_t available, uint64_t *too_large)
{
    const char *end;
    uint64_t first = read_number(*at, &end, 0), last = first;

    if (first >= INT32_MAX || (*end && *end != ',' && *end != '-'))
        return false;
    if (*end == '-') {
        const char *s = end + 1;
        last = read_number(s, &end, 0);
        if (last >= INT32_MAX || (*end && *end != ',') || last < first)
            return false;
    }
    if (c->beyond && last >= SEL_CPUS && cpus_have(list, *at, first, last))
        return false; /* twice */
    c->beyond |= last >= SEL_CPUS;
    /* Ends where no bit is left, so a range of billions costs nothing. */
    for (uint64_t cpu = first; cpu <= last; cpu++) {
        if (cpu >= available || cpu >= SEL_CPUS)
            *too_large = cpu < *too_large ? cpu : *too_large;
        if (cpu >= SEL_CPUS)
            break;
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
    const char *list = str;

    *c = (struct cpu_set){.on = true};
    /* perf takes an empty list, and an odd end after a comma: it stops at the first
     * character that is no digit. */
    if (!isdigit((unsigned char)*str) && *str)
        return cpus_bad(why);
    while (isdigit((unsigned char)*str))
        if (!cpus_read(c, list, &str, available, &too_large))
            return cpus_bad(why);
    c->unknown = too_large != UINT64_MAX;
    if (c->unknown)
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

    if (!f)
        refused_file(path, errno);
    while (st == PTS_OK && fgets(line, sizeof(line), f)) {
        size_t n = strlen(line);
        if (n) /* perf takes the last character off, newline or not */
            st = name_add(s, l, line, n - 1);
    }
    if (f && ferror(f)) {
        refused_file(path, errno);
        st = PTS_E_IO;
    }
    if (f)
        fclose(f);
    return st;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* PTS_E_RANGE when a name is there twice, which perf takes for a mistake. */
static pts_status names_differ(const struct name_list *l)
{
    struct name_list sorted = {0};
    pts_status st = PTS_OK;

    if (l->name.len < 2)
        return PTS_OK;
    if (!VEC_ROOM(&sorted.name, l->name.len))
        return PTS_E_NOMEM;
    memcpy(sorted.name.at, l->name.at, l->name.len * sizeof(*l->name.at));
    qsort(sorted.name.at, l->name.len, sizeof(*l->name.at), by_text);
    for (size_t i = 1; st == PTS_OK && i < l->name.len; i++)
        if (strcmp(sorted.name.at[i - 1], sorted.name.at[i]) == 0)
            st = PTS_E_RANGE;
    VEC_FREE(&sorted.name);
    return st;
}

/* An empty word is a name, but behind the last comma. */
pts_status select_names(struct select *s, struct name_list *l, const char *str,
                        const char *what, struct pts_diag *why)
{
    pts_status st = PTS_OK;

    /* The last of several options counts. */
    l->name.len = 0;
    l->on = true;
    while (st == PTS_OK) {
        size_t n = strcspn(str, ",");
        char path[LINE_MAX_LEN];
        if (strncmp(str, "file://", 7) == 0 && n < sizeof(path)) {
            memcpy(path, str + 7, n - 7);
            path[n - 7] = '\0';
            st = names_load(s, l, path);
        } else if (n || *str) {
            st = name_add(s, l, str, n);
        }
        str += n;
        if (!*str)
            break;
        str++;
    }
    if (st == PTS_OK)
        st = names_differ(l);
    return st == PTS_E_IO || st == PTS_E_RANGE ? list_bad(what, why) : st;
}

static bool numbers_have(const struct number_list *l, uint64_t n)
{
    for (size_t i = 0; i < l->n.len; i++)
        if (l->n.at[i] == n)
            return true;
    return false;
}

pts_status select_numbers(struct select *s, struct number_list *l, const char *str,
                          const char *what, struct pts_diag *why)
{
    (void)s;
    l->n.len = 0;
    l->on = true;
    for (;;) {
        const char *end;
        /* An empty word is the number 0: strtoull takes it, and so does perf. */
        uint64_t v = read_number(str, &end, 10);
        if ((*end != ',' && *end != '\0') || numbers_have(l, v))
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

/* What reads as a hexadecimal number is an address, even a function's name such as
 * "add". */
pts_status select_symbols(struct select *s, const char *str, struct pts_diag *why)
{
    pts_status st = select_names(s, &s->symbols, str, "symbol", why);
    size_t kept = 0;

    s->addresses.n.len = 0;
    s->addresses.on = false;
    /* Names stay in the list, closed up; addresses move over to theirs. */
    for (size_t i = 0; st == PTS_OK && i < s->symbols.name.len; i++) {
        const char *name = s->symbols.name.at[i], *end;
        uint64_t v = read_number(name, &end, 16);
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
    VEC_FREE(&s->stop_bt.name);
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

bool select_thread_ok(const struct select *s, int32_t pid, int32_t tid,
                      const char *comm)
{
    /* An option that was not given lets everything pass; those that were must all
     * agree. */
    return (!s->comms.on || names_have(&s->comms, comm)) &&
           (!s->pids.on || numbers_have(&s->pids, (uint64_t)(int64_t)pid)) &&
           (!s->tids.on || numbers_have(&s->tids, (uint64_t)(int64_t)tid));
}

static bool address_ok(const struct select *s, uint64_t ip)
{
    for (size_t i = 0; i < s->addresses.n.len; i++) {
        uint64_t a = s->addresses.n.at[i];
        /* Without a range the very address is meant. */
        if (ip == a || (s->addr_range && ip >= a && ip < a + s->addr_range))
            return true;
    }
    return false;
}

/* Besides its name a symbol is also meant by the address where it begins, written
 * with 0x. */
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

bool select_dso_ok(const struct select *s, const struct place *p)
{
    return !s->dsos.on || (p->dso && (names_have(&s->dsos, p->dso_short) ||
                                      names_have(&s->dsos, p->dso_path)));
}

bool select_symbol_ok(const struct select *s, const struct place *p)
{
    return !s->symbols.on || symbol_ok(s, p);
}

bool select_place_ok(const struct select *s, const struct place *p)
{
    return select_dso_ok(s, p) && select_symbol_ok(s, p);
}
