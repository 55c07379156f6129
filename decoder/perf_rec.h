/* perf_rec.h - records of a perf.data file, and what the kernel's ones say.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is copied: a record is a place in the file plus its sample id.  Bodies are
 * parsed on demand; a body that is shorter than it claims is PTS_E_RANGE, and such a
 * record is to be passed over.  Strings are NUL-terminated and end inside the record.
 */
#ifndef PTS_DECODER_PERF_REC_H
#define PTS_DECODER_PERF_REC_H

#include "decoder/perf_file.h"

#include <ptscript/record.h>

struct perf_rec {
    uint64_t off;       /* on the tape */
    const uint8_t *ptr; /* its header */
    uint64_t payload;   /* bytes behind the record that belong to it, all readable */
    uint32_t type;
    uint16_t misc, size;
    uint16_t body_end; /* offset of the sample id, or size */
    uint32_t evsel;    /* index, or PERF_NO_EVSEL: perf's own, or its id is unknown */
    struct pts_sample_id id;
};

/* The header of the record at the front of `bytes`, which will be at off.  unpacked: it
 * was packed, which its payload cannot be.  PTS_E_RANGE when there is no whole record.
 * For perf_scan. */
pts_status perf_rec_parse(struct pts_bytes bytes, uint64_t off, bool unpacked,
                          struct perf_rec *out);
/* The same for the record at off on the tape. */
pts_status perf_rec_header(const struct perf_file *f, uint64_t off,
                           struct perf_rec *out);
/* Its payload as it claims, of which r->payload bytes are there. */
uint64_t perf_rec_claim(const struct perf_rec *r);

/* The event of a kernel record, or PERF_NO_EVSEL: the rules of perf for files with one
 * event, without sample_id_all, and for records perf wrote itself (id 0) all mean the
 * first.  foreign: the record's body is of the other byte order. */
uint32_t perf_rec_evsel(const struct perf_file *f, const struct perf_rec *r,
                        bool foreign);

/* COMPRESSED and COMPRESSED2: what they pack. */
static inline bool perf_rec_is_packed(const struct perf_rec *r)
{
    return r->type == PERF_REC_COMPRESSED || r->type == PERF_REC_COMPRESSED2;
}
struct pts_bytes perf_rec_packed_data(const struct perf_rec *r);

/* The record at off < f->data_end, an offset that this iteration gave.  PTS_E_RANGE:
 * too short for its sample id; *out is then filled up to evsel. for (uint64_t off =
 * f->data_off; off < f->data_end; off = perf_rec_next(&r)) */
pts_status perf_rec_at(const struct perf_file *f, uint64_t off, struct perf_rec *out);

/* The second half of that, for a record of perf_rec_parse: its event and its sample id.
 */
pts_status perf_rec_identify(const struct perf_file *f, struct perf_rec *r);

static inline uint64_t perf_rec_next(const struct perf_rec *r)
{
    return r->off + r->size + r->payload;
}

static inline struct reader perf_rec_body(const struct perf_rec *r)
{
    return reader_of(r->ptr + PERF_REC_HEADER, (size_t)(r->body_end - PERF_REC_HEADER));
}

/* Bodies, by type; where two share a struct the function is for both. */
pts_status perf_rec_mmap(const struct perf_rec *r, struct pts_mmap *out);
pts_status perf_rec_comm(const struct perf_rec *r, struct pts_comm *out);
pts_status perf_rec_task(const struct perf_rec *r, struct pts_task *out);
pts_status perf_rec_aux(const struct perf_rec *r, struct pts_aux *out);
pts_status perf_rec_pid_tid(const struct perf_rec *r, struct pts_thread *out);
pts_status perf_rec_lost(const struct perf_rec *r, struct pts_lost *out);
pts_status perf_rec_namespaces(const struct perf_rec *r, struct pts_namespaces *out);
pts_status perf_rec_ksymbol(const struct perf_rec *r, struct pts_ksymbol *out);
pts_status perf_rec_bpf(const struct perf_rec *r, struct pts_bpf_event *out);
pts_status perf_rec_cgroup(const struct perf_rec *r, struct pts_cgroup *out);
pts_status perf_rec_text_poke(const struct perf_rec *r, struct pts_text_poke *out);
pts_status perf_rec_hw_id(const struct perf_rec *r, uint64_t *out);
pts_status perf_rec_throttle(const struct perf_rec *r, struct pts_throttle *out);
pts_status perf_rec_deferred(const struct perf_rec *r, struct pts_deferred *out);

/* READ as perf's dump looks at it: the words after pid and tid as one counter's
 * read_format has them in this order: value, enabled, running, id, lost; words[] beyond
 * the record are zero. */
struct perf_read {
    int32_t pid, tid;
    uint64_t words[5];
};
pts_status perf_rec_read(const struct perf_rec *r, struct perf_read *out);

#endif
