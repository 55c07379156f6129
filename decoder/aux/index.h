/* index.h - what was found out about the trace of a recording, to be kept beside it.
 *
 * SPDX-License-Identifier: MIT
 *
 *     FILE.ptidx    head, with a checksum of all | pieces | PSBs | queues | windows
 *
 * All are 64-bit numbers of this machine's byte order, in the structs below.  An index is
 * never believed without need: it must be of a recording of the same size, head and pieces
 * (each by where it is, its record and its first bytes), and whoever goes to a PSB looks whether
 * it is there.
 */
#ifndef PTS_DECODER_AUX_INDEX_H
#define PTS_DECODER_AUX_INDEX_H

#include "decoder/aux/auxtrace.h"
#include "decoder/pt/psb_list.h"
#include "decoder/pt/survey.h"

struct index_piece {
    uint64_t off, len;     /* of its record; bytes of trace */
    uint64_t hash;         /* index_hash */
    uint64_t first, count; /* of its PSBs; count INDEX_UNLISTED: they are not there */
};
#define INDEX_UNLISTED UINT64_MAX

struct index_queue {
    uint64_t idx;
    int64_t cpu, tid; /* -1: not of one */
    struct survey_sum sum;
    uint64_t first, count; /* of its windows */
};

/* Zero-initialise; give back with index_free. */
struct trace_index {
    VEC(struct index_piece) piece; /* ascending by off */
    struct psb_list psbs;
    VEC(struct index_queue) queue;
    VEC(struct survey_window) window;
};
void index_free(struct trace_index *x);

/* What tells a piece from others, as far as it is cheap to read. */
uint64_t index_hash(const struct aux_buf *b);
/* Puts the pieces in order, once all have been added. */
void index_sort(struct trace_index *x);

/* A VEC of bytes. */
struct index_bytes {
    uint8_t *at;
    size_t len, cap;
};
/* The file. */
PTS_MUST_USE pts_status index_write(const struct trace_index *x,
                                    const struct perf_file *f, struct index_bytes *out);
/* Whether a file that begins so is an index. */
enum { INDEX_MAGIC = 8 };
bool index_is(const uint8_t *bytes, size_t n);
/* Reads it.  PTS_E_FORMAT: it cannot be used, *why says for what reason (static). */
PTS_MUST_USE pts_status index_read(const uint8_t *bytes, size_t n,
                                   const struct perf_file *f, struct trace_index *out,
                                   const char **why);

/* The piece b, or NULL when it is not the one that was there. */
const struct index_piece *index_find(const struct trace_index *x,
                                     const struct aux_buf *b);
/* The piece of the record at off, which is not looked at; or NULL. */
const struct index_piece *index_piece_at(const struct trace_index *x, uint64_t off);

#endif
