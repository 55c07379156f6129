/* out_dump.h - every record and every packet of a recording: perf script -D.
 *
 * SPDX-License-Identifier: MIT
 *
 *     dump_record    "0x5a8@perf.data [0x38]: event: 3", its bytes, "PERF_RECORD_COMM ..."
 *     dump_trace     ". ... Intel Processor Trace data: size 4096 bytes", and then
 *     dump_packets   ".  00000000:  02 82 02 82 ...", as often as there are more
 *
 * Packets come in steps, so that the caller can write the text out and begin anew: memory
 * does not grow with the trace.
 */
#ifndef PTS_SYNTH_PRINT_DUMP_OUT_DUMP_H
#define PTS_SYNTH_PRINT_DUMP_OUT_DUMP_H

#include "decoder/aux/auxtrace.h"
#include "decoder/record/perf_order.h"
#include "synth/print/record/rec_text.h"

#include <ptscript/packet.h>

struct dump_opts {
    const struct perf_file *file;
    bool file_order; /* records come as they stand in the file */
    bool rounds;     /* --show-round-events */
    bool lost;       /* --show-lost-events: its line stands for what LOST records say */
    bool no_itrace;  /* records only */
    bool no_errors;  /* of those of a trace nothing is told */
    struct rec_names names;
    void *ctx; /* of lines, which may be NULL */
    /* Appends what perf script prints for this record besides. */
    void (*lines)(void *ctx, const struct record *r, struct text *t);
};

struct dump {
    struct dump_opts o;
    uint64_t info;             /* offset of the AUXTRACE_INFO seen, 0 none yet */
    struct pts_pkt_cursor aux; /* packets still to be printed */
    const uint8_t *aux_start;
};

/* Everything in opts is kept (lent). */
void dump_init(struct dump *d, const struct dump_opts *opts);
/* A record; good: it could be read. */
void dump_record(struct dump *d, const struct record *r, bool good, struct text *t);
/* The beginning of the trace that an AUXTRACE or SAMPLE record brought. */
void dump_trace(struct dump *d, const struct record *r, struct text *t);

static inline bool dump_has_packets(const struct dump *d)
{
    return d->aux.at < d->aux.end;
}

/* Lines of packets: as many as make about 64 KiB of text. */
void dump_packets(struct dump *d, struct text *t);

/* The part of a whole sample behind PERF_RECORD_SAMPLE. */
void dump_sample(struct text *t, const struct perf_file *f, const struct record *r);

#endif
