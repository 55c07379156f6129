/* flow.h - follows the execution of one AUX queue: packets + code -> events.
 *
 * SPDX-License-Identifier: MIT
 *
 * A flow is a pure function of its queue's bytes, the side-band and the code images: it
 * shares nothing that changes with other flows but the block cache.
 */
#ifndef PTS_WALKER_FLOW_H
#define PTS_WALKER_FLOW_H

#include "decoder/ptime.h"
#include "decoder/stream.h"
#include "walker/block.h"
#include "walker/event.h"
#include "walker/sideband.h"

#include <ptscript/status.h>

enum flow_period { PERIOD_NONE, PERIOD_INSNS, PERIOD_TICKS };

struct flow_range {
    uint64_t start, end; /* TSC ticks, inclusive; 0: open */
};

/* Regions of an address filter (spec B5). */
struct flow_filter {
    bool stop; /* tracestop region, else filter region */
    uint64_t start, size;
    const char *file; /* long name of the dso; NULL: kernel addresses */
};

struct flow_config {
    struct clock_config clock;
    bool have_tsc; /* packets with timestamps are in the trace */
    bool timeless; /* no usable time: the whole queue is one slice */
    bool ret_compression;
    bool branch_enable;
    uint32_t quick;   /* 1: no code is followed, only ips that packets state are told;
                       * 2: only those in PSB+ */
    bool approx_ipc;  /* pt_event.ncyc is what was known when the time was reported */
    bool fup_next_ip; /* Goldmont: FUP may hold the next ip (spec B2) */
    bool want_times;  /* also deliver events that only move the queue's time (what 0):
                       * merging several queues in perf's order needs them */
    bool want_insn_bytes; /* fill pt_event.insn */
    uint32_t want; /* EV_* that somebody looks at; others need not be delivered */
    uint32_t
        want_classes; /* with EV_BRANCH: bit per enum insn_class; trace begin and end,
                       * asynchronous branches and aborts are always delivered */
    enum flow_period period_type;
    uint64_t period;        /* instructions or TSC ticks, not 0 */
    uint32_t cyc_threshold; /* CYC threshold of the event (0: every CYC) */
    uint32_t max_loops;     /* branches without a packet before FAULT_LOOP; 0: 100000 */
    const struct flow_range *ranges; /* --time; lent */
    uint32_t range_count;
    const struct flow_filter *filters; /* lent */
    uint32_t filter_count;
};

/* Where code bytes come from: called when a dso is first walked.  Lent for the life of
 * the flow; never NULL (a struct code without bytes when there is no file). */
struct flow_images {
    struct code *(*code)(void *ctx, const struct sb_dso *dso);
    void *ctx;
};

struct flow_queue {
    const struct pt_buf *bufs; /* lent */
    uint32_t count;
    int32_t cpu, tid; /* as in AUXTRACE: -1 none */
    bool use_current; /* the thread is the cpu's current one (spec C3) */
    bool by_piece;    /* each buffer waits for flow_piece */
};

struct flow;
pts_status flow_new(const struct flow_config *conf, const struct flow_queue *queue,
                    const struct sideband *sb, const struct flow_images *images,
                    struct flow **out);
void flow_free(struct flow *f); /* NULL is fine */

/* Goes to the first point with a known time, as perf does before it schedules a queue:
 * events before are dropped.  PTS_END: there is none.  Timeless flows need no start. */
pts_status flow_start(struct flow *f);

/* The queue's time, TSC ticks, after flow_start. */
uint64_t flow_time(const struct flow *f);

/* Timeless flows: the records that are in effect for what follows. */
void flow_place(struct flow *f, uint32_t epoch);

/* Timeless flows by piece: the next buffer may be read, in which thread tid ran. */
void flow_piece(struct flow *f, int32_t tid, uint32_t epoch);

/* The next run of events, at least one.  PTS_END: the queue is finished. */
pts_status flow_next(struct flow *f, struct event_batch *out);

#endif
