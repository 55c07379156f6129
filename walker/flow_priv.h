/* flow_priv.h - the state of a flow, shared by the flow_*.c files.
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
 * In the quick modes an ip that was just found is first told by itself: AT_IP, then
 * SYNC.
 *
 * Faults lead to SEEK_NEW_IP (no code), SEEK_IP (code and packets disagree) or leave
 * the phase as it is (bad packet).  While the phase is one that walks for a packet, the
 * packet's time is not yet reported (I1).
 */
#ifndef PTS_WALKER_FLOW_PRIV_H
#define PTS_WALKER_FLOW_PRIV_H

#include "decoder/vec.h"
#include "walker/flow.h"
#include "walker/leg.h"
#include "walker/retstack.h"

enum { BATCH_EVENTS = 512 };

enum phase {
    SEEK_PSB,
    SEEK_NEW_IP,
    SEEK_IP,
    AT_IP, /* quick modes: f->ip is to be sampled */
    SYNC,
    IN_TNT,      /* no bit of the packet used yet */
    IN_TNT_MORE, /* some bits used */
    IN_TIP,
    IN_TIP_PGD,
    IN_FUP,       /* a TIP follows */
    IN_FUP_QUIET, /* FUP that belongs to an event: no TIP follows */
    IN_FUP_PSB    /* walking to the ip that a PSB+ will state */
};

/* How one step of walking or of packet reading ended. */
enum step {
    STEP_ON,     /* go on */
    STEP_EVENT,  /* something happened: an event ends here */
    STEP_BRANCH, /* walk: at a branch that only a packet can decide */
    STEP_TARGET, /* walk: the wanted ip is reached */
    STEP_FAULT,  /* f->fault says what; f->phase where to go on */
    STEP_SILENT, /* a fault that has been reported often enough */
    STEP_AGAIN,  /* look at the current packet once more */
    STEP_BREAK,  /* a new trace begins */
    STEP_END     /* no more packets */
};

/* Unconditional branches taken without a packet: stuck when they repeat. */
struct loop_guard {
    uint32_t count, window, left;
    uint32_t total; /* the same, but samples do not begin it anew */
    uint64_t mark;
};

/* Events that wait for the ip of the next FUP. */
struct fup_pending {
    bool tx, ptwrite, mwait, pwre, exstop, block, cfe_ip, cfe, iflag;
    uint8_t tx_flags;
    uint64_t ptwrite_value, mwait_value, pwre_value;
    struct pts_pkt cfe_pkt;
};

/* The map that holds the ip being walked, and its code. */
struct place {
    uint64_t start, end; /* valid for start <= ip < end; end 0: nothing known */
    uint64_t to_off;     /* ip + to_off = offset in the file */
    struct code *code;
    struct leg_map *legs; /* of the map's code; NULL: walk without */
    uint64_t leg_len;     /* bytes from start that they are for */
    enum ild_mode mode;
    uint32_t dso;
};

struct flow {
    struct flow_config conf;
    struct flow_images images;
    const struct sideband *sb;
    struct flow_queue queue;
    bool quiet; /* nobody looks at branches */
    struct pt_stream st;
    struct pt_clock clk;
    struct ret_stack rets;

    enum phase phase;
    uint64_t ip, last_ip;
    bool have_last_ip;
    bool tracing; /* between PGE and PGD */
    bool in_psb;
    bool overflowed;
    uint64_t psb_ip;
    uint8_t exec_mode,
        next_mode;             /* 16, 32, 64; 0 unknown; next: from the next TIP on */
    bool iflag, next_iflag;    /* interrupt flag: now, from the next event on */
    bool from_iflag, to_iflag; /* as last told */
    bool nr, next_nr, walk_nr; /* VMX non-root; walk_nr: where code is looked for */
    uint64_t pip;
    bool hop_quiet; /* quick modes: the next FUP of this step has no TIP */
    uint8_t tx;     /* EVF_IN_TX, EVF_TX_ABORT */
    struct fup_pending fup;
    uint64_t tnt_bits;
    uint32_t tnt_count;
    bool emu_ptwrite; /* TNT bits from here on are an emulated ptwrite's payload */
    struct loop_guard loops;
    enum pt_fault fault;

    /* the last instruction walked to (kept until the next one, as perf does) */
    uint8_t cls, branch, ilen;
    int32_t rel;
    uint64_t ret_addr;     /* 0: the return stack was empty */
    const uint8_t *bytes;  /* of that instruction; NULL unknown */
    bool jumped_signature; /* it jumps over the signature of an emulated ptwrite */

