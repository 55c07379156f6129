/* flow.h - follows the execution of one AUX queue: packets + code -> events.
 *
 * SPDX-License-Identifier: MIT
 *
 * A flow is a pure function of its queue's bytes, the side-band and the code images (I3).
 * Where to begin and where to end are given, too: one queue can be followed from end to
 * end, or in segments that meet at PSBs (carry.h).
 */
#ifndef PTS_WALKER_FLOW_FLOW_H
#define PTS_WALKER_FLOW_FLOW_H

#include "walker/code/block.h"
#include "walker/flow/carry.h"
#include "walker/flow/marks.h"

#include <ptscript/status.h>

#include <stdatomic.h>

enum flow_period { PERIOD_NONE, PERIOD_INSNS, PERIOD_TICKS };

struct flow_range {
    uint64_t start, end; /* TSC ticks, inclusive; 0: open */
};

/* Regions of an address filter. */
struct flow_filter {
    bool stop; /* tracestop region, else filter region */
    uint64_t start, size;
    const char *file; /* long name of the dso; NULL: addresses of the kernel, or of a
                       * bare trace */
};

struct flow_config {
    struct clock_config clock;
    bool have_tsc; /* packets with timestamps are in the trace */
    bool timeless; /* no usable time: the whole queue is one slice */
    bool ret_compression;
    bool branch_enable;
    bool strict;      /* where perf is wrong (strict.h), go by the manual */
    uint32_t errata;  /* enum pt_erratum, of the processor */
    uint32_t quick;   /* 1: no code is followed, only ips that packets state are told;
                       * 2: only those in PSB+ */
    bool approx_ipc;  /* pt_event.ncyc is what was known when the time was reported */
    bool fup_next_ip; /* Goldmont: FUP may hold the address behind the branch that it
                       * interrupted */
    bool want_times;  /* also deliver events that only move the queue's time (what 0):
                       * merging several queues in perf's order needs them */
    bool want_insn_bytes; /* of each event: pt_event.insn */
    /* Somebody looks at pt_event.ncyc and EVF_IPC; else they may be any. */
    bool want_cycles;
    uint32_t want; /* EV_* that somebody looks at; others need not be delivered */
    uint32_t want_classes; /* with EV_BRANCH: bit per enum insn_class; trace begin and
                            * end, asynchronous branches and aborts are always delivered */
    bool
        net_calls; /* calls and returns are asked for call stacks at other events only: those
                     * that cancel out between two of these need not be told, and the others
                     * only before the next (net_calls.h) */
    uint32_t
        last_branches; /* with net_calls: they are asked for as that many last branches at other
                             * events only (last_branches.h); 0: as calls */
    /* Records may say of a thread that it is on two CPUs at a time: that one has left is only told when
     * the next one is there.  What runs there until then has the same call stack, which begins anew with each
     * branch by which one goes on behind the other: so all are told then. */
    bool threads_shared;
    enum flow_period period_type;
    uint64_t period;        /* instructions or TSC ticks, not 0 */
    uint32_t cyc_threshold; /* CYC threshold of the event (0: every CYC) */
    /* Where the kernel switches threads; 0: go by records alone. switch_hook: the function by
     * which it tells perf that it will. */
    uint64_t switch_to, switch_hook;
    int32_t max_loops; /* branches without a packet before FAULT_LOOP; 0: 100000 */
    const struct flow_range *ranges; /* --time; lent */
    uint32_t range_count;
    const struct flow_filter *filters; /* lent */
    uint32_t filter_count;

    /* A bare trace: what perf record never makes, so that perf need not be followed. */
    bool bare;         /* code goes on in the next map; filters are by address */
    bool guest_images; /* code given by hand is that of guests, too */
    bool guests;       /* code of guests is looked for in their machines */
    uint64_t late_tsc; /* payload of the first TSC, if it is behind the first PSB+: the
                        * time of all that comes before it; else 0 */
    uint64_t
        pause; /* after so many bytes flow_next returns without an event; 0: never */
};

/* Where code bytes come from: called when a dso is first walked.  Lent for the life of
 * the flow; never NULL (a struct code without bytes when there is no file). */
struct flow_images {
    struct code *(*code)(void *ctx, const struct sb_dso *dso);
    void *ctx;
};

/* A byte of a queue's trace. */
struct queue_place {
    uint32_t buf;
    uint64_t off;
};

static inline bool queue_place_before(struct queue_place a, struct queue_place b)
{
    return a.buf != b.buf ? a.buf < b.buf : a.off < b.off;
}

struct flow_queue {
    const struct pt_buf *bufs; /* lent */
    uint32_t count;
    int32_t cpu, tid;       /* as in AUXTRACE: -1 none */
    bool use_current;       /* the thread is the one that is on the cpu */
    bool by_piece;          /* each buffer waits for flow_piece */
    stream_watch_fn *watch; /* told of each packet that is read; NULL: nobody */
    void *watch_ctx;
    bool plain_end; /* all packets from a PSB on, or from the beginning of a buffer, are
                             * plain (decoder/pt/plain.h): who looks for errors alone need not
                             * follow them */
    struct queue_place plain; /* then: it */
    uint8_t *missing; /* by dso: how often it was told that it has no file; of the whole
                       * queue, whoever follows it.  Lent; NULL: the flow keeps its own */
};

