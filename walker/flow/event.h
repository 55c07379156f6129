/* event.h - what one step of the decoder tells: the interface between walker and synth.
 *
 * SPDX-License-Identifier: MIT
 *
 * An event is one point of a queue's execution at which something was observed.  More
 * than one thing may be observed at once (bits of `what`); synth turns each into a
 * sample, in a fixed order.  Times are TSC ticks of the queue's clock, 0 when unknown.
 */
#ifndef PTS_WALKER_FLOW_EVENT_H
#define PTS_WALKER_FLOW_EVENT_H

#include "decoder/pt/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Faults in a trace; the numbers are those that perf prints. */
enum pt_fault {
    FAULT_NONE = 0,
    FAULT_NOMEM = 1,
    FAULT_INTERNAL = 2,
    FAULT_BAD_PACKET = 3,
    FAULT_NO_DATA = 4,
    FAULT_NO_INSN = 5,
    FAULT_MISMATCH = 6,
    FAULT_OVERFLOW = 7,
    FAULT_LOST = 8,
    FAULT_UNKNOWN = 9,
    FAULT_LOOP = 10,
    FAULT_PTWRITE = 11
};

/* How often perf tells that a dso has no file, whatever the queue.  A flow tells it as
 * often, as it does not know of the others. */
enum { MISSING_TOLD = 2 };

/* One that says no more than a time may say some. */
enum { EVENT_TIMES = 4 };

struct pt_event {
    union {
        struct {
            uint64_t
                tsc; /* queue's time here, TSC ticks: what samples and merging go by */
            uint64_t from; /* ip it happened at; 0: outside the trace */
            uint64_t to;   /* branch target; 0: none */
            union {
                uint32_t trace_nr; /* changes when the trace was not continuous */
                uint32_t
                    missing; /* EV_ERROR: 1 + the dso that has no file; 0: another reason */
            };
            uint16_t flags; /* EVF_* */
            union {
                uint8_t cls; /* enum insn_class of the instruction at `from` */
                uint8_t err; /* EV_ERROR: enum pt_fault */
            };
            uint8_t ilen; /* bytes of the instruction; 0: there is none */
        };
        uint64_t times[EVENT_TIMES]; /* what 0: this one, and `later` ones, in order */
    };
    uint32_t what; /* EV_* */
    union {
        uint32_t more; /* 1 + index into the batch's; 0: none */
        uint32_t later;
    };
};
_Static_assert(sizeof(struct pt_event) == 40,
               "as most of the time goes into moving them");

/* What few have: not branches that are nothing else, where nobody wants cycles or bytes. */
struct pt_more {
    uint64_t ninsn; /* instructions walked in this queue up to and including here */
    uint64_t ncyc;  /* core cycles up to here, as far as known (see EVF_IPC) */
    uint32_t extra; /* 1 + index into the batch's; 0: none */
    uint32_t insn;  /* the same; 0: also if bytes of instructions are not wanted */
};

struct pt_insn {
    uint8_t at[15];
};

/* A run of events, lent until the next call for the same queue. */
struct event_batch {
    const struct pt_event *at;
    uint32_t count;
    const struct pt_more *more;   /* more[event.more - 1] */
    const struct pt_extra *extra; /* extra[more.extra - 1] */
    const struct pt_block *block; /* block[extra.block - 1] */
    const struct pt_insn *insn;   /* insn[more.insn - 1] */
    uint64_t insns, cycles;       /* to be added to ninsn and ncyc of each */
};

/* What an event carries besides itself; NULL where it has none. */
struct pt_payload {
    const struct pt_extra *extra;
    const struct pt_block *block;
};

/* NULL: it has none. */
static inline const struct pt_more *batch_more(const struct event_batch *b,
                                               const struct pt_event *ev)
{
    return ev->what && ev->more ? &b->more[ev->more - 1] : NULL; /* else it is times */
}

/* Both 0 where nobody counts. */
static inline uint64_t batch_ninsn(const struct event_batch *b,
                                   const struct pt_event *ev)
{
    const struct pt_more *more = batch_more(b, ev);

    return more ? more->ninsn + b->insns : 0;
}

static inline uint64_t batch_ncyc(const struct event_batch *b,
                                  const struct pt_event *ev)
{
    const struct pt_more *more = batch_more(b, ev);

    return more ? more->ncyc + b->cycles : 0;
}

/* The bytes of its instruction; NULL: they are not wanted, or there is none. */
static inline const uint8_t *batch_insn(const struct event_batch *b,
                                        const struct pt_event *ev)
{
    const struct pt_more *more = batch_more(b, ev);

    return more && more->insn ? b->insn[more->insn - 1].at : NULL;
}

static inline struct pt_payload batch_payload(const struct event_batch *b,
                                              const struct pt_event *ev)
{
    const struct pt_more *more = batch_more(b, ev);
    struct pt_payload p = {0};

    if (more && more->extra)
        p.extra = &b->extra[more->extra - 1];
    if (p.extra && p.extra->block)
        p.block = &b->block[p.extra->block - 1];
    return p;
}

#endif
