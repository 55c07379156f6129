/* clock_later.c - cycles are counted now, and turned into time later.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/clock_later.h"

/* The lowest ratio by which a cycle may be measured that is to be; 0: not known. */
static uint32_t lowest_ratio(const struct clock_later *l, const struct pt_clock *c)
{
    const struct clock_place *p = &l->place;
    const struct pkt_cursor *rest = &l->ahead.rest;
    const uint64_t pos = p->pos + (uint64_t)(rest->at - p->at);
    const uint32_t said = ratio_lowest(p->ahead, pos, rest->at, rest->end);

    return said < c->cbr ? said : c->cbr;
}

/* A little less than what would be right, for what is lost in rounding; where very many come to, much less,
 * as a division takes long. */
static uint64_t count_below(uint64_t ticks, double per_cycle)
{
    enum { LOST = 4, LONG_BITS = 10, MANY_BITS = 30 };

    if (per_cycle > 0 && per_cycle <= 1 << LONG_BITS &&
        ticks >> (LONG_BITS + MANY_BITS))
        return ticks < CLOCK_EXACT ? ticks >> LONG_BITS : CLOCK_EXACT >> LONG_BITS;
    double n = per_cycle > 0 ? (double)ticks / per_cycle : 0;
    if (n >= (double)CLOCK_EXACT)
        return CLOCK_EXACT;
    return n > LOST ? (uint64_t)n - LOST : 0;
}

/* So many take less than these ticks.  Of a cycle that is not measured yet the ratio may not be known either:
 * where the slowest one makes too few, it is asked for. */
static uint64_t most_cycles(struct clock_later *l, const struct pt_clock *c,
                            uint64_t ticks)
{
    enum { FEW = 1 << 12 }; /* before the next MTC there are mostly fewer */

    if (!l->ahead.rest.at)
        return count_below(ticks, c->have_measured ? c->measured : c->by_cbr);
    const uint64_t most = count_below(ticks, c->nominal * CLOCK_SLOWEST);
    l->rough &= most >= c->cyc_count + FEW;
    const uint32_t ratio = l->rough ? 0 : lowest_ratio(l, c);
    return ratio ? count_below(ticks, c->nominal / ratio * CLOCK_SLOWEST) : most;
}

static void find_most(struct clock_later *l, const struct pt_clock *c)
{
    l->most = 0;
    if (!c->cyc_base || !c->cbr || c->nominal < 1 || c->now >= CLOCK_EXACT ||
        c->now >= l->until || c->cyc_base >= l->until)
        return;
    uint64_t most = most_cycles(l, c, l->until - c->cyc_base);
    if (c->cyc_count < most)
        l->most = most;
}

/* Telling now changes nothing of it, measuring a cycle does.  It takes a division, and many
 * a trace has no CYC at all, or none between two MTCs. */
static void forget_most(struct clock_later *l)
{
    l->most = 0;
    l->stale = true;
}

/* First roughly, and where that is too few once more. */
bool clock_later_fits(struct clock_later *l, const struct pt_clock *c, uint64_t cycles)
{
    bool fits = false;

    while (!fits && (l->stale || l->rough)) {
        l->rough = l->stale && l->ahead.rest.at;
        l->stale = false;
        find_most(l, c);
        fits = l->most && cycles < l->most - c->cyc_count;
    }
    return fits;
}

void clock_later_begin(struct clock_later *l, struct clock_place place, uint64_t until)
{
    *l = (struct clock_later){.place = place, .until = until, .stale = true};
}

void clock_later_measure(struct clock_later *l, struct pt_clock *c)
{
    if (!l->ahead.rest.at)
        return;
    clock_measure(c, l->ahead);
    l->ahead.rest.at = NULL;
    forget_most(l);
}

void clock_later_measure_at(struct clock_later *l, struct pt_clock *c,
                            const struct clock_step *mtc, bool after_cyc)
{
    if (l->ahead.rest.at && after_cyc && l->counted)
        clock_measured_until(c, mtc);
    else if (l->ahead.rest.at)
        clock_measure(c, l->ahead);
    if (l->ahead.rest.at)
        forget_most(l);
    l->ahead.rest.at = NULL;
}

void clock_later_broken(struct clock_later *l)
{
    l->ahead.rest.at = NULL;
}

void clock_later_settle(struct clock_later *l, struct pt_clock *c)
{
    clock_later_measure(l, c);
    if (l->counted)
        c->now = clock_at(c, c->cyc_count);
    l->counted = false;
}

void clock_later_cyc_now(struct clock_later *l, struct pt_clock *c, uint64_t cycles,
                         bool tracing)
{
    clock_cyc(c, cycles, tracing);
    forget_most(l);
}

void clock_later_mtc(struct clock_later *l, struct pt_clock *c,
                     const struct clock_step *mtc, bool after_cyc, bool tracing,
                     struct pkt_cursor rest)
{
    clock_stepped(c, mtc, after_cyc, tracing);
    if (after_cyc)
        l->ahead = clock_stretch_from(rest);
    forget_most(l);
}

const uint8_t *clock_later_mtcs(struct clock_later *l, struct pt_clock *c,
                                struct pkt_cursor row, uint64_t until, bool tracing)
{
    forget_most(l);
    return clock_mtcs(c, row, until, tracing);
}
