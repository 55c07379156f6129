/* perf_rec.h - the head of a record: where it is, of what type, whose and when.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | type misc size | body ......... | tid time id stream cpu identifier | payload |
 *     8 bytes                           ^ body_end: only with sample_id_all
 *
 * Nothing is copied here: a record is a place on the tape plus its sample id.  What the body
 * says is read by record.h.
 */
#ifndef PTS_DECODER_RECORD_PERF_REC_H
#define PTS_DECODER_RECORD_PERF_REC_H

#include "decoder/file/perf_file.h"

#include <ptscript/record.h>

struct perf_rec {
    uint64_t off;          /* on the tape */
    const uint8_t *ptr;    /* its header */
    const uint8_t *behind; /* its payload ... */
    uint64_t payload; /* ... bytes behind the record that belong to it, all readable */
    bool kept;        /* the record, not its payload, is in memory (perf_keep.h) */
    uint32_t type;
    uint16_t misc, size;
    uint16_t body_end; /* offset of the sample id, or size */
    uint32_t evsel;    /* index, or PTS_NO_EVENT: perf's own, or its id is unknown */
    struct pts_sample_id id;
};

/* The header of the record at the front of `bytes`, which will be at off.  unpacked: it
 * was packed, which its payload cannot be.  PTS_E_RANGE when there is no whole record.
 */
pts_status perf_rec_parse(struct pts_bytes bytes, uint64_t off, bool unpacked,
                          struct perf_rec *out);
/* The same for the record at off on the tape.  PTS_E_RANGE when it is there no more: a
 * file that is cut while it is mapped reads as zeros.  *out is then of size 0. */
pts_status perf_rec_header(const struct perf_file *f, uint64_t off,
                           struct perf_rec *out);
/* Its payload as it claims, of which r->payload bytes are there. */
uint64_t perf_rec_claim(const struct perf_rec *r);

/* The event of a kernel record, or PTS_NO_EVENT: the rules of perf for files with one
 * event, without sample_id_all, and for records perf wrote itself (id 0) all mean the
 * first.  foreign: the record's body is of the other byte order. */
uint32_t perf_rec_evsel(const struct perf_file *f, const struct perf_rec *r,
                        bool foreign);

/* COMPRESSED and COMPRESSED2: what they pack. */
static inline bool perf_rec_is_packed(const struct perf_rec *r)
{
    return r->type == PTS_RECORD_COMPRESSED || r->type == PTS_RECORD_COMPRESSED2;
}
struct pts_bytes perf_rec_packed_data(const struct perf_rec *r);

/* The record at off < f->data.end, an offset that this iteration gave:
 *
 *     for (uint64_t off = f->data.off; off < f->data.end; off = perf_rec_next(&r))
 *
 * PTS_E_RANGE: too short for its sample id, *out is then filled up to evsel; or as
 * perf_rec_header. */
pts_status perf_rec_at(const struct perf_file *f, uint64_t off, struct perf_rec *out);

/* The second half of that, for a record of perf_rec_parse: its event and its sample id.
 */
pts_status perf_rec_identify(const struct perf_file *f, struct perf_rec *r);

static inline struct pts_bytes perf_rec_payload(const struct perf_rec *r)
{
    return (struct pts_bytes){r->behind, (size_t)r->payload};
}

/* Nothing can be found behind a record that is there no more. */
static inline uint64_t perf_rec_next(const struct perf_rec *r)
{
    return r->size ? r->off + r->size + r->payload : UINT64_MAX;
}

/* perf_file_passed, of a record that was looked at, but not at its payload: the system maps what is
 * near by.  Records in the order of their times are now here, now there. */
static inline void perf_rec_passed(const struct perf_file *f,
                                   struct perf_passed *passed, const struct perf_rec *r)
{
    enum { NEAR = 64 << 10 };
    const uint64_t place = r->off / NEAR;
    uint64_t *known = &passed->place[place % PERF_PASSED_PLACES];

    if (r->kept || place == *known)
        return;
    *known = place;
    perf_file_passed(f, passed, NEAR);
}

static inline struct reader perf_rec_body(const struct perf_rec *r)
{
    return reader_of(r->ptr + PERF_REC_HEADER, (size_t)(r->body_end - PERF_REC_HEADER));
}

#endif
