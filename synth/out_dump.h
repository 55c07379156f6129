/* out_dump.h - every record and every packet of a recording: perf script -D.
 *
 * SPDX-License-Identifier: MIT
 *
 * Text is appended to a buffer in steps, so that the caller can write it out and begin
 * anew: memory does not grow with the file.
 */
#ifndef PTS_SYNTH_OUT_DUMP_H
#define PTS_SYNTH_OUT_DUMP_H

#include "decoder/auxtrace.h"
#include "decoder/perf_order.h"
#include "decoder/perf_sample.h"
#include "synth/rec_text.h"

#include <ptscript/packet.h>

struct dump_opts {
    const struct perf_file *file;
    const struct perf_order
        *order;     /* made in_file_order for --dump-unsorted-raw-trace */
    bool unsorted;  /* file order was asked for */
    bool rounds;    /* --show-round-events */
    bool lost;      /* --show-lost-events: its line stands for what LOST records say */
    bool no_itrace; /* records only */
    bool trig;      /* show TRIG packets, which perf 6.1 calls bad */
    struct rec_names names;
    void *ctx;        /* of the calls below, which may be NULL */
    aux_cpu_fn *keep; /* -C: whether packets of this CPU's buffers are shown */
    /* Called when a record is about to take effect, in front of its text. */
    void (*enter)(void *ctx, const struct perf_rec *r);
    /* Appends what perf script prints for this record; s: NULL but for samples. */
    void (*lines)(void *ctx, const struct perf_rec *r, const struct pts_sample *s,
                  struct text *t);
};

struct dump {
    struct dump_opts o;
    size_t next; /* of order->rec */
    bool begun;
    uint64_t info;             /* offset of the AUXTRACE_INFO seen, 0 none yet */
    struct pts_pkt_cursor aux; /* packets still to be printed */
    const uint8_t *aux_start;
};

/* Everything in opts is kept (lent). */
void dump_init(struct dump *d, const struct dump_opts *opts);
/* Appends the next piece: a record, or about 64 KiB of packets.  PTS_END after the
 * last, PTS_E_NOMEM when t failed. */
PTS_MUST_USE pts_status dump_step(struct dump *d, struct text *t);

/* Lines of packets: as many of the c->end - c->at bytes as make about 64 KiB of text.
 */
void dump_packets(struct text *t, struct pts_pkt_cursor *c, const uint8_t *start,
                  bool trig);
/* For out_dump.c: the part of a sample behind PERF_RECORD_SAMPLE. */
void dump_sample(struct text *t, const struct perf_file *f, const struct perf_rec *r,
                 const struct pts_sample *s);

#endif
