/* clock.h - the clock of a PT stream: TSC, TMA, MTC, CYC and CBR packets to TSC ticks.
 *
 * SPDX-License-Identifier: MIT
 *
 * TSC packets say the time; between them MTC packets tick at a fixed rate (the core
 * crystal clock, placed in TSC time by TMA) and CYC packets count core cycles, whose
 * length in TSC ticks is measured between two MTCs that each directly follow a CYC, or
 * else guessed from the core:bus ratio.  All results equal perf 6.1's to the tick, so
 * doubles are used exactly where perf rounds through them: for the length of a cycle, and
 * for a time or a number of cycles that is worked out with it.
 */
#ifndef PTS_DECODER_PT_CLOCK_H
#define PTS_DECODER_PT_CLOCK_H

#include "decoder/base/u64.h"
#include "decoder/pt/lookahead.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_config {
    uint32_t ctc_n, ctc_d; /* TSC ticks per CTC tick: CPUID 15h EBX / EAX; 0: unknown */
    uint32_t mtc_shift; /* MTC period: CTC ticks per MTC as a power of two, below 32 */
    uint32_t max_nonturbo; /* core:bus ratio at which core and TSC run equally fast */
};

struct pt_clock {
    struct clock_config conf;
    uint32_t ctc_mult; /* ctc_n / ctc_d when that is whole, else 0 */
    double nominal;    /* max_nonturbo */

    uint64_t now;     /* TSC ticks; 0: not known yet */
    uint64_t tsc;     /* value of the last TSC packet */
    uint64_t ref;     /* gives the first TSC its top byte; 0 once used */
    uint64_t buf_ref; /* time by which the current buffer was written; 0: unknown */
    uint64_t insns;   /* instructions walked since now last changed */

    bool have_tma, fix_mtc;
    uint32_t last_mtc;
    uint64_t ctc_base;  /* TSC time of the MTC tick before the last TMA */
    uint64_t ctc_ticks; /* CTC ticks since then */

    bool have_cyc;
    bool have_measured;
    double measured, by_cbr; /* TSC ticks per cycle: measured, from CBR */
    uint64_t cyc_base;       /* time from which cycles are counted; 0: unknown */
    uint64_t cyc_count;

    uint32_t cbr; /* 0: none seen */
    uint32_t cbr_payload;

    /* Cycles for IPC: counted by CYC, else estimated from time and CBR. */
    uint64_t cycles;
    bool cycles_fresh; /* cycles is exact at this packet */
    uint64_t est_base, est_from;
    double cyc_per_tsc;
};

/* The 56-bit time of a TSC packet, completed to the one nearest to ref. */
uint64_t tsc_near(uint64_t tsc, uint64_t ref);

void clock_init(struct pt_clock *c, const struct clock_config *conf);

/* So many ticks of the crystal clock in those of the TSC. */
uint64_t clock_of_ctc(const struct pt_clock *c, uint64_t ticks);

/* A new buffer that does not continue the last: time starts again, guided by ref. */
void clock_restart(struct pt_clock *c, uint64_t ref);

void clock_tsc(struct pt_clock *c, uint64_t payload, bool after_cyc);
void clock_tma(struct pt_clock *c, uint32_t ctc, uint32_t fast, bool tracing,
               bool in_psb);
void clock_cyc(struct pt_clock *c, uint64_t cycles, bool tracing);
void clock_cbr(struct pt_clock *c, uint32_t payload, bool tracing);

/* rest: the packets after this MTC in the same buffer, for measuring the cycle length.
 */
void clock_mtc(struct pt_clock *c, uint32_t mtc, bool after_cyc, bool tracing,
               struct pkt_cursor rest);

/* --- For who works out times later than cycles are counted (clock_later.h) --- */

/* Of a cycle that is measured: not longer than so many that its ratio makes. */
#define CLOCK_SLOWEST 1.25
/* Of MTC periods up to 2^8 TMA holds the whole count. */
#define CLOCK_WHOLE_MTC 8

/* Counts cycles, and leaves the time as it is. */
static inline void clock_count(struct pt_clock *c, uint64_t cycles, bool tracing)
{
    /* From here on cycles are counted, and no longer guessed. */
    c->have_cyc = true;
    c->cyc_count += cycles;
    if (tracing)
        c->cycles += cycles;
    c->cycles_fresh = true;
}

