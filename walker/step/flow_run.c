/* flow_run.c - the loop that follows one queue, and the life of a flow.
 *
 * SPDX-License-Identifier: MIT
 *
 * One step works until there is an event, a fault or the end; events are gathered in a
 * batch, which is lent to the caller until it asks for the next one.
 *
 * What happens in a step depends on the phase: what the last packet left to do.
 *
 *     SEEK_PSB -> SEEK_IP -> SYNC      no place yet, a place looked for, in step
 *     SYNC  -- TNT -->  IN_TNT         bits are left: the walk takes one at each branch
 *     SYNC  -- TIP -->  IN_TIP         the walk goes to the branch that it is the target of
 *     SYNC  -- FUP -->  IN_FUP         the walk goes to the address that it states
 *
 * Most faults lead back to seeking.  One packet may lead to many events, so the phase
 * outlives the call: the next one goes on in the middle of a TNT.
 */
#include "walker/flow/flow.h"

#include "decoder/base/arena.h"
#include "walker/step/ahead.h"
#include "walker/step/decide.h"
#include "walker/flow/emit.h"
#include "walker/step/fup.h"
#include "walker/flow/last_branches.h"
#include "walker/flow/legs.h"
#include "walker/step/quick.h"
#include "walker/quiet/quiet.h"
#include "walker/flow/ranges.h"
#include "walker/step/seek.h"
#include "walker/flow/stretch.h"
#include "walker/flow/switches.h"
#include "walker/step/walk.h"

#include <assert.h>

/* --- Steps ------------------------------------------------------------------------ */

/* Packets were lost, and those that should say where execution is, too; perf looks for it
 * in code at 0.  By the manual the next address is it. */
static bool is_lost(struct flow *f)
{
    return pt_lost(&f->in) && pt_strict(&f->in, PLACE_OVF_ALONE);
}

static enum step lost_tip(struct flow *f, bool off)
{
    if (off) {
        f->in.s.overflowed = false;
        return STEP_ON;
    }
    if (!f->in.ip_known)
        return STEP_ON;
    /* Outcomes before it may be of branches behind it: the TIP was deferred. */
    if (f->in.s.since_ovf == SINCE_TNT)
        return STEP_ON;
    f->in.s.overflowed = false;
    f->in.s.tracing = true;
    take_ip(f);
    note_branch(f, 0, f->walk.ip);
    f->out.ev.what |= EV_TRACE_BEGIN;
    return STEP_EVENT;
}

static enum step tnt_answer(struct flow *f)
{
    if (is_lost(f)) {
        f->in.s.since_ovf = SINCE_TNT;
        return STEP_ON;
    }
    f->walk.tnt_count = pt_tnt(&f->in, &f->walk.tnt_bits);
    f->walk.phase = IN_TNT;
    return walk_tnt(f);
}

static enum step tip_answer(struct flow *f)
{
    if (is_lost(f))
        return lost_tip(f, false);
    f->walk.phase = IN_TIP;
    return walk_tip(f);
}

static enum step pgd_answer(struct flow *f)
{
    return is_lost(f) ? lost_tip(f, true) : walk_pgd(f);
}

static enum step pge_answer(struct flow *f)
{
    take_ip(f);
    note_branch(f, 0, f->walk.ip);
    f->out.ev.what |= f->in.what;
    return STEP_EVENT;
}

static enum step event_answer(struct flow *f)
{
    f->out.ev.what = f->in.what;
    /* Without anything observed it only moves the time. */
    if (f->in.what)
        note_branch(f, f->walk.ip, 0);
    return STEP_EVENT;
}

static enum step ptwrite_answer(struct flow *f)
{
    if (!goal_find(f, GOAL_PTWRITE))
        return event_answer(f);
    f->walk.phase = IN_PTWRITE;
    return walk_ptwrite(f);
}

static enum step pip_answer(struct flow *f)
{
    if (!goal_find(f, GOAL_MOV_CR3))
        return STEP_ON;
    f->walk.phase = IN_PIP;
    return walk_pip(f);
}

/* One answer of the trace, in step with execution. */
static enum step sync_packet(struct flow *f)
{
    enum pt_answer a = pt_read(&f->in);