    /* sampling */
    uint64_t ninsn;        /* walked in all */
    uint64_t period_insns; /* since the last period sample */
    uint64_t period_ticks, last_tick;
    bool ticks_running;

    /* times as reported (they lag behind the clock, I1) */
    uint64_t sample_tsc, sample_insns, sample_cycles;
    uint64_t reported_cycles; /* known at sample_tsc, exact or not */
    uint64_t tsc;             /* the queue's time */
    uint32_t cbr_seen;
    bool cbr_due; /* the ratio has changed since an event was delivered */
    bool started; /* a time is known: events count from here on */
    bool events_told;
    uint64_t event_tsc; /* time of the last event, delivered or not */
    uint64_t told_tsc;  /* time of the last event delivered */
    uint32_t trace_nr;
    uint32_t bufs_seen;

    /* --time */
    bool sel_start;
    uint64_t sel_tsc;
    uint32_t sel_index;
    uint64_t ff_tsc; /* last fast-forward target */
    bool stopped;    /* after the last selected time */

    /* side-band position */
    uint32_t epoch;
    uint64_t next_epoch_tsc; /* when the next record takes effect */
    struct sb_who who;
    struct as_view *view;
    struct place place;
    uint8_t *dso_faults; /* per dso: faults reported for lack of its file, up to 2 */
    uint32_t dso_count;

    /* the event being built */
    struct pt_event ev;
    struct pt_extra ex;
    struct pt_block block; /* the PEBS record being read, and the last BBP's group */
    enum block_group block_group;
    bool drop_event; /* before the start of the selected time */
    VEC(struct pt_event) events;
    VEC(struct pt_extra) extras;
    VEC(struct pt_block) blocks;
    uint32_t evd_count; /* EVDs that wait for a CFE */
    bool batch_kept;    /* the first event waits in the batch already */
    bool ended, no_memory;
};

/* --- flow_emit.c: events, times, side-band position --- */

void event_begin(struct flow *f); /* what = EV_BRANCH, nothing else */
void event_end(struct flow *f);   /* report it: times, epoch, delivery */
void first_event(struct flow *f); /* deliver the one at which the time is known */
enum step flow_fault(struct flow *f, enum pt_fault fault); /* STEP_FAULT */
void fault_end(struct flow *f);                            /* report f->fault */
void report_time(struct flow *f);        /* the clock's time is the reported time now */
enum step fault_no_code(struct flow *f); /* the code at f->ip cannot be read */

/* --- flow_walk.c: code --- */

/* Finds the map that holds ip. */
bool place_at(struct flow *f, uint64_t ip);

/* Walks from f->ip to the next branch (f->cls, ...), or to `target` when not 0, or to
 * the next instruction to be sampled.  STEP_EVENT: a direct branch was followed or an
 * instruction is to be sampled, the event is in f->ev. */
enum step walk_code(struct flow *f, uint64_t target);
enum step walk_tnt(struct flow *f);
enum step walk_tnt_quiet(struct flow *f); /* these two: flow_quiet.c */
enum step quiet_packets(struct flow *f);
enum step walk_tip(struct flow *f);
void sample_fup_insn(struct flow *f);
void branch_arrives(struct flow *f); /* what takes effect with a TIP does so now */
bool leaves_filter(const struct flow *f, uint64_t to); /* flow_filter.c, spec B5 */

/* --- flow.c: packets --- */

enum step flow_read(struct flow *f); /* next packet into f->st.pkt */
enum step flow_stream_end(struct flow *f, enum stream_result r);
enum step sync_packet(struct flow *f); /* the packet in f->st.pkt */
void packet_begins(struct flow *f);
void flow_timing(struct flow *f);    /* a CYC, MTC, TSC, TMA or CBR packet */
void mode_exec_next(struct flow *f); /* a MODE.Exec that takes effect later */

/* --- flow_fup.c: FUP and what it binds --- */

void fup_clear(struct flow *f);
bool fup_events(struct flow *f, bool quiet);
enum step walk_fup(struct flow *f);
enum step walk_fup_tip(struct flow *f);
enum step fup_packet(struct flow *f, bool quiet);

/* --- flow_block.c: blocks --- */

void block_group_begin(struct flow *f); /* the BBP in f->st.pkt */
void block_item(struct flow *f);        /* the BIP */

/* --- flow_sync.c: PSB+, finding an ip, overflow --- */

