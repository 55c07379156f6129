/* reader.h - what the trace says, one thing after the other.
 *
 * SPDX-License-Identifier: MIT
 *
 * Whoever follows the code asks, and packets are read until there is an answer: outcomes of
 * branches, a target, an address that execution got to, an event.  Packets that belong
 * together are bound here: an event and the FUP that has its address, a PSB+ and all that
 * stands in it, a FUP and the TIP behind it; time passes here, too.  So nobody behind the
 * reader needs to know what a packet looks like.
 *
 *     pt_read     in step with execution
 *     pt_target   after PT_FUP: where execution went from there
 *     pt_seek     nothing is known of where execution is
 *     pt_find     ... and nothing before the next PSB can be trusted
 *
 * Reading stops at each of perf's steps, not later: what is found out between two answers
 * has the time of the packets read so far.
 */
#ifndef PTS_DECODER_PT_READER_H
#define PTS_DECODER_PT_READER_H

#include "decoder/pt/ip.h"
#include "decoder/pt/strict.h"
#include "decoder/pt/state.h"
#include "decoder/pt/stream.h"

enum pt_answer {
    PT_ON,      /* nothing for who follows the code: read on */
    PT_TNT,     /* outcomes of conditional branches: pt_tnt() */
    PT_TIP,     /* where an indirect branch went: s.last_ip when ip_known */
    PT_TIP_PGD, /* the same, and tracing went off */
    PT_TIP_PGE, /* tracing went on at s.last_ip */
    PT_FUP,   /* execution got to s.last_ip and was interrupted: pt_target() is next */
    PT_AT,    /* what is bound happened at s.last_ip: pt_arrive() when it is reached */
    PT_HERE,  /* the same, where execution is */
    PT_EVENT, /* `what` happened where execution is */
    PT_PTWRITE, /* the next ptwrite instruction has a payload: extra (only strict) */
    PT_PIP,     /* maybe of a MOV CR3 that comes next (only strict) */
    PT_PSB_AT, /* a PSB+ follows that will say s.last_ip: pt_psb() when it is reached */
    PT_PSB,    /* a PSB+: psb_ip, 0 when it does not say */
    PT_OVERFLOW, /* packets were lost */
    PT_MISMATCH, /* a packet that cannot stand here */
    PT_STOPPED,  /* the same inside a PSB+: branches, or the end of tracing */
    PT_FULL,     /* more event data than one event can have */
    PT_BAD,      /* bytes that are no packet */
    PT_BREAK,    /* a new trace begins: `trace_nr` */
    PT_END       /* of all buffers */
};

struct pt_reader_conf {
    bool branch_enable;     /* branches were traced: addresses are reached by walking */
    uint32_t quick;         /* 1: no code is followed; 2: only PSB+ are read */
    uint32_t cyc_threshold; /* of the event; 0: every CYC */
    bool strict;            /* go by the manual where perf is wrong */
    uint32_t errata;        /* enum pt_erratum, of the processor */
};

/* What leaps to a time have looked at, since there may be one after each record. */
struct leap_seen {
    uint64_t tsc;
    int64_t last;        /* the last buffer before it, or -1 */
    uint32_t next;       /* in this buffer (as in struct pt_stream) ... */
    const uint8_t *stop; /* ... no PSB in front of here is before it */
};

struct pt_reader {
    struct pt_reader_conf conf;
    struct pt_stream st;
    struct pt_state s;
    uint32_t bufs_seen; /* s.clk.buf_ref is of this one */
    bool in_psb;

    /* the answer */
    bool ip_known;
    bool follow;     /* PT_FUP, PT_AT: the way to s.last_ip leads through traced code */
    bool quiet_left; /* a FUP without address belonged to an event */
    bool forget;     /* a PSB was read: return addresses are forgotten there */
    bool psb_stated; /* a PSB+ said psb_ip */
    bool still_lost; /* PT_HERE: by the manual it says nothing of where that is */
    uint32_t what;   /* EV_* that are told with it */
    uint64_t psb_ip;
    uint32_t trace_nr; /* changes when the trace was not continuous */
    uint32_t met;      /* enum pt_place, since the beginning */
    bool pgd_pip;      /* for it: a PIP stands directly before the next TIP.PGD */
    struct pt_extra extra;
    struct leap_seen seen;
};

