/* hops.c - frames that are ends of branches (--branch-history), and how often they were.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/hops.h"

#include "synth/report/branch_stats.h"

#include <stdio.h>

enum hop_flag { PREDICTED = 2, ABORTED = 8 };
enum hop_direction { FORWARD = 1, BACKWARD = 2, OVER_4K = 4, OVER_2M = 8 };
enum { TYPE_COND = 1, NEWER_AT = 16 };

static bool crosses(uint64_t from, uint64_t to, uint64_t area)
{
    return from / area != to / area;
}

/* What kind of branch, and whether it goes far. */
static void count_type(struct hop_count *c, const struct hop *h, uint64_t ip)
{
    uint32_t type = branch_kind(h->flags), newer = branch_newer(h->flags);

    if (!type)
        return;
    c->types |= type == BRANCH_KIND_NEWER ? 1u << (NEWER_AT + newer) : 1u << type;
    if (type == TYPE_COND)
        c->directions |= ip > h->from ? FORWARD : BACKWARD;
    if (crosses(h->from, ip, 2 << 20))
        c->directions |= OVER_2M;
    else if (crosses(h->from, ip, 4 << 10))
        c->directions |= OVER_4K;
}

static void count(struct hop_count *c, const struct hop *h, uint64_t ip)
{
    c->branches++;
    c->target = h->from != 0;
    if (c->target) {
        c->predicted += (h->flags & PREDICTED) != 0;
        c->aborted += (h->flags & ABORTED) != 0;
        count_type(c, h, ip);
        return;
    }
    c->cycles += branch_cycles(h->flags);
    c->rounds += h->rounds;
    c->round_cycles += h->cycles;
}

void hop_first(struct hop_count *c, const struct hop *h, uint64_t ip)
{
    *c = (struct hop_count){0};
    if (h->branch)
        count(c, h, ip);
}

void hop_again(struct hop_count *c, const struct hop *h, uint64_t ip)
{
    if (!h->branch)
        return;
    count(c, h, ip);
    c->again += !h->from;
}

/* --- Text -------------------------------------------------------------------------- */

/* The first part of a text that is in brackets, and the others. */
static void put_part(struct text *t, bool *first)
{
    text_str(t, *first ? " (" : " ");
    *first = false;
}

static void put_name(struct text *t, const char *name, bool *first)
{
    if (!name)
        return;
    put_part(t, first);
    text_str(t, name);
}

static void put_types(const struct hop_count *c, struct text *t, bool *first)
{
    put_name(t, c->directions & FORWARD ? "COND_FWD" : NULL, first);
    put_name(t, c->directions & BACKWARD ? "COND_BWD" : NULL, first);
    for (uint32_t i = 0; i < NEWER_AT; i++)
        put_name(t, i != TYPE_COND && c->types & 1u << i ? branch_kind_name(i) : NULL,
                 first);
    for (uint32_t i = 0; i < NEWER_AT; i++)
        put_name(t, c->types & 1u << (NEWER_AT + i) ? branch_newer_name(i) : NULL,
                 first);
    put_name(t, c->directions & OVER_4K ? "CROSS_4K" : NULL, first);
    put_name(t, c->directions & OVER_2M ? "CROSS_2M" : NULL, first);
}

static void put_share(struct text *t, const char *name, uint32_t n, uint32_t of,
                      bool *first)
{
    put_part(t, first);
    text_fmt(t, "%s:%.1f%%", name, (double)(float)(n * 100.0 / of));
}

static void put_target(const struct hop_count *c, struct text *t, bool *first)
{
    if (c->types)
        put_types(c, t, first);
    if (c->predicted < c->branches)
        put_share(t, "predicted", c->predicted, c->branches, first);
    if (c->aborted && (float)(c->aborted * 100.0 / c->branches) >= 0.1F)
        put_share(t, "abort", c->aborted, c->branches, first);
    else if (c->aborted)
        *first = false; /* perf ends the brackets, though it may not have begun them */
}

static void put_number(struct text *t, const char *name, uint64_t n, bool *first)
{
    put_part(t, first);
    text_fmt(t, "%s:%lld", name, (long long)n);
}

static void put_source(const struct hop_count *c, struct text *t, bool *first)
{
    uint64_t cycles = c->cycles / c->branches;

    if (cycles)
        put_number(t, "cycles", cycles, first);
    if (c->rounds && c->again && c->rounds / c->again) {
        put_number(t, "iter", c->rounds / c->again, first);
        put_number(t, "avg_cycles", c->round_cycles / c->rounds, first);
    }
}

void hop_put(const struct hop_count *c, size_t most, struct text *t)
{
    const size_t from = t->len;
    bool first = true;

    if (!c->branches)
        text_str(t, " (calltrace)");
    else if (c->target)
        put_target(c, t, &first);
    else
        put_source(c, t, &first);
    if (!first)
        text_char(t, ')');
    if (t->len > from + most)
        t->len = from + most;
}