    packet_read(f);
    switch (a) {
    case PT_ON:
        return STEP_ON;
    case PT_TNT:
        return tnt_answer(f);
    case PT_TIP:
        return tip_answer(f);
    case PT_TIP_PGD:
        return pgd_answer(f);
    case PT_TIP_PGE:
        return pge_answer(f);
    case PT_FUP:
        return walk_to_fup(f, false);
    case PT_AT:
        return walk_to_fup(f, true);
    case PT_HERE:
        fup_events(f, true);
        return STEP_EVENT;
    case PT_EVENT:
        return event_answer(f);
    case PT_PTWRITE:
        return ptwrite_answer(f);
    case PT_PIP:
        return pip_answer(f);
    case PT_PSB:
        return psb_event(f);
    case PT_PSB_AT:
        f->walk.phase = IN_FUP_PSB;
        return psb_walk_on(f);
    default:
        return read_ended(f, a);
    }
}

/* A segment ends in front of the PSB where the next one begins (I8). */
static enum step sync_next(struct flow *f)
{
    if (mark_is_due(f->marks, f->in.st.pos))
        flow_keep_mark(f);
    return pause_due(f) ? STEP_SILENT : segment_ends(f) ? STEP_END : sync_packet(f);
}

/* Packets until one leads to an event. */
static enum step sync_packets(struct flow *f)
{
    enum step s;

    do {
        s = STEP_ON;
        if (quiet_now(f)) {
            s = quiet_packets(f);
            if (s == STEP_ON && f->walk.phase != SYNC)
                s = walk_tnt(f);
        }
        if (s == STEP_ON)
            s = sync_next(f);
    } while (s == STEP_ON);
    return s;
}

/* Works until an event, a fault or the end. */
static enum step flow_step(struct flow *f)
{
    enum step s;

    if (!f->out.resumed) /* else the event had begun in the segment before */
        event_begin(f);
    f->out.resumed = false;
    if (f->conf.quick)
        return quick_step(f);
    switch (f->walk.phase) {
    case SEEK_PSB:
        return sync_psb(f);
    case SEEK_NEW_IP:
        forget_place(f);
        return sync_ip(f);
    case SEEK_IP:
        return sync_ip(f);
    case SYNC:
        return sync_packets(f);
    case AT_IP: /* only in quick_step */
        break;
    case IN_TNT:
    case IN_TNT_MORE:
        s = walk_tnt(f);
        return s == STEP_ON ? sync_packets(f) : s;
    case IN_TIP:
    case IN_TIP_PGD:
        return walk_tip(f);
    case IN_FUP:
        s = walk_fup(f);
        return s == STEP_ON ? walk_fup_tip(f) : s;
    case IN_FUP_QUIET:
        s = walk_fup(f);
        return s == STEP_ON ? sync_packets(f) : s;
    case IN_FUP_PSB:
        return psb_walk_on(f);
    case IN_PTWRITE:
        return walk_ptwrite(f);
    case IN_PIP:
        s = walk_pip(f);
        return s == STEP_ON ? sync_packets(f) : s;
    }
    return STEP_END;
}

/* One step, reported.  False: the end. */
static bool flow_advance(struct flow *f)
{
    switch (flow_step(f)) {
    case STEP_EVENT:
        if (!event_end(f))
            return false;
        if (f->each_insn)
            walk_line(f);
        return true;
    case STEP_FAULT:
        fault_end(f);
        return true;
    case STEP_SILENT:
    case STEP_BREAK:
        return true;
    case STEP_END:
        return false;
    case STEP_ON:
    case STEP_BRANCH:
    case STEP_TARGET:
    case STEP_AGAIN:
        break;
    }
    assert(false && "a step that ends nothing");
    return false;
}

/* --- Calls ------------------------------------------------------------------------ */

/* What comes before the first time is told at that time, where perf would drop it. */
static void start_untimed(struct flow *f)
{
    struct told_state *t = &f->told;

    t->started = true;
    t->tsc = tsc_near(f->conf.late_tsc, f->queue.bufs->ref);
    t->event_tsc = t->tsc;
    enter_epoch(f, sb_epoch_at(f->sb, t->tsc));
}

/* perf puts a queue into its heap by the first time that is known; so events before
 * it are worked off here and told to nobody. */
