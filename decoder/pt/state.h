/* state.h - what the packets of a queue have said that still holds.
 *
 * SPDX-License-Identifier: MIT
 *
 * All that the reader carries from one packet to the next is here, and nothing of it
 * points into the trace: a copy of it, taken between two packets, is enough to read on
 * from there later, or elsewhere (I8).
 *
 * Many packets take effect later than they come.  What will be from the next branch on
 * stands beside what is (next_...); what belongs to the instruction whose address the next
 * FUP has waits in `bound`.
 */
#ifndef PTS_DECODER_PT_STATE_H
#define PTS_DECODER_PT_STATE_H

#include "decoder/pt/clock.h"
#include "decoder/pt/event.h"
#include "decoder/pt/pkt.h"

/* What waits for the address of the next FUP. */
struct pt_bound {
    uint32_t what;            /* EV_*; EV_BLOCK, EV_EXSTOP ... */
    uint64_t value[EV_COUNT]; /* of those with a payload */
    bool cfe_ip;              /* EV_CFE came with its IP bit set */
    bool owed;                /* the next FUP belongs to what waits (only strict) */
    uint8_t tx;               /* EV_TX: EVF_IN_TX, EVF_TX_ABORT */
    uint8_t cfe_type, cfe_vector;
    struct pt_evd evd; /* for the next CFE */
};

/* PEBS records, item by item (pebs.c). */
struct pt_pebs {
    struct pt_block block;
    enum block_group group; /* that items belong to now */
};

/* What came behind an overflow before the packet that says where execution is. */
enum { SINCE_NOTHING, SINCE_PACKETS, SINCE_TNT };

struct pt_state {
    struct pt_clock clk;
    uint64_t last_ip; /* what compressed addresses go by; 0 unless have_last_ip */
    bool have_last_ip;
    bool tracing;              /* between PGE and PGD */
    bool unbroken;             /* it has been on since whoever samples last set this */
    bool overflowed;           /* and no address was stated since */
    uint8_t tx;                /* EVF_IN_TX, EVF_TX_ABORT */
    uint8_t exec_mode;         /* 16, 32, 64; 0 unknown */
    uint8_t next_mode;         /* from the next branch on; 0: as it is */
    bool iflag, next_iflag;    /* interrupt flag: now, from the next branch on */
    bool from_iflag, to_iflag; /* as last told */
    bool nr, next_nr;  /* VMX non-root operation: now, from the next branch on */
    bool pip;          /* NR of the last PIP */
    uint8_t since_ovf; /* lost: SINCE_* */
    uint32_t cbr_seen; /* the ratio that was told last */
    uint64_t psb_pos;  /* of the last PSB in step; one that had to be searched for
                                * tells it, as in perf */
    struct pt_bound bound;
    struct pt_pebs pebs;
};

/* Whether two readers in these states, at the same packet, would say the same. */
bool pt_state_same(const struct pt_state *a, const struct pt_state *b);

static inline void pt_trace_off(struct pt_state *s)
{
    s->tracing = false;
    s->unbroken = false;
}

/* Guest or host from here on, as the last PIP said; or from the next branch on. */
static inline void pt_nr_now(struct pt_state *s)
{
    s->nr = s->next_nr = s->pip;
}

static inline void pt_nr_next(struct pt_state *s)
{
    s->next_nr = s->pip;
}

/* A MODE.Exec in a damaged stream may be rubbish: go by the file until the next one. */
static inline void pt_mode_forget(struct pt_state *s)
{
    s->exec_mode = s->next_mode = 0;
}

/* The interrupt flag changes: returns what is to be told of that. */
static inline uint32_t pt_iflag_turn(struct pt_state *s)
{
    s->from_iflag = s->iflag;
    s->to_iflag = s->next_iflag;
    s->iflag = s->next_iflag;
    return EV_IFLAG;
}

static inline void pt_ip_forget(struct pt_state *s)
{
    s->have_last_ip = false;
    s->last_ip = 0;
}

#endif
