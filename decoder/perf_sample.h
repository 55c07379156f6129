/* perf_sample.h - the body of a SAMPLE record.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which fields there are is written in the event's sample_type; the others are as perf
 * leaves them: zero, the attribute's period, no memory access.
 */
#ifndef PTS_DECODER_PERF_SAMPLE_H
#define PTS_DECODER_PERF_SAMPLE_H

#include "decoder/perf_rec.h"

/* A run of 64-bit words in the file, read with perf_word. */
struct perf_words {
    const uint8_t *at;
    uint64_t count;
};

static inline uint64_t perf_word(const struct perf_words *w, uint64_t i)
{
    return rd_u64(w->at + 8 * i);
}

struct perf_regs {
    uint64_t abi; /* 0 none, 1 32-bit, 2 64-bit */
    uint64_t mask;
    struct perf_words val; /* one for each bit of mask */
};

/* One counter; id and lost are zero when the format has none. */
struct perf_value {
    uint64_t value, id, lost;
};

/* PERF_SAMPLE_READ. */
struct perf_sample_read {
    uint64_t format; /* PERF_READ_* */
    uint64_t enabled, running;
    uint64_t count; /* of counters: 1 unless it is a group */
    struct perf_value one;
    struct perf_words group; /* value[, id][, lost] of each */
};

/* Counter i < v->count. */
struct perf_value perf_value_at(const struct perf_sample_read *v, uint64_t i);

enum { PERF_BRANCH_BYTES = 24 };

struct perf_sample {
    uint64_t type; /* PERF_SAMPLE_*: which fields the record has */
    uint64_t ip, addr, period;
    struct perf_sample_read read;
    struct perf_words callchain;
    struct span raw;
    uint64_t branch_count, branch_hw_idx;
    const uint8_t *branches;           /* {u64 from, to, flags} each */
    struct perf_words branch_counters; /* one word for each branch, or none */
    struct perf_regs user, intr;
    struct span stack;   /* what was saved of the user stack */
    uint32_t stack_off;  /* of stack_size in the record */
    uint64_t stack_size; /* as recorded, of which stack.len were used */
    uint64_t weight;
    uint16_t ins_lat, weight3;
    uint64_t data_src, transaction, phys_addr, cgroup;
    uint64_t data_page_size, code_page_size;
    struct span aux; /* AUX area data of this sample */
};

/* r: a SAMPLE whose evsel is known.  PTS_E_RANGE: shorter than it claims. */
pts_status perf_rec_sample(const struct perf_file *f, const struct perf_rec *r,
                           struct perf_sample *out);

#endif