pts_status flow_start(struct flow *f)
{
    if (f->conf.timeless) {
        f->told.started = true;
        return PTS_OK;
    }
    f->told.who = (struct sb_who){-1, -1, -1, SB_NONE, 0};
    if (f->conf.late_tsc) {
        start_untimed(f);
        return PTS_OK;
    }
    /* The first selected time is late in the trace: leap there. */
    if (f->told.range.start && f->told.range.tsc)
        fast_forward(f, f->told.range.tsc);
    for (;;) {
        enum step s = flow_step(f);
        if (s == STEP_END)
            return PTS_END;
        if (s == STEP_FAULT)
            fault_end(f);
        if (s != STEP_EVENT)
            continue;
        event_end(f);
        if (f->told.sample_tsc)
            break;
    }
    f->told.started = true;
    f->told.tsc = f->told.sample_tsc;
    first_event(f);
    return f->out.no_memory ? PTS_E_NOMEM : PTS_OK;
}

void flow_place(struct flow *f, uint32_t epoch)
{
    /* Whoever was known to run there must be asked for again. */
    f->told.who.until = 0;
    enter_epoch(f, epoch);
}

void flow_piece(struct flow *f, int32_t tid, uint32_t epoch)
{
    if (f->in.st.count < f->queue.count)
        /* One more buffer may be read. */
        f->in.st.count++;
    f->out.ended = false;
    f->queue.tid = tid;
    f->queue.use_current = false;
    flow_place(f, epoch);
}

uint32_t flow_met(const struct flow *f)
{
    return f->in.met;
}

uint64_t flow_time(const struct flow *f)
{
    return f->told.tsc;
}

uint64_t flow_event_time(const struct flow *f)
{
    return f->told.event_tsc;
}

uint64_t flow_passed(const struct flow *f)
{
    return f->in.st.pos + f->in.st.step;
}

void flow_until(struct flow *f, uint64_t tsc)
{
    f->asked_tsc = tsc;
}

static void ahead_begin(struct flow *f)
{
    struct event_out *o = &f->out;

    if (o->skipped > o->most)
        o->most = BATCH_AHEAD;
    else if (o->most < BATCH_EVENTS)
        o->most = o->most ? o->most * 2 : BATCH_AHEAD;
    o->ahead = f->told.tsc < f->asked_tsc ? o->most : BATCH_EVENTS;
    o->skipped = 0;
}

/* The batch is emptied here and not at the end of the call before: it was lent until
 * now. */
pts_status flow_next_some(struct flow *f, size_t most, struct event_batch *out)
{
    struct event_out *o = &f->out;

    /* kept: first_event has put one there that is still to be told. */
    if (!o->kept)
        events_clear(o);
    o->kept = false;
    o->pause_at = f->conf.pause ? f->in.st.pos + f->conf.pause : UINT64_MAX;
    o->room = most;
    ahead_begin(f);
    while (!o->ended && !o->no_memory && !batch_full(f) && f->in.st.pos < o->pause_at &&
           !is_recalled(o))
        o->ended = !flow_advance(f);
    last_told(f);
    if (o->no_memory || f->code.rets.failed)
        return PTS_E_NOMEM;
    *out = flow_told(f);
    return o->held.events.len || !o->ended ? PTS_OK : PTS_END;
}

pts_status flow_next(struct flow *f, struct event_batch *out)
{
    return flow_next_some(f, BATCH_EVENTS, out);
}

/* --- Life ------------------------------------------------------------------------- */

static uint64_t lower_power_of_2(uint64_t x)
{
    return x ? UINT64_C(1) << (63 - __builtin_clzll(x)) : 1;
}

/* Those whose stacks only are looked at: calls, or any. */
static pts_status alloc_branches(struct flow *f)
{
    const uint32_t last = f->conf.last_branches;

    if (!f->quiet || !f->branches || !f->conf.net_calls)
        return PTS_OK;
    if (!last)
        return (f->net = mem_zalloc(1, sizeof(*f->net))) ? PTS_OK : PTS_E_NOMEM;
    if (last > LAST_MOST)
        return PTS_OK; /* they are told, one by one */
    return (f->last = last_new(last)) ? PTS_OK : PTS_E_NOMEM;
}

