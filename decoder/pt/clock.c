/* clock.c - the clock of a PT stream.
 *
 * SPDX-License-Identifier: MIT
 *
 *     TSC   TMA        MTC        CYC MTC    CYC   CYC MTC
 *     now   ctc_base   +period    +period              +period
 *                                     |--- so many ----|
 *                                     cycles took so long
 *
 * Once it is known, the time never goes back: whatever says an earlier one is passed over,
 * but for a TSC that has wrapped around.
 */
#include "decoder/pt/clock.h"

enum {
    TSC_BITS = 56,
    TSC_SLIP = 0x10000, /* a TSC may be this much behind the MTC that overtook it */
    CTC_IN_TMA_BITS = 16
};

static const uint64_t tsc_top = 0xffull << TSC_BITS;
static const uint64_t tsc_wrap = 1ull << TSC_BITS;

void clock_init(struct pt_clock *c, const struct clock_config *conf)
{
    *c = (struct pt_clock){.conf = *conf};
    if (!conf->ctc_n)
        c->conf.ctc_d = 0;
    /* Mostly the ratio is whole, and a multiplication is enough. */
    if (c->conf.ctc_d && conf->ctc_n % conf->ctc_d == 0)
        c->ctc_mult = conf->ctc_n / conf->ctc_d;
    c->nominal = conf->max_nonturbo;
}

void clock_restart(struct pt_clock *c, uint64_t ref)
{
    c->ref = ref;
    c->now = 0;
    c->have_tma = false;
}

uint64_t clock_of_ctc(const struct pt_clock *c, uint64_t ticks)
{
    if (c->ctc_mult)
        return ticks * c->ctc_mult;
    uint64_t n = c->conf.ctc_n, d = c->conf.ctc_d;
    /* In two parts, so that the product does not run over. */
    return d ? ticks / d * n + ticks % d * n / d : 0;
}

uint64_t tsc_near(uint64_t tsc, uint64_t ref)
{
    /* Packets have the lower 7 bytes: of the times that fit, the one that is
     * nearest. */
    tsc |= ref & tsc_top;
    if (tsc < ref && ref - tsc > tsc_wrap / 2)
        tsc += tsc_wrap;
    else if (tsc > ref && tsc - ref > tsc_wrap / 2)
        tsc -= tsc_wrap;
    return tsc;
}

/* A 56-bit time after c->now: small steps back are slips, large ones a wrap or an
 * error. */
static uint64_t tsc_after(struct pt_clock *c, uint64_t tsc)
{
    tsc |= c->now & tsc_top;
    c->tsc = tsc;
    if (tsc >= c->now)
        return tsc;
    if (c->now - tsc < TSC_SLIP)
        return c->now;
    if (c->buf_ref && tsc + tsc_wrap >= c->buf_ref)
        return c->now; /* later than the buffer was written: a bad TSC */
    c->tsc = tsc + tsc_wrap;
    return c->tsc;
}

static void cycles_restart(struct pt_clock *c)
{
    c->cyc_base = c->now;
    c->cyc_count = 0;
    c->have_measured = false;
}

void clock_tsc(struct pt_clock *c, uint64_t payload, bool after_cyc)
{
    c->have_tma = false;
    if (c->ref) {
        c->now = c->tsc = tsc_near(payload, c->ref);
        c->ref = 0;
        c->insns = 0;
    } else if (c->now) {
        c->now = tsc_after(c, payload);
        c->insns = 0;
    }
    if (after_cyc)
        cycles_restart(c);
}

void clock_trace_on(struct pt_clock *c)
{
    if (c->have_cyc)
        return;
    c->est_from = c->now;
    c->est_base = c->cycles;
}

static void estimate_cycles(struct pt_clock *c, bool tracing)
{
    if (c->have_cyc)
        return;
    c->cycles_fresh = true;
    if (!tracing || c->now <= c->est_from)
        return;
    /* Without CYC packets cycles are guessed: time passed, times the ratio of the last
     * CBR. */
    uint64_t total = u64_of_double((double)(c->now - c->est_from) * c->cyc_per_tsc +
                                   (double)c->est_base);
    if (total > c->cycles)
        c->cycles = total;
}