enum step sync_psb(struct flow *f);
enum step sync_ip(struct flow *f);
enum step psb_packet(struct flow *f);
enum step psb_read(struct flow *f); /* the rest of a PSB+ and its event */
enum step psb_walk_on(struct flow *f);
enum step flow_overflow(struct flow *f);
void flow_restart(struct flow *f);

/* --- flow_hop.c: the quick modes --- */

enum step hop_step(struct flow *f);
enum step hop_fup(struct flow *f, bool quiet);

/* --- flow_time.c: --time --- */

void select_init(struct flow *f);
/* Called with f->tsc new.  False: no more selected times, the queue is finished. */
bool select_time(struct flow *f);
void fast_forward(struct flow *f, uint64_t tsc);

/* --- small things --- */

static inline uint64_t ip_of(const struct pts_pkt *p, uint64_t last)
{
    /* Bits of the last ip that stay, for each IPBytes code. */
    static const uint64_t kept[8] = {
        [1] = ~UINT64_C(0xffff),
        [2] = ~UINT64_C(0xffffffff),
        [4] = ~UINT64_C(0xffffffffffff),
    };
    uint64_t ip = (last & kept[p->count & 7]) | p->value;
    return p->count == 3 ? (uint64_t)((int64_t)(ip << 16) >> 16) : ip; /* 48 bits */
}

static inline void take_last_ip(struct flow *f)
{
    f->last_ip = ip_of(&f->st.pkt, f->last_ip);
    f->have_last_ip = true;
}

static inline void take_ip(struct flow *f)
{
    take_last_ip(f);
    f->ip = f->last_ip;
}

static inline void ip_forget(struct flow *f)
{
    f->have_last_ip = false;
    f->last_ip = 0;
    f->ip = 0;
}

static inline void note_branch(struct flow *f, uint64_t from, uint64_t to)
{
    f->ev.from = from;
    f->ev.to = to;
}

/* An event that is no branch, at the current ip. */
static inline enum step plain_event(struct flow *f, uint32_t what)
{
    f->ev.what = what;
    note_branch(f, f->ip, 0);
    return STEP_EVENT;
}

/* Whether plain packets may be taken without events: nothing waits for the next event,
 * or for the next branch, to be told or to take effect. */
static inline bool quiet_now(const struct flow *f)
{
    uint64_t until = f->next_epoch_tsc;
    bool same_maps = f->conf.timeless ||
                     (f->tsc < until && f->clk.now < until && f->sample_tsc < until);
    bool same_mode = f->iflag == f->next_iflag && !f->next_mode && !f->pip && !f->nr &&
                     !f->next_nr && !f->walk_nr;
    return f->quiet && f->started && f->events_told && f->cbr_seen == f->clk.cbr &&
           same_maps && same_mode && !f->loops.total && !f->emu_ptwrite;
}

/* The maps may have changed: look again. */
static inline void place_forget(struct place *p)
{
    p->end = 0;
    p->leg_len = 0;
}

/* The mode of the last MODE.Exec begins now. */
static inline void mode_exec_apply(struct flow *f)
{
    if (f->next_mode && f->next_mode != f->exec_mode) {
        f->exec_mode = f->next_mode;
        place_forget(&f->place);
    }
    f->next_mode = 0;
}

/* A MODE.Exec in a damaged stream may be rubbish: go by the file until the next one. */
static inline void mode_exec_forget(struct flow *f)
{
    if (f->exec_mode)
        place_forget(&f->place);
    f->exec_mode = f->next_mode = 0;
}

/* A packet was used, or code ended: no loop. */
static inline void loop_left(struct flow *f)
{
    f->loops.count = 0;
    f->loops.total = 0;
}

/* perf's limits of patience: a cycle of branches that consume no packet, found by
 * holding one target per growing window against the ones after it.  True: stuck. */
static inline bool loop_stuck(struct flow *f, uint64_t to)
{
    struct loop_guard *g = &f->loops;
    uint32_t n = g->count++;

    if (g->total++ > f->conf.max_loops)
        return true;
    if (n == 0)
        return false;
    if (n == 1) {
        g->mark = to;
        g->window = g->left = 1;
        return false;
    }
    if (n > f->conf.max_loops || to == g->mark)
        return true;
    if (--g->left == 0) {
        g->left = ++g->window;
        g->mark = to;
    }
    return false;
}

static inline void trace_off(struct flow *f)
{
    f->tracing = false;
    f->ticks_running = false;
}

static inline void nr_now(struct flow *f)
{
    f->nr = f->next_nr = f->pip & 1;
}

static inline void nr_next(struct flow *f)
{
    f->next_nr = f->pip & 1;
}

#endif
