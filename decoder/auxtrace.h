/* auxtrace.h - the AUX area data of a recording: how it was set up, and where it is.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf writes one AUXTRACE_INFO record and any number of AUXTRACE records, each
 * followed by a piece of one queue's trace.  A queue is one AUX buffer of the recorder:
 * a CPU, or a thread.
 */
#ifndef PTS_DECODER_AUXTRACE_H
#define PTS_DECODER_AUXTRACE_H

#include "decoder/perf_tool.h"
#include "decoder/tsc.h"
#include "decoder/tsc.h"

/* AUXTRACE_INFO of intel_pt.  `words` is how many the record has: older perf wrote
 * fewer, and those beyond are zero here. */
struct aux_info {
    uint32_t type; /* PERF_AUXTRACE_*; the rest is only set for Intel PT */
    uint32_t words;
    uint32_t pmu_type;
    struct tsc_conv conv;
    bool cap_user_time_zero;
    uint64_t tsc_bit, noretcomp_bit; /* masks of attr.config */
    uint32_t have_sched_switch;      /* 0 to 3, spec C5 */
    bool snapshot, per_cpu;
    bool has_mtc; /* the next five were recorded */
    uint64_t mtc_bit, mtc_freq_bits, cyc_bit;
    uint32_t tsc_ctc_n, tsc_ctc_d; /* CPUID 15h EBX and EAX */
    bool has_max_ratio;
    uint32_t max_ratio; /* maximum non-turbo ratio; 0: to be computed */
    bool has_filter_len;
    const char *filter; /* address filters, never NULL */
    size_t filter_len;
    bool has_event_trace;
    uint64_t event_trace; /* 0: no */
};

/* Words of the smallest record, and where the later ones are. */
enum aux_info_word {
    AUX_INFO_MIN = 10,
    AUX_INFO_MTC = 10,
    AUX_INFO_CYC = 14,
    AUX_INFO_MAX_RATIO = 15,
    AUX_INFO_FILTER_LEN = 16
};

/* PTS_E_RANGE: too short or with a bad filter string, perf's words in *why. */
pts_status aux_info_read(const struct perf_rec *r, struct aux_info *out,
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

struct aux_queue {
    uint32_t idx;
    int32_t cpu, tid; /* of its first piece; -1 none */
    VEC(struct aux_buf) buf;
};

/* Queues ascending by idx. */
struct aux_queues {
    VEC(struct aux_queue) at;
    uint32_t bufs;
};

/* Asked about each piece's CPU (never about -1); NULL keeps all. */
typedef bool aux_cpu_fn(void *ctx, int32_t cpu);

/* Whether pieces of trace are in samples: perf record --aux-sample. */
bool aux_is_sampled(const struct perf_file *f);

struct aux_how {
    aux_cpu_fn *keep;
    void *ctx;             /* of keep */
    struct tsc_conv clock; /* of the times of samples */
};

/* All pieces, by the file's index when it has a sound one, else by a walk.  Pieces of a
 * queue that name another CPU or thread than its first are PTS_E_RANGE, as in perf. */
PTS_MUST_USE pts_status aux_queues_make(const struct perf_file *f,
                                        const struct aux_how *how,
                                        struct aux_queues *out, struct pts_diag *why);
void aux_queues_free(struct aux_queues *q);

#endif