void clock_tma(struct pt_clock *c, uint32_t ctc, uint32_t fast, bool tracing,
               bool in_psb)
{
    if (!c->conf.ctc_d)
        return;
    if (tracing && !in_psb)
        clock_trace_on(c);
    else
        estimate_cycles(c, tracing);
    uint32_t rem = ctc & ((1u << c->conf.mtc_shift) - 1);
    c->last_mtc = (ctc >> c->conf.mtc_shift) & 0xff;
    /* MTCs are counted from where the CTC last had a whole period, which is that long
     * ago. */
    uint64_t past = clock_of_ctc(c, rem);
    if (c->ctc_mult)
        past = (uint32_t)past; /* as perf multiplies here */
    c->ctc_base = c->tsc - fast - past;
    c->ctc_ticks = 0;
    c->have_tma = true;
    c->fix_mtc = true;
}

/* Where the next MTC puts the clock; part of it can be tried ahead on a copy. */
struct mtc_state {
    uint32_t last;
    uint64_t ticks;
    bool fix;
};

/* TMA holds 16 bits of CTC; of a period above 2^8 the last MTC then lacks its top bits:
 * take the nearest value before the MTC now seen. */
static uint32_t mtc_complete(uint32_t last, uint32_t mtc, uint32_t shift)
{
    /* % 32: a damaged file may say any period, and perf shifts as x86 does */
    uint32_t missing = 1u << (CTC_IN_TMA_BITS - shift) % 32;
    last |= mtc & ~(missing - 1);
    return last < mtc ? last : (last - missing) & 0xff;
}

static uint64_t mtc_step(const struct pt_clock *c, struct mtc_state *s, uint32_t mtc)
{
    if (s->fix && c->conf.mtc_shift > CLOCK_WHOLE_MTC) {
        s->fix = false;
        s->last = mtc_complete(s->last, mtc, c->conf.mtc_shift);
    }
    s->ticks += clock_mtc_ticks(c, s->last, mtc);
    s->last = mtc;
    return c->ctc_base + clock_of_ctc(c, s->ticks);
}

/* So many cycles went by from now to target. */
static void take_measure(struct pt_clock *c, uint64_t target, uint64_t cycles,
                         uint32_t cbr, double by_cbr)
{
    if (!cbr && c->cbr) {
        cbr = c->cbr;
        by_cbr = c->by_cbr;
    }
    if (!cycles)
        return;
    double per_cycle = (double)(target - c->now) / (double)cycles;
    if (cbr && clock_too_slow(per_cycle, by_cbr))
        return;
    c->measured = per_cycle;
    c->have_measured = true;
}

/* Passes outcomes, targets and short counts of cycles, which are nearly all there is; *before: the
 * kind of the last of them. */
static inline void pass_short(struct pkt_cursor *rest, uint64_t *cycles,
                              unsigned *before)
{
    const uint8_t *at = rest->at;
    struct pts_pkt tip;

    for (; rest->ctx == PKT_CTX_NONE && rest->end - at >= PKT_WIDE; at++) {
        uint8_t lead = *at;
        if (!(lead & 1) && lead > 2) {
            *before = PTS_PKT_TNT;
            continue;
        }
        if (rd_u16(at) == PKT_LONG_TNT && rd_u64(at) >> 16) {
            at += PKT_LONG_TNT_SIZE - 1;
            *before = PTS_PKT_TNT;
            continue;
        }
        if ((lead & 0x1f) == PKT_TIP_LEAD) {
            int size = pkt_ip(at, PTS_PKT_TIP, &tip);
            if (size < 0)
                break;
            at += size - 1;
            *before = PTS_PKT_TIP;
            continue;
        }
        if ((lead & 7) == 7 && !(at[1] & 1))
            *cycles += (uint64_t)(*++at >> 1) << 5;
        else if ((lead & 7) != 3)
            break;
        *cycles += lead >> 3;
        *before = PTS_PKT_CYC;
    }
    rest->at = at;
}

/* Looks ahead for the next MTC that directly follows a CYC, and counts the cycles until
 * it. */
