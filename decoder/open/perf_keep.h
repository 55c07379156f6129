/* perf_keep.h - records that are kept in memory, apart from the trace that lies between them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Of a trace perf record writes some records, a piece of tens of KB, some records ...  All records
 * are looked at several times, the trace once; and to look at a record in the file brings in what is
 * near it, so that each time all of the file would pass through memory.
 *
 *     file    | COMM MMAP | AUXTRACE | piece ... | SWITCH AUX SWITCH | AUXTRACE | piece ...
 *     memory              | AUXTRACE |           | SWITCH AUX SWITCH | AUXTRACE |
 */
#ifndef PTS_DECODER_OPEN_PERF_KEEP_H
#define PTS_DECODER_OPEN_PERF_KEEP_H

#include "decoder/record/perf_rec.h"

/* A part of the file in which the next records are. */
struct keep_look {
    const uint8_t *at; /* in the mapping */
    size_t len;
    uint8_t bytes[UINT16_MAX + 1];
};
/* The record at the front of bytes, or a copy of it, if it will be kept: so none of its pages comes in.
 * Good until the next call. */
const uint8_t *perf_keep_look(const struct perf_file *f, const struct input *in,
                              struct pts_bytes bytes, struct keep_look *l);
/* Makes a run of the record r, and its payload, that is about to be put onto the tape one that is in
 * memory, if it is worth it: there is trace in the file, it is mapped, and not too many are kept. */
PTS_MUST_USE pts_status perf_keep(struct perf_file *f, struct perf_rec *r,
                                  struct perf_run *run);

#endif
