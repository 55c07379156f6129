/* record.h - a record and what it says.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records are looked at in two steps, since half of all passes over a recording need
 * only the first:
 *
 *     head    struct perf_rec: where it is, of what type, whose, when    perf_rec.h
 *     body    union pts_record_body: what it says                        this file
 *
 * Each type has one function that reads its body (body.h), found by a table that
 * records.def is.  All that works with records gets the same typed struct: the
 * side-band, the dump, the counters of warnings, and programs.
 *
 *     struct record r;
 *     if (record_read(f, place, &r) == PTS_OK && r.how == PTS_RECORD_WHOLE &&
 *         r.head.type == PTS_RECORD_COMM)
 *         ... r.head.id.time, r.u.comm.comm ...
 */
#ifndef PTS_DECODER_RECORD_RECORD_H
#define PTS_DECODER_RECORD_RECORD_H

#include "decoder/record/perf_rec.h"

struct record {
    struct perf_rec head;
    enum pts_record_how how;
    union pts_record_body u; /* which member: records.def; `bytes` unless it is whole */
};

/* What the record r, whose head perf_rec_at gave, says.  f may be NULL when r has no
 * event. */
enum pts_record_how record_body(const struct perf_file *f, const struct perf_rec *r,
                                union pts_record_body *out);

/* The record at off, an offset that perf_rec_at takes.  PTS_E_RANGE: too short for its
 * sample id; of out->head is then set what perf_rec_at sets, and nothing is read. */
PTS_MUST_USE pts_status record_read(const struct perf_file *f, uint64_t off,
                                    struct record *out);

/* What the public interface gives of r, lent by its file: of its head alone, or all.
 * place: where the caller is told that it is. */
void record_public_head(const struct perf_rec *r, const struct perf_shown *place,
                        struct pts_record *out);
void record_public(const struct record *r, const struct perf_shown *place,
                   struct pts_record *out);

/* Whether r is one of this type that says what its type has to say. */
static inline bool record_is(const struct record *r, enum pts_record_type type)
{
    return r->head.type == (uint32_t)type && r->how == PTS_RECORD_WHOLE;
}

/* The row for a type in a table of what is done with records, indexed by their type and
 * as long as it needs to be.  Types without a row get row 0, which no type has and
 * which must therefore be empty. */
#define RECORD_ROW(table, type)                                                        \
    ((table)[(type) < sizeof(table) / sizeof((table)[0]) ? (type) : 0])

#endif
