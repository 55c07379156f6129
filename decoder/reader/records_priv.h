/* records_priv.h - what the parts of the public reader of records share.
 *
 * SPDX-License-Identifier: MIT
 *
 * A reader is one of two kinds: of an opened file, whose records stay where they are,
 * or of bytes that the caller gives, which are only there until the next call.
 */
#ifndef PTS_DECODER_READER_RECORDS_PRIV_H
#define PTS_DECODER_READER_RECORDS_PRIV_H

#include "decoder/record/perf_order.h"
#include "decoder/open/perf_zstd.h"
#include "decoder/record/record.h"

#include <ptscript/records.h>

/* Compressed records of a stream. */
struct records_unpack {
    struct perf_zstd *zstd;
    uint8_t *room;         /* UNPACK_BYTES; NULL until there is one */
    struct pts_bytes in;   /* packed bytes to come, in `hold` */
    struct pts_bytes rest; /* unpacked bytes, in `room`: records not yet delivered */
    uint64_t at;           /* where the record is that they were in */
    bool on;               /* there may be more */
};

struct pts_records {
    struct perf_file *file;
    struct pts_records_facts facts;

    uint64_t off; /* of an opened file: the next record in stored order, */
    struct perf_order order;
    bool by_time;
    size_t next; /* ... and by time */

    bool given; /* bytes are given; the rest is for them */
    bool foreign;
    uint64_t fed;     /* bytes that are done with */
    uint64_t payload; /* bytes still to come of the last record's */
    uint8_t *hold;    /* HOLD_BYTES */
    size_t held;      /* of a record that has not come whole */
    bool lost;        /* nothing can be made of the stream any more */
    struct records_unpack unpack;
};

/* What the caller asked for: option structs of older callers are shorter. */
struct pts_records_opts records_opts_of(const struct pts_records_opts *from);
pts_status records_no_memory(struct pts_diag *why);
/* The record r, whose head was found with status st, as the public interface gives it,
 * and counts it; place: where the caller is told that it is. */
void records_tell(pts_records *rs, const struct perf_rec *r, pts_status st,
                  const struct perf_shown *place, struct pts_record *out);

/* --- records_given.c --- */

/* Bytes of the record that begins with these 8, 0 when none can. */
size_t records_size_of(const pts_records *rs, const uint8_t *p);
/* Turns a whole record of the other byte order around: its bytes must be ours. */
void records_turn(const struct perf_file *f, uint8_t *bytes, size_t n);
/* The record that these bytes begin with, and what there is of its payload, unless it
 * was unpacked: then it has none.  What it tells of events is learnt. */
PTS_MUST_USE pts_status records_deliver(pts_records *rs, struct pts_bytes bytes,
                                        uint64_t offset, bool unpacked,
                                        struct pts_record *out, struct pts_diag *why);

/* --- records_unpack.c --- */

/* Begins with a COMPRESSED record at `at`, whose bytes stay until all is unpacked. */
PTS_MUST_USE pts_status records_unpack_begin(pts_records *rs, struct pts_bytes packed,
                                             uint64_t at, struct pts_diag *why);
/* The next record in it.  PTS_END: all were delivered, but for one that has not come
 * whole. */
PTS_MUST_USE pts_status records_unpack_next(pts_records *rs, struct pts_record *out,
                                            struct pts_diag *why);

#endif
