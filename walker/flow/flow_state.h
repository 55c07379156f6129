/* flow_state.h - the state of a flow, shared by the files of this room.
 *
 * SPDX-License-Identifier: MIT
 *
 *      SEEK_PSB --PSB+ with ip--> SYNC <--> TNT, TIP, TIP_PGD, FUP, FUP_QUIET, FUP_PSB
 *         |   \                    ^         (walking code for that packet)
 *         |    `--PSB+ without --->'
 *   new buffer                     |
 *         ^                        |
 *   SEEK_NEW_IP --forget ip--> SEEK_IP --TIP, FUP, PSB+ with ip--> SYNC
 *
 * Only by the manual (--strict-pt): IN_PTWRITE and IN_PIP walk on to the instruction that
 * their packet belongs to.
 *
 * In the quick modes an ip that was just found is first told by itself: AT_IP, then
 * SYNC.
 *
 * Faults lead to SEEK_NEW_IP (no code), SEEK_IP (code and packets disagree) or leave
 * the phase as it is (bad packet).  While the phase is one that walks for a packet, the
 * packet's time is not yet reported (I1).
 *
 * Who does what, from the ground up; none calls one above it:
 *
 *     flow_run   the loop over packets, and the life of a flow
 *     quick      the quick modes, in place of following code
 *     seek       PSB+, the first address, overflow
 *     fup        to the address of a FUP, and what happened there
 *     decide     what TNT and TIP decide
 *     quiet      the same in one go, while nobody looks at branches; quiet_run: its plainest part
 *     quiet_branches  branches that are told all the same    quiet_sample  samples
 *     legs       from leg to leg           walk   from branch to branch
 *     stretch    which code is where       filter does a branch leave the traced code?
 *     ahead      code that is not walked yet, for packets without an address
 *     emit       events, their times, their delivery      ranges  selected times
 */
#ifndef PTS_WALKER_FLOW_FLOW_STATE_H
#define PTS_WALKER_FLOW_FLOW_STATE_H

#include "decoder/base/address.h"
#include "decoder/base/vec.h"
#include "decoder/pt/ratio_ahead.h"
#include "walker/code/leg.h"
#include "walker/flow/flow.h"
#include "walker/flow/retstack.h"
#include "walker/flow/rooms.h"

/* Who comes to the time that it was asked for is ahead of another queue, which runs next and may
 * leave it far behind: then what comes here need not be told.  Both may as well be as busy, and
 * take turns: the more is told in each, up to a batch. */
enum { BATCH_EVENTS = 512, BATCH_AHEAD = 16 };

/* How one step of walking or of packet reading ended. */
enum step {
    STEP_ON,     /* go on */
    STEP_EVENT,  /* something happened: an event ends here */
    STEP_BRANCH, /* walk: at a branch that only a packet can decide */
    STEP_TARGET, /* walk: the wanted ip is reached */
    STEP_FAULT,  /* walk.fault says what; walk.phase where to go on */
    STEP_SILENT, /* a fault that has been reported often enough; or the batch is full */
    STEP_AGAIN,  /* quiet: not a plain packet, nothing was done */
    STEP_BREAK,  /* a new trace begins */
    STEP_END     /* no more packets, or the end of the segment */
};

/* The mapped code that is being walked. */
struct stretch {
    uint64_t start, end; /* valid for start <= ip < end; end 0: nothing known */
    /* An instruction that begins below is taken from this map alone: its end, as in perf; of
     * a bare trace, before it could go on in another map. */
    uint64_t whole;
    uint64_t to_off; /* ip + to_off = offset in the file */
    struct code *code;
    uint32_t epoch;       /* at which it was looked up: the code as it is then */
    struct leg_map *legs; /* of the map's code; NULL: walk without */
    uint64_t leg_len;     /* bytes from start that they are for */
    enum ild_mode mode;
    uint8_t exec_mode; /* of the processor, when the mode was looked up */
    uint32_t dso;
};

/* Where legs are, by address, until the maps or the mode may have changed. */
struct leg_place {
    uint64_t ip;
    struct leg *leg;
    const struct stretch *in;
    uint64_t age;
};

/* The stretches that were walked lately; they grow with how many there are (legs.c). */
struct stretches {
    struct stretch *at;
    uint32_t count, room;
    struct leg_place *place; /* 1 << bits, by a hash of the address */
    uint32_t bits;
    uint32_t missed; /* look-ups that were made anew since it last grew */
    uint64_t age;    /* places of another age are of other maps */
};

/* Where code is. */
struct where_code {
    struct as_view *view;
    struct guest_view *guest; /* by number of the guest: made when one is entered */
    struct stretch at;
    struct stretches known;
    struct ret_stack rets;
    uint8_t
        last[ILD_MAX]; /* bytes of the last instruction, when it goes over maps or lies
                             * in code that changes */
    uint8_t *missing;  /* as in struct flow_queue */
    uint8_t *own_missing;
    uint32_t dso_count;
};

/* Batches before the last one, where all that is told is kept. */
struct put_by {
    struct rooms *rooms; /* for more; NULL: nothing is put by */
    VEC(struct room) at;
    uint32_t events;
};