struct flow;
struct rooms;
pts_status flow_new(const struct flow_config *conf, const struct flow_queue *queue,
                    const struct sideband *sb, const struct flow_images *images,
                    struct flow **out);
void flow_free(struct flow *f); /* NULL is fine */

/* Goes to the first point with a known time, as perf does before it schedules a queue:
 * events before are dropped.  PTS_END: there is none.  Timeless flows need no start. */
pts_status flow_start(struct flow *f);

/* The places that it has met (enum pt_place), strict or not. */
uint32_t flow_met(const struct flow *f);

/* The queue's time, TSC ticks, after flow_start. */
uint64_t flow_time(const struct flow *f);
/* That of the last event, told or not: errors stop no queue, and may be ahead of it. */
uint64_t flow_event_time(const struct flow *f);

/* Timeless flows: the records that are in effect for what follows. */
void flow_place(struct flow *f, uint32_t epoch);

/* Timeless flows by piece: the next buffer may be read, in which thread tid ran. */
void flow_piece(struct flow *f, int32_t tid, uint32_t epoch);

/* --- Segments --- */

/* The flow ends (PTS_END) at the first PSB at or behind byte off of buffer buf at which
 * nothing is half done. */
void flow_stop_at(struct flow *f, uint32_t buf, uint64_t off);
/* Where it ended so, and all that is known there.  False: it came to the end of the trace
 * (or of the selected times), or has not ended yet. */
bool flow_carry(const struct flow *f, struct carry *out);
/* Keeps marks on its way, lent; NULL: none. */
void flow_mark(struct flow *f, struct marks *marks);
/* In place of flow_start: goes on from there.  before: the flow that ended there, whose
 * return addresses are taken over, for the case that its PSB cannot be used; NULL: it is
 * not at hand. */
void flow_resume(struct flow *f, const struct carry *from, const struct flow *before);
/* From where there is room for what it fills, lent, before it tells anything; and nobody looks at that any more. */
void flow_use_rooms(struct flow *f, struct rooms *rooms);
void flow_leave_rooms(struct flow *f);
/* Whether it asked in vain for a return address of before: what it told may be wrong. */
bool flow_missed(const struct flow *f);

/* What is supposed of selected times where a flow begins in the middle.  Who leaps to them may pass
 * over the beginning of a trace, and then does not know which one it is. */
struct flow_known {
    bool ranges;            /* there are some: */
    uint32_t buf, trace_nr; /* the trace at an earlier buffer */
    struct range_state range;
};

/* In place of flow_start: begins at the PSB at byte off of buffer buf, and knows nothing else
 * of what was before.  PTS_END: no time is known behind it.  After a while it mostly knows what
 * a flow knows that came there (carry_fits); what it tells before that is a guess. */
pts_status flow_enter(struct flow *f, uint32_t buf, uint64_t off,
                      const struct flow_known *known);
/* Goes on behind a stop.  What it told so far is forgotten. */
void flow_go_on(struct flow *f);
/* To the stop; what it tells on the way is dropped.  False: it does not get there, at least not
 * within some MB. */
bool flow_to_stop(struct flow *f);
/* Follows all up to the stop, or, when there are more than `most` events, to some PSB behind
 * so many, and keeps what it tells, part by part.  False: there is none for long, or no memory. */
bool flow_fill(struct flow *f, size_t most);
struct event_batch flow_told_part(const struct flow *f,
                                  size_t i); /* empty: no more parts */
uint32_t flow_told_events(const struct flow *f);
/* Both end before that, false, when this becomes true: nobody wants what they tell. */
void flow_recalled_by(struct flow *f, const atomic_bool *recalled);
/* What it told with the last call of flow_next. */
struct event_batch flow_told(const struct flow *f);
/* Whether there are errors among what it told, or keeps. */
bool flow_told_errors(const struct flow *f);
/* Whether a CYC came so far. */
bool flow_counts_cycles(const struct flow *f);
/* Whether its return addresses are all that there are: it has used a PSB since it began in
 * the middle. */
bool flow_knows_callers(const struct flow *f);
/* It went on from a guess that fits the truth: the events of its batch are counted from where
 * the truth is, and so is what it carries at its end (NULL: it has come to the end of all). */
void flow_counted(struct flow *f, const struct carry *guess, const struct carry *truth,
                  struct carry *end);

/* With want_times, in place of flow_until: times are told only behind gaps, in which nothing
 * happened for long, the first one of each.  So where other queues may come in between, it is
 * known when the queue goes on. */
void flow_tell_gaps(struct flow *f);
struct flow_gap {
    uint32_t at;     /* index of the first event behind it, of all parts */
    uint64_t before; /* the queue's time in front of it, TSC ticks */
};
/* Those of all parts. */
const struct flow_gap *flow_gaps(const struct flow *f, size_t *count);

/* With want_times: times before tsc need not be told. */
void flow_until(struct flow *f, uint64_t tsc);

/* Bytes of the queue that have been gone through. */
uint64_t flow_passed(const struct flow *f);

/* The next run of events, at least one unless it pauses.  PTS_END: the queue is finished. */
pts_status flow_next(struct flow *f, struct event_batch *out);
/* The same of no more than so many, but for those that belong together. */
pts_status flow_next_some(struct flow *f, size_t most, struct event_batch *out);

#endif
