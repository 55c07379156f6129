/* event.h - what one step of the decoder tells: the interface between walker and synth.
 *
 * SPDX-License-Identifier: MIT
 *
 * An event is one point of a queue's execution at which something was observed.  More
 * than one thing may be observed at once (bits of `what`); synth turns each into a
 * sample, in a fixed order.  Times are TSC ticks of the queue's clock, 0 when unknown.
 */
#ifndef PTS_WALKER_EVENT_H
#define PTS_WALKER_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was observed (pt_event.what). */
enum {
    EV_BRANCH = 1u << 0,  /* from -> to was taken; to 0: left the trace */
    EV_INSN = 1u << 1,    /* the instruction at `from` hits the sampling period */
    EV_TX = 1u << 2,      /* transaction begin, commit or abort */
    EV_PTWRITE = 1u << 3, /* extra.ptwrite */
    EV_MWAIT = 1u << 4,   /* extra.mwait */
    EV_PWRE = 1u << 5,    /* extra.pwre */
    EV_EXSTOP = 1u << 6,
    EV_PWRX = 1u << 7,   /* extra.pwrx */
    EV_CBR = 1u << 8,    /* core:bus ratio changed, extra.cbr */
    EV_PSB = 1u << 9,    /* extra.psb_offset */
    EV_CFE = 1u << 10,   /* event trace, extra.cfe_* and evd */
    EV_IFLAG = 1u << 11, /* interrupt flag changed */
    EV_BLOCK = 1u << 12, /* a PEBS record ended: block */
    EV_TRACE_BEGIN = 1u << 13,
    EV_TRACE_END = 1u << 14,
    EV_ERROR = 1u << 15 /* a fault: only err, from, to, tsc are meaningful */
};

/* Circumstances (pt_event.flags). */
enum {
    EVF_IN_TX = 1u << 0,
    EVF_TX_ABORT = 1u << 1,
    EVF_ASYNC = 1u << 2,
    EVF_FUP_IP = 1u << 3,  /* the ip came with the packet, it is exact */
    EVF_IPC = 1u << 4,     /* ncyc is exact here: IPC may be computed */
    EVF_FROM_NR = 1u << 5, /* `from` ran in VMX non-root operation */
    EVF_TO_NR = 1u << 6,
    EVF_FROM_IF = 1u << 7, /* interrupt flag before */
    EVF_TO_IF = 1u << 8    /* interrupt flag after */
};

/* Faults in a trace; the numbers are those that perf prints (spec A6). */
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

enum { EVD_MAX = 64 };

/* Groups of a PEBS record, and the items of the first three. */
enum block_group {
    BLOCK_GPRS,
    BLOCK_BASIC,
    BLOCK_MEMORY,
    BLOCK_LBR0, /* from, to, info of one branch, then of the next */
    BLOCK_LBR1,
    BLOCK_LBR2,
    BLOCK_XMM, /* low half of XMM0, high half, then XMM1 ... */
    BLOCK_GROUPS
};
enum { BLOCK_ITEMS = 32 };
enum block_gpr {
    GPR_FLAGS,
    GPR_IP,
    GPR_AX,
    GPR_CX,
    GPR_DX,
    GPR_BX,
    GPR_SP,
    GPR_BP,
    GPR_SI,
    GPR_DI,
    GPR_R8, /* to R15 */
    GPR_COUNT = GPR_R8 + 8
};
enum block_basic { BASIC_IP, BASIC_COUNTERS, BASIC_TSC };
enum block_memory { MEMORY_ADDR, MEMORY_SOURCE, MEMORY_LATENCY, MEMORY_TSX };

struct pt_block {
    uint32_t has[BLOCK_GROUPS]; /* a bit for each item that is there */
    bool narrow;                /* registers are those of 32-bit code */
    uint64_t item[BLOCK_GROUPS][BLOCK_ITEMS];
};

/* Payloads of the rarer events. */
struct pt_extra {
    uint64_t ptwrite, mwait, pwre, pwrx;
    uint64_t psb_offset; /* bytes from the start of the queue's stream */
    uint32_t cbr;        /* ratio in bits 7:0, as in the packet */
    uint8_t cfe_type, cfe_vector;
    uint8_t evd_count;
    uint8_t evd_type[EVD_MAX];
    uint64_t evd_payload[EVD_MAX];
    uint32_t block; /* 1 + index into the batch's blocks; 0 none */
};

struct pt_event {
    uint64_t from;  /* ip it happened at; 0: outside the trace */
    uint64_t to;    /* branch target; 0: none; of a fault because a dso has no file: 1 +
                     * that dso */
    uint64_t tsc;   /* queue's time here, TSC ticks: what samples and merging go by */
    uint64_t ninsn; /* instructions walked in this queue up to and including here */
    uint64_t ncyc;  /* core cycles up to here, as far as known (see EVF_IPC) */
    uint32_t what;  /* EV_* */
    uint16_t flags; /* EVF_* */
    uint8_t err;    /* enum pt_fault when EV_ERROR */
    uint8_t cls;    /* enum insn_class of the instruction at `from` */
    uint32_t extra; /* 1 + index into the batch's extras; 0 none */
    uint32_t trace_nr; /* changes when the trace was not continuous (spec 32.2) */
    uint8_t ilen;      /* bytes of insn[] that are valid; 0: no instruction here */
    uint8_t insn[15];
};

/* A run of events, lent until the next call for the same queue. */
struct event_batch {
    const struct pt_event *at;
    uint32_t count;
    const struct pt_extra *extra; /* extra[event.extra - 1] */
    const struct pt_block *block; /* block[extra.block - 1] */
};

/* What an event carries besides itself; NULL where it has none. */
struct pt_payload {
    const struct pt_extra *extra;
    const struct pt_block *block;
};

static inline struct pt_payload batch_payload(const struct event_batch *b,
                                              const struct pt_event *ev)
{
    struct pt_payload p = {0};

    if (ev->extra)
        p.extra = &b->extra[ev->extra - 1];
    if (p.extra && p.extra->block)
        p.block = &b->block[p.extra->block - 1];
    return p;
}

#endif