static pts_status flow_alloc(struct flow *f)
{
    struct where_code *c = &f->code;
    const pts_status st = alloc_branches(f);

    if (st < 0)
        return st;
    c->dso_count = sb_dso_total(f->sb);
    c->missing = f->queue.missing;
    if (!c->missing)
        c->missing = c->own_missing = mem_zalloc(c->dso_count + 1, sizeof(*c->missing));
    if (!c->missing)
        return PTS_E_NOMEM;
    return as_view_new(f->sb, &c->view);
}

/* The quiet way goes from leg to leg and must not count loops differently (I7); it knows
 * nothing of what is decoded otherwise than by perf.  In the quick modes a target is an
 * instruction. */
static bool may_be_quiet(const struct flow_config *conf, bool branches)
{
    uint32_t loud = branches ? 0 : EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END;

    if (conf->quick)
        loud |= EV_INSN;
    return !conf->strict && conf->quick <= 1 && !(conf->want & loud) &&
           conf->max_loops > LEG_DIRECT_MAX;
}

/* The quiet way can tell branches, but not the bytes of their instructions. */
static bool can_tell_branches(const struct flow_config *conf)
{
    return conf->want & EV_BRANCH && !conf->quick && !conf->want_insn_bytes;
}

/* These are far more. */
static bool wants_jumps(const struct flow_config *conf)
{
    return conf->want_classes & (1u << INSN_JCC | 1u << INSN_LOOP | 1u << INSN_JMP);
}

static bool samples_each(const struct flow *f)
{
    const struct flow_config *c = &f->conf;

    if (c->strict || c->quick || !(c->want & EV_INSN))
        return false;
    return c->period_type == PERIOD_INSNS   ? c->period == 1
           : c->period_type == PERIOD_TICKS ? f->period_ticks == 1
                                            : false;
}

/* A part of the period, as near to its end all times are worked out; some packets' worth at least. */
static uint64_t insns_ahead(uint64_t period_ticks)
{
    enum { PART = 8, LEAST = 64, MOST = 1024 };
    const uint64_t n = period_ticks / PART;

    return n < LEAST ? 0 : n < MOST ? n : MOST;
}

pts_status flow_new(const struct flow_config *conf, const struct flow_queue *queue,
                    const struct sideband *sb, const struct flow_images *images,
                    struct flow **out)
{
    struct flow *f = mem_zalloc(1, sizeof(*f));
    if (!f)
        return PTS_E_NOMEM;
    f->conf = *conf;
    if (!f->conf.max_loops)
        f->conf.max_loops = MAX_LOOPS;
    f->images = *images;
    f->sb = sb;
    f->queue = *queue;
    f->told.any = !(conf->want & EV_CBR); /* else the first event tells it */
    f->branches = can_tell_branches(&f->conf);
    f->quiet = may_be_quiet(&f->conf, f->branches) && !queue->watch;
    f->all = f->branches && wants_jumps(&f->conf);
    /* perf rounds the period of ticks so, to divide by masking. */
    f->period_ticks = lower_power_of_2(conf->period);
    f->insns_ahead = insns_ahead(f->period_ticks);
    f->each_insn = samples_each(f);
    f->told.next_epoch_tsc = UINT64_MAX;
    f->out.pause_at = UINT64_MAX;
    f->out.room = BATCH_EVENTS;
    const struct pt_reader_conf reader = {conf->branch_enable, conf->quick,
                                          conf->cyc_threshold, conf->strict,
                                          conf->errata};
    pt_init(&f->in, &reader, &conf->clock, queue->bufs,
            queue->by_piece ? 0 : queue->count);
    f->in.st.watch = queue->watch;
    f->in.st.watch_ctx = queue->watch_ctx;
    range_init(f);
    switches_init(f);
    pts_status st = flow_alloc(f);
    if (st < 0) {
        flow_free(f);
        return st;
    }
    *out = f;
    return PTS_OK;
}

void flow_free(struct flow *f)
{
    if (!f)
        return;
    flow_leave_rooms(f);
    room_free(&f->out.held);
    VEC_FREE(&f->gaps.at);
    legs_free(f);
    as_view_free(f->code.view);
    for (uint32_t i = 0; f->code.guest && i < sb_guest_count(f->sb); i++)
        as_view_free(f->code.guest[i].view);
    mem_free(f->code.guest);
    ret_free(&f->code.rets);
    mem_free(f->code.own_missing);
    mem_free(f->net);
    mem_free(f->last);
    mem_free(f);
}
