/* perf_tape.h - all records of a recording in one row, as perf reads them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Their bytes need not lie in one row: packed records are unpacked elsewhere, and a
 * directory has several data files.  A place on the tape is a number, counted on from
 * one record to the next; runs say where the bytes are.  In an ordinary file there is
 * one run, and a record's place is its offset in the file.
 */
#ifndef PTS_DECODER_FILE_PERF_TAPE_H
#define PTS_DECODER_FILE_PERF_TAPE_H

#include "decoder/base/vec.h"

#include <ptscript/status.h>

#include <stdint.h>

/* Whole records that lie together. */
struct perf_run {
    uint64_t at, len; /* place of the first, bytes of all */
    const uint8_t *ptr;
    const uint8_t
        *payload;    /* of a single record that has it elsewhere; NULL: behind it */
    bool kept;       /* ptr is memory, not the file (perf_keep.h) */
    uint64_t shown;  /* offset of the first in its file, as perf counts */
    uint32_t source; /* which file: index of perf_file.source */
    bool unpacked;   /* all count as being at `shown`, where they were packed */
    bool cut; /* its last record lacks some of its payload: nothing is joined to it */
};

struct perf_tape {
    VEC(struct perf_run) run; /* ascending by place, without gaps */
    VEC(uint32_t) lane; /* the run at every so many bytes; none while runs are put */
    uint32_t lane_bits; /* of so many: their number is a power of two */
};

/* The first record put will be at `from`. */
static inline uint64_t tape_end(const struct perf_tape *t, uint64_t from)
{
    if (!t->run.len)
        return from;
    return t->run.at[t->run.len - 1].at + t->run.at[t->run.len - 1].len;
}

/* Adds a record (or several) behind all others: next->at must be tape_end(). */
PTS_MUST_USE pts_status tape_put(struct perf_tape *t, const struct perf_run *next);

/* So that places are found at once though there are many runs; when all have been put. */
PTS_MUST_USE pts_status tape_index(struct perf_tape *t);
void tape_free(struct perf_tape *t);

/* The run that holds place `at`, or NULL. */
const struct perf_run *tape_find(const struct perf_tape *t, uint64_t at);

#endif
