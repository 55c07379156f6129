/* survey.h - when a queue was traced, by its packets alone.
 *
 * SPDX-License-Identifier: MIT
 *
 * No code is followed.  Packets say that execution is seen (TIP.PGE, TNT ...) or is not
 * any more (TIP.PGD, TraceStop, OVF); where it was not seen for long, a window ends:
 *
 *     PGE..TNT..PGD  PGE..TNT..PGD ......long...... PGE..TNT..| piece missing |..TNT
 *     [===== window ==============]                 [=========]               [===
 *
 * Times are those of TSC and MTC packets; CYC is not counted.  So a window begins with the
 * last time known before, and ends with the first behind, or where that is far, a period of
 * MTC later: all that was traced lies within.
 */
#ifndef PTS_DECODER_PT_SURVEY_H
#define PTS_DECODER_PT_SURVEY_H

#include "decoder/base/vec.h"
#include "decoder/pt/clock.h"
#include "decoder/pt/pkt_sizes.h"
#include "decoder/pt/stream.h"

/* Why a window ended.  The numbers are in files (decoder/aux/index.h). */
enum survey_end {
    SURVEY_END = 0,      /* of the queue */
    SURVEY_OFF = 1,      /* what is traced did not run: TIP.PGD */
    SURVEY_STOPPED = 2,  /* TraceStop */
    SURVEY_OVERFLOW = 3, /* packets were lost */
    SURVEY_MISSING = 4,  /* the next piece of trace does not continue the last */
    SURVEY_ENDS = 5      /* how many there are */
};

struct survey_window {
    uint64_t from, to; /* TSC ticks */
    uint64_t seen;     /* the last time known before it ended: `to` may be far behind */
    uint64_t bytes;    /* of trace in it */
    uint64_t overflows;
    uint64_t end; /* enum survey_end */
};

/* What all of a queue has.  Only 64-bit numbers: it is written as it is. */
struct survey_sum {
    uint64_t bytes, pieces;
    uint64_t overflows;   /* OVF packets */
    uint64_t bad;         /* places that are no packets */
    uint64_t first, last; /* times, TSC ticks; 0: none is known */
};

struct survey {
    struct survey_sum sum;
    VEC(struct survey_window) window;

    const struct pkt_sizes *sizes;
    struct pt_clock clk;
    uint64_t gap;          /* ticks: what is shorter is no end */
    uint64_t period, step; /* ticks between two MTCs; step 0: none was seen yet */
    bool on;               /* execution is seen */
    bool open;             /* there is a window: */
    struct survey_window now;
    uint64_t began;     /* sum.bytes when it was opened */
    uint64_t off_since; /* not on: since when and ... */
    uint64_t off_until; /* ... by when at the latest; 0: not known yet */
    uint64_t off_at;    /* bytes up to there */
};

/* Of packets in which nothing is new while execution is seen. */
void survey_sizes_make(struct pkt_sizes *out);
/* sizes: as that makes them, lent. */
void survey_init(struct survey *s, const struct pkt_sizes *sizes,
                 const struct clock_config *clock, uint64_t gap);
void survey_free(struct survey *s);
/* The next buffer of the queue.  False: no memory. */
PTS_MUST_USE bool survey_buffer(struct survey *s, const struct pt_buf *buf);
/* After the last: s->sum and s->window are complete.  False: no memory. */
PTS_MUST_USE bool survey_end(struct survey *s);

#endif
