/* perf_cpus.h - the CPUs of a CPU_MAP record or of an EVENT_UPDATE.
 *
 * SPDX-License-Identifier: MIT
 *
 *     type 0: count, cpus ...     0xffff is "any CPU", -1
 *     type 1: count, bytes of a word (4 or 8), words with a bit for each CPU
 *     type 2: any, first, last
 */
#ifndef PTS_DECODER_RECORD_PERF_CPUS_H
#define PTS_DECODER_RECORD_PERF_CPUS_H

#include "decoder/base/bytes.h"

/* Steps through them in the order of the record. */
struct perf_cpus {
    struct reader r;
    uint16_t type, width; /* width: bytes of a word */
    uint32_t left;        /* items still to come; CPUs of a range */
    uint64_t word;        /* bits of the current one not stepped over yet */
    int64_t base;         /* CPU of the lowest of them; next CPU of a range */
    bool any;             /* a range begins with "any CPU" */
};

enum { PERF_CPUS_LIST, PERF_CPUS_MASK, PERF_CPUS_RANGE, PERF_CPUS_TYPES };

/* data: from the type on.  A type that does not exist has no CPUs. */
struct perf_cpus perf_cpus_of(struct pts_bytes data);
/* False at the end; a map that claims more than there is ends with the record. */
bool perf_cpus_next(struct perf_cpus *c, int64_t *cpu);

#endif
