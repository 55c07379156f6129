/* perf_resume.h - where the records of a file surely go on behind a bad one.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing marks the beginning of a record, so behind one of an impossible size there is
 * none to be found, but for those that the header's index of the trace points at:
 *
 *     | MMAP2 | COMM | bad ........ | AUXTRACE, payload | ITRACE_START | ...
 *                                   ^ index[3]
 */
#ifndef PTS_DECODER_OPEN_PERF_RESUME_H
#define PTS_DECODER_OPEN_PERF_RESUME_H

#include "decoder/file/perf_feat.h"

/* The index, looked through once from front to back. */
struct perf_resume {
    struct perf_aux_index index; /* empty: there is none to be used */
    uint64_t next;
};

/* For the first source of f. */
struct perf_resume perf_resume_of(const struct perf_file *f);
/* The file offset of the first AUXTRACE record of the index at `from` or behind; 0:
 * none.  from must not be less than the last time. */
uint64_t perf_resume_at(struct perf_resume *r, const struct perf_file *f,
                        uint64_t from);

#endif