/* The time when so many cycles had been counted since cyc_base, from now on. */
uint64_t clock_at(const struct pt_clock *c, uint64_t count);
/* Where an MTC puts the clock while that is known (have_tma): what it is counted from, and the time. */
struct clock_step {
    uint32_t last;
    bool fix;
    uint64_t ticks, time;
};

/* CTC ticks from one MTC's count to the next: eight bits that wrap; an equal one is a whole turn. */
static inline uint32_t clock_mtc_ticks(const struct pt_clock *c, uint32_t last,
                                       uint32_t mtc)
{
    enum { RANGE = 256 };

    return (mtc > last ? mtc - last : mtc + RANGE - last) << c->conf.mtc_shift;
}

struct clock_step clock_step(const struct pt_clock *c, uint32_t mtc);
/* The same of nearly all.  False: it is not plain. */
static inline bool clock_step_plain(const struct pt_clock *c, uint32_t mtc,
                                    struct clock_step *out)
{
    if (!c->ctc_mult || (c->fix_mtc && c->conf.mtc_shift > CLOCK_WHOLE_MTC))
        return false;
    out->last = mtc;
    out->fix = c->fix_mtc;
    out->ticks = c->ctc_ticks + clock_mtc_ticks(c, c->last_mtc, mtc);
    out->time = c->ctc_base + out->ticks * c->ctc_mult;
    return true;
}

/* How long a cycle is, as far as it is known. */
static inline double clock_per_cycle(const struct pt_clock *c)
{
    return c->have_measured ? c->measured : c->by_cbr;
}

/* The time when so many cycles had been counted since cyc_base, from now on, if each takes so long. */
static inline uint64_t clock_then(const struct pt_clock *c, uint64_t count,
                                  double per_cycle)
{
    const uint64_t time =
        u64_of_double((double)c->cyc_base + (double)count * per_cycle);

    return time >= c->now ? time : c->now;
}

/* A cycle that makes the core more than a quarter slower than its CBR says is not believed. */
static inline bool clock_too_slow(double per_cycle, double by_cbr)
{
    return per_cycle > by_cbr && per_cycle / by_cbr > CLOCK_SLOWEST;
}

/* How long a cycle was where an MTC is so many ticks and cycles behind the last one that directly followed a CYC,
 * and no CBR is in between: as clock_measure. */
static inline double clock_measured(const struct pt_clock *c, uint64_t ticks,
                                    uint64_t cycles)
{
    const double known = clock_per_cycle(c);

    if (!cycles)
        return known;
    const double per_cycle = (double)ticks / (double)cycles;
    return c->cbr && clock_too_slow(per_cycle, c->by_cbr) ? known : per_cycle;
}

/* That MTC without its measuring. */
void clock_stepped(struct pt_clock *c, const struct clock_step *to, bool after_cyc,
                   bool tracing);
/* The same of any.  True: measuring is to be done. */
bool clock_tick(struct pt_clock *c, uint32_t mtc, bool after_cyc, bool tracing);
/* The same of MTCs one directly behind the other, of which the first is at row.at and not behind a
 * CYC, up to the first that puts the clock at `until` or later, while their clock is known (have_tma).
 * Returns where the packet behind them is. */
const uint8_t *clock_mtcs(struct pt_clock *c, struct pkt_cursor row, uint64_t until,
                          bool tracing);
/* What is behind that MTC, and how many cycles were counted from it to there. */
struct clock_stretch {
    struct pkt_cursor rest;
    uint64_t cycles;
    uint8_t before; /* kind of the packet in front of the rest */
};

/* All of it: an MTC that follows at once ends it. */
struct clock_stretch clock_stretch_from(struct pkt_cursor rest);
/* It, over such a stretch; or where the MTC is known that it ends with. */
void clock_measure(struct pt_clock *c, struct clock_stretch ahead);
void clock_measured_until(struct pt_clock *c, const struct clock_step *mtc);

/* Tracing starts here: estimated cycles count from now on. */
void clock_trace_on(struct pt_clock *c);

#endif
