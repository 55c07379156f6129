/* auxtrace.h - the AUX area data of a recording: how it was set up, and where it is.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf writes one AUXTRACE_INFO record and any number of AUXTRACE records, each
 * followed by a piece of one queue's trace.  A queue is one AUX buffer of the recorder:
 * a CPU, or a thread.
 */
#ifndef PTS_DECODER_AUX_AUXTRACE_H
#define PTS_DECODER_AUX_AUXTRACE_H

#include "decoder/pt/tsc.h"
#include "decoder/record/record.h"

/* AUXTRACE_INFO of intel_pt.  `words` is how many the record has: older perf wrote
 * fewer, and those beyond are zero here. */
struct aux_info {
    uint32_t type; /* PTS_AUXTRACE_INTEL_PT; else the rest is not set */
    uint32_t words;
    uint32_t pmu_type;
    struct tsc_conv conv;
    bool cap_user_time_zero;
    uint64_t tsc_bit, noretcomp_bit; /* masks of attr.config */
    uint32_t have_sched_switch;      /* enum aux_switches */
    bool snapshot, per_cpu;
    bool has_mtc; /* the next five were recorded */
    uint64_t mtc_bit, mtc_freq_bits, cyc_bit;
    uint32_t tsc_ctc_n, tsc_ctc_d; /* CPUID 15h EBX and EAX */
    bool has_max_ratio;
    uint32_t max_ratio; /* maximum non-turbo ratio; 0: to be computed */
    bool has_filter_len;
    const char *filter; /* address filters, never NULL */
    bool has_event_trace;
    uint64_t event_trace; /* 0: no */
};

/* What r, an AUXTRACE_INFO, says of Intel PT.  PTS_E_RANGE: too short or with a bad
 * filter string, perf's words in *why. */
pts_status aux_info_read(const struct record *r, struct aux_info *out,
                         struct pts_diag *why);

/* One piece of trace. */
struct aux_buf {
    const uint8_t *ptr; /* in the file */
    size_t len;
    uint64_t off;       /* of its AUXTRACE record, or SAMPLE */
    uint64_t reference; /* TSC when it was read out */
    uint32_t nr;        /* number among all pieces, in perf's order */
    int32_t cpu, tid;
};

/* Whether r brings a piece of trace. */
static inline bool aux_is_in(const struct record *r)
{
    return record_is(r, PTS_RECORD_AUXTRACE) ||
           (record_is(r, PTS_RECORD_SAMPLE) && r->u.sample.aux.len);
}

struct aux_queue {
    uint32_t idx;
    int32_t cpu, tid; /* of its first piece; -1 none */
    VEC(struct aux_buf) buf;
};

/* Queues ascending by idx. */
struct aux_queues {
    VEC(struct aux_queue) at;
    uint32_t bufs;
    uint64_t
        mixed; /* the first piece that names another CPU or thread than its queue; 0 */
};

/* Asked about each piece's CPU (never about -1); NULL keeps all. */
typedef bool aux_cpu_fn(const void *ctx, int32_t cpu);

/* Whether pieces of trace are in samples: perf record --aux-sample. */
bool aux_is_sampled(const struct perf_file *f);

struct aux_how {
    aux_cpu_fn *keep;
    const void *ctx;       /* of keep */
    struct tsc_conv clock; /* of the times of samples */
};

/* All pieces, by the file's index when it has a sound one, else by a walk. */
PTS_MUST_USE pts_status aux_queues_make(const struct perf_file *f,
                                        const struct aux_how *how,
                                        struct aux_queues *out, struct pts_diag *why);
void aux_queues_free(struct aux_queues *q);

#endif