/* The event being built, and those that wait to be fetched. */
struct event_out {
    struct pt_event ev;
    uint32_t missing; /* of a fault: 1 + the dso that has no file */
    uint32_t
        skipped; /* times before the one that was asked for, in this batch, which were not told */
    struct room held; /* the batch */
    struct put_by put_by;
    uint64_t more_insns,
        more_cycles; /* than the events say: a guess was wrong by so much */
    bool drop;       /* before the start of the selected time */
    bool kept;       /* the first event waits in the batch already */
    bool resumed;    /* ev goes on from another flow */
    bool ended, no_memory;
    bool errors;       /* in the batch, or put by */
    bool last_waits;   /* last branches are to be told before anything else is */
    uint64_t pause_at; /* in the stream */
    const atomic_bool *recalled; /* flow_recalled_by; or NULL */
    size_t room;                 /* events at which the batch is full */
    uint32_t ahead; /* times behind the one that was asked for that may still be told */
    uint32_t most;  /* ... at the beginning of a batch */
};

static inline bool is_recalled(const struct event_out *o)
{
    return o->recalled && atomic_load_explicit(o->recalled, memory_order_relaxed);
}

/* Where time goes on without anything having happened (flow_tell_gaps). */
struct gaps_told {
    bool wanted;
    uint32_t due; /* times that may still be told behind the last one */
    VEC(struct flow_gap) at;
};

struct segment_end {
    bool wanted, reached;
    uint32_t buf;
    uint64_t off;
};

struct flow {
    struct flow_config conf;
    struct flow_images images;
    const struct sideband *sb;
    struct flow_queue queue;
    bool quiet;                 /* nobody looks at branches */
    bool branches;              /* ... or at no more than the quiet way tells of them */
    bool all;                   /* ... not only calls and returns */
    bool each_insn;             /* is sampled */
    struct net_calls *net;      /* ... less those that cancel out; NULL: all */
    struct last_branches *last; /* ... or only the last ones; NULL: all */
    uint64_t period_ticks;      /* a power of two */
    /* While cycles wait to be turned into time, so many instructions may come between two packets of
     * time: in a period of ticks each counts for one.  0: the period is too short for that. */
    uint64_t insns_ahead;
    uint64_t asked_tsc; /* flow_until */
    struct segment_end end;
    struct marks *marks;      /* NULL: none are kept */
    struct ratio_ahead ratio; /* what the trace still says, once somebody asks */
    struct gaps_told gaps;

    struct pt_reader in; /* the trace */
    struct walk_state
        walk; /* these three and where the reader is: what is carried over */
    struct told_state told;
    struct where_code code;
    struct event_out out;
};

/* segment.c: in front of a packet, when a mark is due: keeps it if that is a PSB. */
void flow_keep_mark(struct flow *f);

/* last_branches.c: a branch that nobody looks at for itself; and tells those that wait. */
void last_event(struct flow *f, const struct pt_event *ev);
void last_tell(struct flow *f);

static inline void last_told(struct flow *f)
{
    if (f->out.last_waits)
        last_tell(f);
}

static inline enum step flow_fault(struct flow *f, enum pt_fault fault)
{
    f->walk.fault = fault;
    f->out.ev.to = 0;
    f->out.missing = 0;
    return STEP_FAULT;
}

static inline void events_clear(struct event_out *o)
{
    room_clear(&o->held);
    o->errors = false;
}

static inline bool batch_full(const struct flow *f)
{
    return f->out.held.events.len >= f->out.room || !f->out.ahead;
}

/* Where the event that is being built happened, and where it leads. */
static inline void note_branch(struct flow *f, uint64_t from, uint64_t to)
{
    f->out.ev.from = from;
    f->out.ev.to = to;
}

/* An event that is no branch, at the current ip. */
static inline enum step plain_event(struct flow *f, uint32_t what)
{
    f->out.ev.what = what;
    note_branch(f, f->walk.ip, 0);
    return STEP_EVENT;
}

/* Execution is where the last packet said. */
static inline void take_ip(struct flow *f)
{
    f->walk.ip = f->in.s.last_ip;
}

/* The maps may have changed, or the mode: look again. */
void stretch_forget(struct flow *f);

/* The same when only the mode may have changed. */
static inline void stretch_check(struct flow *f)
{
    if (f->code.at.exec_mode != f->in.s.exec_mode)
        stretch_forget(f);
}

/* Addresses of 32-bit code wrap at 2^32; what is added to one is 64 bits wide here. */
static inline uint64_t wrap_ip(const struct flow *f, uint64_t ip)
{
    return ild_is_64(f->code.at.mode) ? ip : (uint32_t)ip;
}

/* Where the direct branch goes that execution is at. */
static inline uint64_t direct_target(const struct flow *f)
{
    return wrap_ip(f, f->walk.ip + f->walk.ilen + (uint64_t)(int64_t)f->walk.rel);
}

/* A packet was used, or code ended: no loop. */
static inline void loop_left(struct flow *f)
{
    f->walk.loops.count = 0;
    f->walk.loops.total = 0;
}

#endif
