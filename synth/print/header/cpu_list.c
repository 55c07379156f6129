/* cpu_list.c - lists of CPUs such as "0-3,8".
 *
 * SPDX-License-Identifier: MIT
 *
 * perf does not copy such a list from the file but reads it and writes it anew, sorted
 * and with neighbours joined, and what it cannot read it does not print: so this reads
 * what perf reads, down to hexadecimal numbers.
 */
#include "synth/print/header/cpu_list.h"

#include "decoder/base/digits.h"

#include <limits.h>
#include <stdlib.h>

/* A number as C has them: 0x is hex, 0 octal.  It begins with a digit. */
static bool number_read(const char **s, uint32_t *out)
{
    const char *p = *s;
    unsigned base = *p != '0'                                        ? 10
                    : (p[1] | 0x20) == 'x' && digit_value(p[2]) < 16 ? 16
                                                                     : 8;
    uint64_t v = 0;
    if (*p < '0' || *p > '9')
        return false;
    p += base == 16 ? 2 : 0;
    for (; digit_value(*p) < base; p++) {
        v = v * base + digit_value(*p);
        /* perf has these as int. */
        if (v >= INT_MAX)
            return false;
    }
    *s = p;
    *out = (uint32_t)v;
    return true;
}

/* One number or range, and the comma behind it. */
static bool range_read(const char **s, struct cpu_range *out)
{
    if (!number_read(s, &out->first))
        return false;
    out->last = out->first;
    if (**s == '-') {
        ++*s;
        /* perf reads a missing end as the beginning's */
        if (**s && **s != ',' && !number_read(s, &out->last))
            return false;
    }
    if (out->last < out->first || (**s && **s != ','))
        return false;
    *s += **s == ',';
    return true;
}

static int by_first(const void *a, const void *b)
{
    const struct cpu_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Joins neighbours; false when two ranges share a CPU. */
static bool ranges_join(struct cpu_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->at.len; i++) {
        const struct cpu_range r = l->at.at[i];
        struct cpu_range *before = n ? &l->at.at[n - 1] : NULL;
        /* A CPU that is there twice makes the whole list unreadable to perf. */
        if (before && r.first <= before->last)
            return false;
        if (before && r.first == before->last + 1)
            before->last = r.last;
        else
            l->at.at[n++] = r;
    }
    l->at.len = n;
    return true;
}

pts_status cpu_list_parse(struct cpu_list *l, const char *s)
{
    l->at.len = 0;
    while (*s) {
        struct cpu_range r, *slot;
        if (!range_read(&s, &r))
            return PTS_E_FORMAT;
        slot = VEC_PUSH(&l->at);
        if (!slot)
            return PTS_E_NOMEM;
        *slot = r;
    }
    if (l->at.len)
        qsort(l->at.at, l->at.len, sizeof(*l->at.at), by_first);
    return ranges_join(l) ? PTS_OK : PTS_E_FORMAT;
}

void cpu_list_free(struct cpu_list *l)
{
    VEC_FREE(&l->at);
}

void cpu_list_text(struct text *t, const struct cpu_list *l)
{
    if (l->at.len == 0)
        text_str(t, "-1");
    for (size_t i = 0; i < l->at.len; i++) {
        const struct cpu_range *r = &l->at.at[i];
        if (i)
            text_char(t, ',');
        text_dec(t, r->first, 0);
        if (r->last != r->first) {
            text_char(t, '-');
            text_dec(t, r->last, 0);
        }
    }
}
