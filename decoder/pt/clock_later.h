/* clock_later.h - cycles are counted now, and turned into time later.
 *
 * SPDX-License-Identifier: MIT
 *
 * A CYC follows nearly every other packet of a trace that has them, and the time that it
 * makes is mostly looked at by nobody.  How long a cycle is must besides be looked for ahead
 * (clock.h), and is known for nothing at the MTC where the measured stretch ends.  So who
 * passes many packets at once only counts:
 *
 *     CYC MTC   CYC TNT CYC TIP CYC ...   CYC MTC
 *         ^rest      counted                  ^ here it is known, and so is the time then
 *
 * All results are those of clock_cyc and clock_mtc.  While cycles are counted `now` stays as
 * it was; clock_later_settle brings it up, and must have been called before anybody else
 * looks at the clock.
 */
#ifndef PTS_DECODER_PT_CLOCK_LATER_H
#define PTS_DECODER_PT_CLOCK_LATER_H

#include "decoder/pt/clock.h"
#include "decoder/pt/ratio_ahead.h"

/* A place in the buffer at hand, its offset in the stream, and what is known of that. */
struct clock_place {
    const uint8_t *at;
    uint64_t pos;
    struct ratio_ahead *ahead;
};

/* Up to here sums of times and of a few cycles are exact to the tick in a double, so that the
 * end of a measured stretch comes out as the time of its MTC. */
#define CLOCK_EXACT (UINT64_C(1) << 52)

struct clock_later {
    struct clock_place place;
    struct clock_stretch ahead; /* what a cycle is to be measured over; rest.at NULL: it
                                 * is not to be measured */
    uint64_t until;             /* a time that is not to be passed unseen */
    uint64_t most; /* cyc_count below which it is not reached; 0: not known */
    bool stale;    /* nobody has asked for `most` since the clock went on otherwise */
    bool rough; /* it is of the slowest cycle that there could be: there may be more */
    bool counted; /* cycles that now does not have yet */
};

/* The clock goes on from here; nothing is left to be done.  The place is lent as long as all is in one
 * buffer. */
void clock_later_begin(struct clock_later *l, struct clock_place place, uint64_t until);
/* The length of a cycle is known, if it ever will be. */
void clock_later_measure(struct clock_later *l, struct pt_clock *c);
/* The same, where plain packets up to `rest` were passed, and their cycles counted. */
static inline void clock_later_here(struct clock_later *l, const struct pt_clock *c,
                                    struct pkt_cursor rest, uint8_t before)
{
    if (l->ahead.rest.at && l->counted)
        l->ahead = (struct clock_stretch){rest, c->cyc_count, before};
}
/* It in front of an MTC, which may be what it was to be measured by. */
void clock_later_measure_at(struct clock_later *l, struct pt_clock *c,
                            const struct clock_step *mtc, bool after_cyc);
/* Nothing stretches over a TIP.PGD. */
void clock_later_broken(struct clock_later *l);
/* now is now. */
void clock_later_settle(struct clock_later *l, struct pt_clock *c);
/* A CYC that is turned into time at once.  Settled before. */
void clock_later_cyc_now(struct clock_later *l, struct pt_clock *c, uint64_t cycles,
                         bool tracing);
/* An MTC; `rest` follows it.  Settled before. */
void clock_later_mtc(struct clock_later *l, struct pt_clock *c,
                     const struct clock_step *mtc, bool after_cyc, bool tracing,
                     struct pkt_cursor rest);

/* Behind an MTC that directly followed a CYC, and has moved the clock: all that was counted has been turned into
 * time.  Where `until` is far nobody looks how many cycles come to that. */
static inline void clock_later_next(struct clock_later *l, const struct pt_clock *c,
                                    struct pkt_cursor rest)
{
    const uint64_t ticks = (uint64_t)c->ctc_mult << c->conf.mtc_shift; /* of an MTC */
    const uint64_t most = 2 * ticks; /* before the next one there are mostly fewer */
    const double far = c->nominal * CLOCK_SLOWEST * (double)most + 1;

    l->ahead = clock_stretch_from(rest);
    l->counted = false;
    l->rough = most && c->cyc_base && c->cbr && c->nominal >= 1 &&
               c->now < CLOCK_EXACT && c->now < l->until &&
               (double)(l->until - c->now) > far;
    l->most = l->rough ? most : 0;
    l->stale = !l->rough;
}

/* The same of a row of them (clock_mtcs) that nothing waits for: there are no cycles to be measured,
 * and none that are counted. */
static inline bool clock_later_idle(const struct clock_later *l)
{
    return !l->ahead.rest.at && !l->counted;
}
const uint8_t *clock_later_mtcs(struct clock_later *l, struct pt_clock *c,
                                struct pkt_cursor row, uint64_t until, bool tracing);

/* Finds out `most` if that is stale, and whether cycles more stay below it. */
bool clock_later_fits(struct clock_later *l, const struct pt_clock *c, uint64_t cycles);

/* How many cycles may be counted without a look at the time: fewer than that. */
static inline uint64_t clock_later_left(struct clock_later *l, const struct pt_clock *c)
{
    if (!l->most && !clock_later_fits(l, c, 0))
        return 0;
    return l->most - c->cyc_count;
}

/* Counts, if that cannot reach `until`. */
static inline bool clock_later_cyc(struct clock_later *l, struct pt_clock *c,
                                   uint64_t cycles, bool tracing)
{
    /* cyc_count is below most, unless that is 0 */
    if (__builtin_expect(!l->most || cycles >= l->most - c->cyc_count, 0) &&
        !clock_later_fits(l, c, cycles))
        return false;
    clock_count(c, cycles, tracing);
    l->counted = true;
    return true;
}

#endif
