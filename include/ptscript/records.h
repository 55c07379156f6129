/* records.h - reading the records of a perf.data file, a pipe, or a ring buffer.
 *
 * SPDX-License-Identifier: MIT
 *
 *     pts_records *rs;
 *     struct pts_record r;
 *     if (pts_records_open("perf.data", NULL, &rs, &why) < 0) ...
 *     while (pts_records_next(rs, &r) == PTS_OK)
 *         if (r.type == PTS_RECORD_COMM && r.how == PTS_RECORD_WHOLE)
 *             printf("%d is %s\n", r.u.comm.tid, r.u.comm.comm);
 *     pts_records_close(rs);
 *
 * docs/examples/records.c does this and the rest.  No trace is decoded, and no record
 * costs an allocation: a record is a few numbers and pointers into the file, or into
 * the bytes that were given.  A reader must not be used by two threads at once.
 *
 * What a record points to is lent: of an opened file until pts_records_close; of bytes
 * that were given as long as the caller keeps them, but only until the next call when
 * they had to be copied, which is so for recordings of the other byte order, for
 * records that came in two pieces, and for those that were compressed.
 *
 * Nothing that a recording says is trusted: a record that is not what it claims to be
 * is delivered with its bytes alone (PTS_RECORD_DAMAGED), and so is one of a type that
 * is not known (PTS_RECORD_UNKNOWN).  Neither ends the reading.
 */
#ifndef PTSCRIPT_RECORDS_H
#define PTSCRIPT_RECORDS_H

#include <ptscript/features.h>
#include <ptscript/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pts_records pts_records;

enum pts_records_order {
    PTS_ORDER_STORED, /* as they stand in the file */
    PTS_ORDER_TIME /* as perf handles them: by time, those without a time in between */
};

/* Size first, so that members can be added: start from PTS_RECORDS_OPTS_INIT. */
struct pts_records_opts {
    size_t size;
    int force;   /* open: accept a file of another user */
    int order;   /* open: enum pts_records_order; time costs 16 bytes a record */
    int foreign; /* new: the bytes are of the other byte order than ours */
    const char *temp_dir; /* open: where what comes through a pipe, compressed or in the
                           * other byte order is kept when it does not fit into memory;
                           * NULL: it has to fit */
};
#define PTS_RECORDS_OPTS_INIT                                                          \
    {                                                                                  \
        sizeof(struct pts_records_opts), 0, 0, 0, 0                                    \
    }

/* --- Files ----------------------------------------------------------------------- */

/* A file, a directory of perf record, or a pipe ("-": standard input), which is read to
 * its end first.  The path is kept (lent).  Compressed records are unpacked and not
 * seen. opts may be NULL.  On failure *why says what was wrong and where. */
PTS_API PTS_MUST_USE pts_status pts_records_open(const char *path,
                                                 const struct pts_records_opts *opts,
                                                 pts_records **out,
                                                 struct pts_diag *why);
PTS_API void pts_records_close(pts_records *rs); /* NULL is fine */

/* The next record.  PTS_END after the last, and for a reader of pts_records_new. */
PTS_API PTS_MUST_USE pts_status pts_records_next(pts_records *rs,
                                                 struct pts_record *out);
/* All records from here on.  PTS_E_CANCELLED when a function of v ended it. */
PTS_API PTS_MUST_USE pts_status pts_records_visit(pts_records *rs,
                                                  const struct pts_visitor *v);
/* Begins anew, in this order (enum pts_records_order). */
PTS_API PTS_MUST_USE pts_status pts_records_rewind(pts_records *rs, int order,
                                                   struct pts_diag *why);

/* --- Bytes ----------------------------------------------------------------------- */

/* A reader of bytes that the caller gives: of a stream piece by piece
 * (pts_records_feed), or record by record (pts_record_parse), as they lie in the ring
 * buffer of perf_event_open(2).  opts may be NULL. */
