/* carry.h - all that goes over from one packet to the next while a queue is followed.
 *
 * SPDX-License-Identifier: MIT
 *
 *     trace    ...packets...  PSB+ ...packets...  PSB+ ...packets...
 *                            ^                   ^
 *     flow     =============>|c=================>|c==============
 *
 * A struct carry is that knowledge, at a PSB, as one value: it is copied freely, compared,
 * and points into no trace.  A flow that is given it at that PSB tells what the flow told
 * that it was taken from (I8).  Only return addresses are not in it: the processor forgets
 * them at a PSB (SDM, PSB), and so does a flow that can use the PSB; one that cannot,
 * in a damaged trace, and then needs one, says so (retstack.h).
 *
 * Counts (ninsn, cycles of the clock) run through the whole queue.
 */
#ifndef PTS_WALKER_FLOW_CARRY_H
#define PTS_WALKER_FLOW_CARRY_H

#include "decoder/pt/reader.h"
#include "walker/flow/event.h"
#include "walker/sideband/sideband.h"

/* What the flow is doing; drawn in flow_state.h. */
enum phase {
    SEEK_PSB,
    SEEK_NEW_IP,
    SEEK_IP,
    AT_IP, /* quick modes: ip is to be sampled */
    SYNC,
    IN_TNT,      /* no bit of the packet used yet */
    IN_TNT_MORE, /* some bits used */
    IN_TIP,
    IN_TIP_PGD,
    IN_FUP,       /* a TIP follows */
    IN_FUP_QUIET, /* FUP that belongs to an event: no TIP follows */
    IN_FUP_PSB,   /* walking to the ip that a PSB+ will state */
    IN_PTWRITE,   /* walking to the ptwrite that a PTW without a FUP is of */
    IN_PIP        /* walking to the MOV CR3 that a PIP is of */
};

/* Branches without a packet, after which the code is taken for an endless loop, as in
 * perf. */
enum { MAX_LOOPS = 100000 };

/* Unconditional branches taken without a packet: stuck when they repeat. */
struct loop_guard {
    uint32_t count, window, left;
    uint32_t total; /* the same, but samples do not begin it anew */
    uint64_t mark;
};

/* The walk through the code. */
struct walk_state {
    enum phase phase;
    enum pt_fault fault;
    uint64_t ip;
    uint64_t tnt_bits; /* outcomes not used yet, the oldest in bit 63 */
    uint32_t tnt_count;
    bool emu_ptwrite; /* outcomes from here on are an emulated ptwrite's payload */
    bool nr;          /* code is looked for in a guest */
    uint64_t goal;    /* an instruction that the packet in hand belongs to; 0: none */
    bool target_left; /* no code, but the last TIP says where it is now */
    uint64_t cr3_end; /* behind the MOV CR3 that the last PIP was of */

    /* the last instruction walked to (kept until the next one, as perf does) */
    bool jumped_signature; /* it jumps over the signature of an emulated ptwrite */
    uint8_t cls, branch, ilen;
    int32_t rel;
    uint64_t ret_addr;    /* 0: the return stack was empty */
    const uint8_t *bytes; /* of that instruction, in its file; NULL unknown */

    struct loop_guard loops;
    uint64_t ninsn;        /* instructions walked in all */
    uint64_t period_insns; /* since the last period sample */
    uint64_t last_tick;    /* where the last period of time began */
};

/* --time: the next end of a selected range. */
struct range_state {
    bool start; /* it is the start of range `index`, else the end of it */
    uint32_t index;
    uint64_t tsc;    /* 0: open */
    uint64_t ff_tsc; /* last fast-forward target */
};

/* switches.h */
enum switch_phase {
    SWITCH_NOT_TRACING,
    SWITCH_UNKNOWN,
    SWITCH_TRACING,
    SWITCH_WAITS_FOR_RECORD,
    SWITCH_WAITS_FOR_BRANCH
};
struct switch_state {
    bool on;
    enum switch_phase phase;
    int32_t tid, next; /* the thread now, and the one that a record has told; -1 none */
    int32_t told;      /* the one that events so far belong to */
    uint32_t at;       /* records of the CPU taken */
};

/* What has been told, and when.  Times as told lag behind the clock (I1). */
struct told_state {
    uint64_t from, to; /* of the event as it stands */
    uint16_t flags;
    uint64_t sample_tsc, sample_insns, sample_cycles;
    uint64_t reported_cycles; /* known at sample_tsc, exact or not */
    uint64_t tsc;             /* the queue's time */
    uint64_t event_tsc;       /* time of the last event, delivered or not */
    uint64_t told_tsc;        /* time of the last event delivered */
    uint32_t trace_nr;
    bool cbr_due; /* the ratio has changed since an event was delivered */
    uint32_t cbr; /* then: as in the packet */
    bool
        branch_due; /* the next branch is told, whatever it is: in another thread, or after a
                      * gap */
    bool shared;  /* the thread is on another CPU, too (flow_config.threads_shared) */
    bool started; /* a time is known: events count from here on */
    bool any;     /* an event was delivered: before, the first one tells the ratio */
    uint32_t epoch;
    uint64_t next_epoch_tsc; /* when the next record takes effect */
    struct sb_who who;
    struct switch_state sw;
    struct range_state range;
};

struct carry {
    struct pt_where at;
    struct pt_state pt;
    struct walk_state walk;
    struct told_state told;
};

/* Whether two flows that go on from these tell the same. */
bool carry_same(const struct carry *a, const struct carry *b);

/* What flows are to find out, as far as it decides what must be the same. */
struct carry_use {
    bool insn_period, tick_period; /* samples by these are taken */
    bool cycles;                   /* counts of them are looked at */
    bool branches;                 /* they are told */
};
/* Whether a flow that began in the middle, and guessed, has come to know what is true: what
 * it tells from there on is right but for what is counted from the beginning of the queue. */
bool carry_fits(const struct carry *guess, const struct carry *truth,
                const struct carry_use *use);
/* What a flow has come to know that told no branches, as if it had told them. */
void carry_as_told(struct carry *guess);
/* What a flow carries at its end that went on from the guess, counted from where the truth
 * is. */
void carry_counted(const struct carry *guess, const struct carry *truth,
                   struct carry *end);

#endif