/* bufs is lent.  The first answers are PT_BREAK and what is before the first PSB. */
void pt_init(struct pt_reader *r, const struct pt_reader_conf *conf,
             const struct clock_config *clock, const struct pt_buf *bufs,
             uint32_t count);

/* The trace is at a place where perf is wrong: whether it is to be decoded right. */
static inline bool pt_strict(struct pt_reader *r, enum pt_place place)
{
    r->met |= place;
    return r->conf.strict;
}

enum pt_answer pt_read(struct pt_reader *r);
enum pt_answer pt_target(struct pt_reader *r);
enum pt_answer pt_seek(struct pt_reader *r);
enum pt_answer pt_find(struct pt_reader *r);

/* The rest of a PSB+ that was announced (PT_PSB_AT): PT_PSB, or something went wrong. */
enum pt_answer pt_psb(struct pt_reader *r);
/* A TIP with an address, when it is the next packet; else PT_MISMATCH, and it stays. */
enum pt_answer pt_take_tip(struct pt_reader *r);

/* After PT_TNT: how many outcomes, the oldest in bit 63 of *bits. */
static inline uint32_t pt_tnt(const struct pt_reader *r, uint64_t *bits)
{
    *bits = r->st.pkt.value;
    return r->st.pkt.count;
}

/* 64 outcomes as a number, for an emulated ptwrite: `have` of them in the high bits of
 * `bits`, the rest in the packets to come.  False: they are not there. */
bool pt_payload(const struct pt_reader *r, uint64_t bits, uint32_t have,
                uint64_t *value);

/* What becomes true when execution gets to an address that bound events waited for: *what
 * (EV_*) and *flags (EVF_*) are added to, and payloads are in r->extra. */
enum pt_arrival {
    ARRIVED_QUIETLY, /* nothing waited */
    ARRIVED_EVENTS,
    ARRIVED_RESUMED /* the trace goes on there after an overflow */
};
enum pt_arrival pt_arrive(struct pt_reader *r, uint32_t *what, uint16_t *flags);
/* A branch that a packet decided is done: what takes effect with it does so now, and what
 * is to be told of that (EV_*) is returned. */
uint32_t pt_branch_done(struct pt_reader *r);
/* A CFE without an address that the branch belongs to, by the manual: EV_CFE or 0. */
uint32_t pt_cfe_branch(struct pt_reader *r);
/* Notes that the next FUP has the same address as the last: what is there was not
 * executed in between. */
void pt_note_fup_again(struct pt_reader *r);
/* Packets were lost, and none has said where, or that, the trace goes on. */
static inline bool pt_lost(const struct pt_reader *r)
{
    return r->s.overflowed && !r->s.tracing;
}
/* What is bound is forgotten. */
void pt_unbind(struct pt_reader *r);

/* Leaps to the last PSB that is before tsc, in this buffer or in a later one, if there is
 * one behind where the reader is. */
enum pt_leap {
    LEAP_NONE,
    LEAP_BUFFER, /* to a buffer, where a new trace begins: `trace_nr` */
    LEAP_PSB     /* to a PSB; maybe of another buffer, too */
};
enum pt_leap pt_leap(struct pt_reader *r, uint64_t tsc);
/* The buffer at hand does not go on the one before it: time begins anew. */
void pt_restart(struct pt_reader *r);

/* Where the next packet begins. */
struct pt_where {
    uint32_t buf;   /* index; its bytes from off on are still to be read */
    uint64_t off;   /* in the buffer */
    uint64_t pos;   /* in the whole stream */
    uint32_t ctx;   /* enum pkt_ctx */
    uint8_t before; /* kind of the packet before */
};
struct pt_where pt_where(const struct pt_reader *r);
/* Moves there, into a state that was copied there. */
void pt_resume(struct pt_reader *r, const struct pt_where *at,
               const struct pt_state *s);
/* In place of that: to a PSB about which nothing is known, not even what was before. */
void pt_enter(struct pt_reader *r, uint32_t buf, uint64_t off);
/* Whether the next packet is a PSB at or behind byte off of buffer buf; it is where the
 * reader is then. */
bool pt_at_psb(struct pt_reader *r, uint32_t buf, uint64_t off);
/* The same of the next PSB in this buffer, whatever stands before it. */
bool pt_to_psb(struct pt_reader *r, uint32_t buf, uint64_t off);

#endif