PTS_API PTS_MUST_USE pts_status pts_records_new(const struct pts_records_opts *opts,
                                                pts_records **out,
                                                struct pts_diag *why);

/* Tells the reader of an event: the n bytes of its perf_event_attr, in the byte order
 * of the recording, and the ids of its counters, in ours.  Without its event a record
 * of the kernel has no id, and a sample is damaged; HEADER_ATTR records tell of events,
 * too. PTS_E_FORMAT: the records of this event could not be told from those of the
 * others. */
PTS_API PTS_MUST_USE pts_status pts_records_add_event(pts_records *rs, const void *attr,
                                                      size_t n, const uint64_t *ids,
                                                      size_t id_count,
                                                      struct pts_diag *why);

/* The type of payload in a stream. */
#define PTS_RECORD_PAYLOAD UINT32_MAX

/* The next record of a stream.  *bytes and *n are what came last, and are moved past
 * what was used.  PTS_END when more has to come; *n is 0 then, and the beginning of a
 * record is kept. The stream may begin with a pipe's header, which also tells its byte
 * order.  The payload of a record follows it and is delivered as it comes, in records
 * of type PTS_RECORD_PAYLOAD that have only u.bytes and offset.  Instead of a
 * compressed record those in it are delivered, with its offset; memory for that is
 * allocated with the first.  PTS_E_FORMAT: no record can begin like this, or be
 * unpacked; the stream is lost. */
PTS_API PTS_MUST_USE pts_status pts_records_feed(pts_records *rs, const void **bytes,
                                                 size_t *n, struct pts_record *out,
                                                 struct pts_diag *why);

/* The record that n bytes begin with, and what there is of its payload behind it; the
 * next one begins at out->bytes.len + out->payload_size. PTS_E_TRUNCATED: it is longer
 * than n.  PTS_E_FORMAT: no record can begin like this.  A compressed record is
 * delivered as it is. */
PTS_API PTS_MUST_USE pts_status pts_record_parse(pts_records *rs, const void *bytes,
                                                 size_t n, struct pts_record *out,
                                                 struct pts_diag *why);

/* --- What is known --------------------------------------------------------------- */

/* An event; of bytes that are given, as far as they have come.  Lent until an event is
 * added. */
struct pts_event_info {
    const struct pts_attr *attr;
    const char *name; /* as recorded; NULL when the recording does not say */
    const uint64_t *ids;
    size_t id_count;
};
PTS_API size_t pts_records_event_count(const pts_records *rs);
/* Event i, in the order of the recording; PTS_END when there is none. */
PTS_API PTS_MUST_USE pts_status pts_records_event(const pts_records *rs, size_t i,
                                                  struct pts_event_info *out);
/* The counter with this id; PTS_END when there is none. */
PTS_API PTS_MUST_USE pts_status pts_records_counter(const pts_records *rs, uint64_t id,
                                                    struct pts_counter *out);
/* A feature section (enum pts_feature) of an opened file; PTS_END when it has none.
 * Where bytes are given, FEATURE records bring them: pts_feature_begin reads their
 * data. */
PTS_API PTS_MUST_USE pts_status pts_records_feature(const pts_records *rs, uint32_t id,
                                                    struct pts_feature_iter *out);

/* Set size before the call: no more than that is written. */
struct pts_records_facts {
    size_t size;
    uint64_t records; /* delivered since the beginning or the last rewind, */
    uint64_t unknown; /* of those, of types that are not known, */
    uint64_t damaged; /* of those, not what they claim to be */
    int pipe;         /* pipe format */
    int foreign;      /* of a machine of the other byte order */
    int no_data_size; /* the header gives none: perf record was killed */
    int cut;          /* the data ends early or has a bad record, at cut_offset */
    uint64_t cut_offset;
};
PTS_API void pts_records_facts(const pts_records *rs, struct pts_records_facts *out);

#ifdef __cplusplus
}
#endif
#endif