void clock_measure(struct pt_clock *c, struct clock_stretch ahead)
{
    struct mtc_state mtc = {c->last_mtc, c->ctc_ticks, c->fix_mtc};
    struct pkt_cursor rest = ahead.rest;
    uint64_t cycles = ahead.cycles, time = c->now, target;
    uint32_t cbr = 0;
    double by_cbr = 0;
    unsigned before = ahead.before;
    struct pts_pkt p;

    for (;;) {
        pass_short(&rest, &cycles, &before);
        if (pkt_cursor_next(&rest, &p) <= 0)
            return;
        if (p.kind == PTS_PKT_PAD)
            continue;
        if (p.kind == PTS_PKT_CYC) {
            cycles += p.value;
        } else if (p.kind == PTS_PKT_CBR) {
            /* Two frequencies in one stretch: an average would be right for neither. */
            if (cbr && cbr != (uint32_t)p.value)
                return;
            cbr = (uint32_t)p.value;
            by_cbr = c->nominal / cbr;
        } else if (p.kind == PTS_PKT_MTC) {
            if (c->have_tma) {
                target = mtc_step(c, &mtc, (uint32_t)p.value);
                if (target < time)
                    return;
                if (before == PTS_PKT_CYC)
                    break;
                time = target;
            }
        } else if (!pkt_has(p.kind, PKT_STEADY)) {
            return;
        }
        before = p.kind;
    }
    take_measure(c, target, cycles, cbr, by_cbr);
}

struct clock_stretch clock_stretch_from(struct pkt_cursor rest)
{
    return (struct clock_stretch){.rest = rest, .before = PTS_PKT_CYC};
}

struct clock_step clock_step(const struct pt_clock *c, uint32_t mtc)
{
    struct mtc_state s = {c->last_mtc, c->ctc_ticks, c->fix_mtc};
    const uint64_t time = mtc_step(c, &s, mtc);

    return (struct clock_step){s.last, s.fix, s.ticks, time};
}

void clock_measured_until(struct pt_clock *c, const struct clock_step *mtc)
{
    if (mtc->time >= c->now)
        take_measure(c, mtc->time, c->cyc_count, 0, 0);
}

void clock_stepped(struct pt_clock *c, const struct clock_step *to, bool after_cyc,
                   bool tracing)
{
    c->last_mtc = to->last;
    c->ctc_ticks = to->ticks;
    c->fix_mtc = to->fix;
    if (to->time >= c->now)
        c->now = to->time;
    estimate_cycles(c, tracing);
    c->insns = 0;
    if (after_cyc)
        cycles_restart(c);
}

bool clock_tick(struct pt_clock *c, uint32_t mtc, bool after_cyc, bool tracing)
{
    if (!c->have_tma)
        return false;
    const struct clock_step to = clock_step(c, mtc);
    clock_stepped(c, &to, after_cyc, tracing);
    return after_cyc;
}

/* What is estimated of cycles only grows with the time, so that the last one tells it. */
const uint8_t *clock_mtcs(struct pt_clock *c, struct pkt_cursor row, uint64_t until,
                          bool tracing)
{
    struct mtc_state s = {c->last_mtc, c->ctc_ticks, c->fix_mtc};
    const uint8_t *at = row.at;
    enum { SIZE = 2 };

    do {
        uint64_t time = mtc_step(c, &s, at[1]);
        if (time >= c->now)
            c->now = time;
        at += SIZE;
    } while (c->now < until && row.end - at >= PKT_WIDE && *at == PKT_MTC_LEAD);
    c->last_mtc = s.last;
    c->ctc_ticks = s.ticks;
    c->fix_mtc = s.fix;
    estimate_cycles(c, tracing);
    c->insns = 0;
    return at;
}

void clock_mtc(struct pt_clock *c, uint32_t mtc, bool after_cyc, bool tracing,
               struct pkt_cursor rest)
{
    if (clock_tick(c, mtc, after_cyc, tracing))
        clock_measure(c, clock_stretch_from(rest));
}

void clock_cbr(struct pt_clock *c, uint32_t payload, bool tracing)
{
    uint32_t cbr = payload & 0xff;
    c->cbr_payload = payload;
    if (c->cbr == cbr)
        return;
    c->cbr = cbr;
    c->by_cbr = c->nominal / cbr;
    c->cyc_base = c->now;
    c->cyc_count = 0;
    c->cyc_per_tsc = cbr / c->nominal;
    if (tracing)
        clock_trace_on(c);
}

uint64_t clock_at(const struct pt_clock *c, uint64_t count)
{
    return clock_then(c, count, clock_per_cycle(c));
}

/* Cycles are counted in any case.  Time passes only if it is known how long one is:
 * measured, else by the ratio. */
void clock_cyc(struct pt_clock *c, uint64_t cycles, bool tracing)
{
    clock_count(c, cycles, tracing);
    if (!c->cyc_base || (!c->have_measured && !c->cbr))
        return;
    c->now = clock_at(c, c->cyc_count);
    c->insns = 0;
}
