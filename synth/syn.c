/* syn.c - one event of the decoder becomes samples, in perf's order.
 *
 * SPDX-License-Identifier: MIT
 *
 *     PEBS records  evt  iflag  psb  cbr  mwait  pwre  exstop  pwrx  instructions
 *     transactions  ptwrite -> call stack -> branches
 *
 * What a sample says of its instruction (flags, length) is that of the event, whatever
 * kind of sample it is; only power and ptwrite samples without an ip clear the flags.
 */
#include "synth/ipflags.h"
#include "synth/out_synth.h"
#include "synth/synth_state.h"
#include "walker/ild.h"

#include <assert.h>

/* --- Flags --- */

static uint32_t flags_of_class(uint8_t cls)
{
    switch ((enum insn_class)cls) {
    case INSN_OTHER:
        return 0;
    case INSN_CALL:
        return IPF_BRANCH | IPF_CALL;
    case INSN_RET:
        return IPF_BRANCH | IPF_RETURN;
    case INSN_JCC:
    case INSN_LOOP:
        return IPF_BRANCH | IPF_COND;
    case INSN_JMP:
        return IPF_BRANCH;
    case INSN_IRET:
        return IPF_BRANCH | IPF_RETURN | IPF_INTERRUPT;
    case INSN_INT:
        return IPF_BRANCH | IPF_CALL | IPF_INTERRUPT;
    case INSN_SYSCALL:
        return IPF_BRANCH | IPF_CALL | IPF_SYSCALL;
    case INSN_SYSRET:
        return IPF_BRANCH | IPF_RETURN | IPF_SYSCALL;
    case INSN_VMENTRY:
        return IPF_BRANCH | IPF_CALL | IPF_VM_ENTRY;
    }
    return 0;
}

static uint32_t flags_of_async(const struct pt_event *ev)
{
    if (!ev->to)
        return IPF_BRANCH | IPF_ASYNC | IPF_TRACE_END;
    if (ev->flags & EVF_FROM_NR && !(ev->flags & EVF_TO_NR))
        return IPF_BRANCH | IPF_CALL | IPF_ASYNC | IPF_VM_EXIT;
    return IPF_BRANCH | IPF_CALL | IPF_ASYNC | IPF_INTERRUPT;
}

static uint32_t flags_of_iflag(const struct pt_event *ev)
{
    bool from = ev->flags & EVF_FROM_IF, to = ev->flags & EVF_TO_IF;

    if (!(ev->what & EV_IFLAG))
        return to ? 0 : IPF_INTR_OFF;
    return (from ? 0u : IPF_INTR_OFF) | (from != to ? IPF_INTR_TOGGLE : 0u);
}

/* Whether the instruction at `from` is what happened here. */
static inline bool has_insn(const struct pt_event *ev)
{
    return !(ev->flags & (EVF_TX_ABORT | EVF_ASYNC));
}

uint32_t synth_flags(const struct synth *s, const struct pt_event *ev)
{
    uint32_t flags;

    if (ev->flags & EVF_TX_ABORT) {
        flags = IPF_BRANCH | IPF_TX_ABORT;
    } else if (ev->flags & EVF_ASYNC) {
        flags = flags_of_async(ev);
    } else {
        flags = ev->from ? flags_of_class(ev->cls) : IPF_BRANCH | IPF_TRACE_BEGIN;
        if (ev->flags & EVF_IN_TX)
            flags |= IPF_IN_TX;
    }
    if (ev->what & EV_TRACE_BEGIN)
        flags |= IPF_TRACE_BEGIN;
    if (ev->what & EV_TRACE_END)
        flags |= IPF_TRACE_END;
    return s->needs.cap_event_trace ? flags | flags_of_iflag(ev) : flags;
}

/* --- One event on its way through --- */

struct step {
    struct synth *s;
    struct syn_queue *q;
    const struct pt_event *ev;
    const struct pt_extra *x;
    struct text *t;
    struct sample base; /* what all samples of the event have in common */
    uint8_t raw[4 + 16 * EVD_MAX];
};

static uint8_t cpumode_of(const struct pt_event *ev)
{
    uint64_t ip = ev->from ? ev->from : ev->to;
    bool guest = ev->flags & (ev->from ? EVF_FROM_NR : EVF_TO_NR);

    if (guest)
        return ip >= KERNEL_START ? CPUMODE_GUEST_KERNEL : CPUMODE_GUEST_USER;
    return ip >= KERNEL_START ? CPUMODE_KERNEL : CPUMODE_USER;
}

static void base_fill(struct step *p, const struct who *w)
{
    const struct pt_event *ev = p->ev;
    struct synth *s = p->s;

    p->base = (struct sample){
        .who = *w,
        .ip = ev->from,
        .addr = ev->to,
        .time = s->needs.timeless ? 0 : tsc_to_ns(ev->tsc, &s->needs.conv),
        .period = 1,
        .flags = synth_flags(s, ev),
        .cpumode = cpumode_of(ev),
        .insn_len = has_insn(ev) ? ev->ilen : 0,
        .insn = ev->insn,
    };
}

/* cbr is not counted, as it comes again until it is printed; it may come a little
 * early. */
static inline bool skip_cbr(const struct synth *s)
{
    return s->opt.itrace.skip && s->skipped + 4 < s->opt.itrace.skip;
}

static inline pts_status deliver(struct step *p, struct sample *sample,
                                 enum made_event kind)
{
    uint32_t event = p->s->made[kind];

    if (!p->s->evl.ev.len)
        return PTS_OK;
    /* A packet that the recorded configuration does not have: perf falls back so. */
    sample->event = event == EVL_NONE ? 0 : event;
    p->s->made_count++;
    return synth_deliver(p->s, sample,
                         kind == MADE_BRANCHES ? SAMPLE_PLAIN : SAMPLE_MADE, p->t);
}

/* --- Samples with a payload --- */

static void wr_u32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof(v));
}

static void wr_u64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, sizeof(v));
}

static pts_status deliver_raw(struct step *p, enum made_event kind, uint32_t len)
{
    struct sample sample = p->base;

    if (!sample.ip || kind == MADE_PSB)
        sample.flags = 0;
    if (kind == MADE_IFLAG) {
        sample.flags = p->base.flags;
        if (!(p->ev->what & EV_BRANCH))
            sample.addr = 0;
    }
    sample.raw = (struct raw_bytes){p->raw, len};
    return deliver(p, &sample, kind);
}

/* {u32, u64}: the layout of most. */
static pts_status deliver_pair(struct step *p, enum made_event kind, uint32_t flags,
                               uint64_t payload)
{
    wr_u32(p->raw, flags);
    wr_u64(p->raw + 4, payload);
    return synth_skip(p->s) ? PTS_OK : deliver_raw(p, kind, 12);
}

static uint32_t with_ip(const struct step *p)
{
    return (p->ev->flags & EVF_FUP_IP) != 0;
}

static pts_status make_evt(struct step *p)
{
    const struct pt_extra *x = p->x;
    uint32_t count = x->evd_count < EVD_MAX ? x->evd_count : EVD_MAX;

    if (synth_skip(p->s))
        return PTS_OK;
    memset(p->raw, 0, sizeof(p->raw));
    wr_u32(p->raw, (x->cfe_type & 31u) | with_ip(p) << 7 |
                       (uint32_t)x->cfe_vector << 8 | count << 16);
    for (uint32_t i = 0; i < count; i++) {
        p->raw[4 + 16 * i] = x->evd_type[i];
        wr_u64(p->raw + 4 + 16 * i + 8, x->evd_payload[i]);
    }
    return deliver_raw(p, MADE_EVT, 4 + 16 * count);
}

static pts_status make_iflag(struct step *p)
{
    bool branch = p->ev->what & EV_BRANCH;
    uint32_t iflag = (p->ev->flags & EVF_TO_IF) != 0;

    return deliver_pair(p, MADE_IFLAG, iflag | (uint32_t)branch << 1,
                        branch ? p->ev->to : 0);
}

static pts_status make_cbr(struct step *p)
{
    if (skip_cbr(p->s))
        return PTS_OK;
    p->q->cbr_seen = p->q->cbr;
    uint32_t cbr = p->q->cbr & 0xff;
    wr_u32(p->raw, cbr | (p->s->needs.max_non_turbo & 0xff) << 16);
    wr_u32(p->raw + 4, cbr * p->s->needs.cbr_khz);
    wr_u32(p->raw + 8, 0);
    return deliver_raw(p, MADE_CBR, 12);
}

static pts_status make_power(struct step *p)
{
    uint32_t what = p->ev->what;
    const struct pt_extra *x = p->x;
    pts_status st = PTS_OK;

    if (what & EV_PSB)
        st = deliver_pair(p, MADE_PSB, 0, x->psb_offset);
    if (st == PTS_OK && p->q->cbr != p->q->cbr_seen)
        st = make_cbr(p);
    if (st == PTS_OK && what & EV_MWAIT)
        st = deliver_pair(p, MADE_MWAIT, 0, x->mwait);
    if (st == PTS_OK && what & EV_PWRE)
        st = deliver_pair(p, MADE_PWRE, 0, x->pwre);
    if (st == PTS_OK && what & EV_EXSTOP) {
        wr_u32(p->raw, with_ip(p));
        st = synth_skip(p->s) ? PTS_OK : deliver_raw(p, MADE_EXSTOP, 4);
    }
    if (st == PTS_OK && what & EV_PWRX)
        st = deliver_pair(p, MADE_PWRX, 0, x->pwrx);
    return st;
}

static pts_status make_intr(struct step *p)
{
    pts_status st = PTS_OK;

    if (p->ev->what & EV_CFE)
        st = make_evt(p);
    if (st == PTS_OK && p->ev->what & EV_IFLAG)
        st = make_iflag(p);
    return st;
}

static pts_status make_pebs(struct step *p, const struct pt_block *block)
{
    const struct pebs_record r = {block, &p->base, p->ev->flags & EVF_FROM_NR};

    return pebs_samples(p->s, p->q, &r, p->t);
}

/* --- Instructions, transactions, branches --- */

/* Cycles since the last sample of the kind that had any. */
static inline void count_ipc(const struct step *p, struct sample *sample,
                             uint64_t *insns, uint64_t *cycles)
{
    if (!(p->ev->flags & EVF_IPC) && !p->s->needs.approx_ipc)
        return;
    sample->cyc_cnt = p->ev->ncyc - *cycles;
    if (!sample->cyc_cnt)
        return;
    sample->insn_cnt = p->ev->ninsn - *insns;
    *insns = p->ev->ninsn;
    *cycles = p->ev->ncyc;
}

static pts_status make_instruction(struct step *p)
{
    if (synth_skip(p->s))
        return PTS_OK;
    struct sample sample = p->base;
    sample.period = p->s->needs.quick ? 1 : p->ev->ninsn - p->q->period_insns;
    count_ipc(p, &sample, &p->q->insn_insns, &p->q->insn_cycles);
    p->q->period_insns = p->ev->ninsn;
    return deliver(p, &sample, MADE_INSTRUCTIONS);
}

static pts_status make_transaction(struct step *p)
{
    struct sample sample = p->base;

    return synth_skip(p->s) ? PTS_OK : deliver(p, &sample, MADE_TRANSACTIONS);
}

static pts_status make_branch(struct step *p, uint64_t from, uint64_t to)
{
    if (p->s->branch_filter && !(p->s->branch_filter & p->base.flags))
        return PTS_OK;
    if (synth_skip(p->s))
        return PTS_OK;
    struct sample sample = p->base;
    sample.ip = from;
    sample.addr = to;
    count_ipc(p, &sample, &p->q->branch_insns, &p->q->branch_cycles);
    return deliver(p, &sample, MADE_BRANCHES);
}

static pts_status make_branches(struct step *p)
{
    const struct pt_event *ev = p->ev;
    bool crossing = !(ev->flags & EVF_FROM_NR) != !(ev->flags & EVF_TO_NR);

    if (!crossing || !ev->from || !ev->to)
        return make_branch(p, ev->from, ev->to);
    /* Between host and guest: perf makes two, as a sample belongs to one machine. */
    pts_status st = make_branch(p, ev->from, 0);
    p->base.cpumode =
        ev->flags & EVF_TO_NR
            ? (ev->to >= KERNEL_START ? CPUMODE_GUEST_KERNEL : CPUMODE_GUEST_USER)
            : (ev->to >= KERNEL_START ? CPUMODE_KERNEL : CPUMODE_USER);
    return st == PTS_OK ? make_branch(p, 0, ev->to) : st;
}

static pts_status step_stack(struct step *p)
{
    struct chain_branch b = {.from = p->ev->from,
                             .to = p->ev->to,
                             .flags = p->base.flags,
                             .trace_nr = p->ev->trace_nr,
                             .len = p->base.insn_len};

    return chain_step(&p->s->chains, synth_chain_key(&p->base.who), &b);
}

/* --- Events --- */

struct syn_queue *syn_queue_at(struct synth *s, uint32_t queue)
{
    while (s->queue.len <= queue) {
        struct syn_queue *q = VEC_PUSH(&s->queue);
        if (!q)
            return NULL;
        *q = (struct syn_queue){.cbr_seen = CBR_NEVER};
    }
    return &s->queue.at[queue];
}

static void report_fault(struct synth *s, const struct pt_event *ev,
                         const struct who *w, struct text *t)
{
    const struct itrace *it = &s->opt.itrace;
    bool hidden = ev->err == FAULT_OVERFLOW && it->error_minus & ITRACE_FLAG('o');

    if (!itrace_on(it, ITRACE_ON(ERRORS)) || hidden)
        return;
    const char *text = out_fault_text(ev->err);
    const struct pts_auxtrace_error e = {
        .type = 1,
        .code = ev->err,
        .fmt = 1,
        .cpu = w->cpu,
        .pid = w->pid,
        .tid = w->tid,
        .ip = ev->from,
        .time = s->needs.timeless ? 0 : tsc_to_ns(ev->tsc, &s->needs.conv),
        .msg = {(const uint8_t *)text, strlen(text)},
    };
    synth_made_error(s, &e, t);
}

static pts_status branch_part(struct step *p)
{
    pts_status st = p->s->use_stacks ? step_stack(p) : PTS_OK;

    if (st == PTS_OK && p->s->made[MADE_BRANCHES] != EVL_NONE)
        st = make_branches(p);
    return st;
}

pts_status synth_event(struct synth *s, uint32_t queue, const struct pt_event *ev,
                       struct pt_payload payload, const struct who *w, struct text *t)
{
    static const uint32_t with_payload =
        EV_PTWRITE | EV_MWAIT | EV_PWRE | EV_PWRX | EV_CBR | EV_PSB | EV_CFE;
    struct syn_queue *q = syn_queue_at(s, queue);
    struct step p;
    pts_status st = PTS_OK;

    if (!q)
        return PTS_E_NOMEM;
    if (ev->what & EV_ERROR) {
        report_fault(s, ev, w, t);
        return t->failed ? PTS_E_NOMEM : PTS_OK;
    }
    p.s = s;
    p.q = q;
    p.ev = ev;
    p.t = t;
    p.x = payload.extra;
    assert(p.x || !(ev->what & with_payload));
    if (ev->what & EV_CBR)
        q->cbr = p.x->cbr;
    base_fill(&p, w);
    if (payload.block && s->pebs_event != EVL_NONE)
        st = make_pebs(&p, payload.block);
    if (st == PTS_OK && ev->what & (EV_CFE | EV_IFLAG) &&
        itrace_on(&s->opt.itrace, ITRACE_ON(INTR)))
        st = make_intr(&p);
    if (st == PTS_OK && s->made[MADE_CBR] != EVL_NONE)
        st = make_power(&p);
    if (st == PTS_OK && ev->what & EV_INSN && s->made[MADE_INSTRUCTIONS] != EVL_NONE)
        st = make_instruction(&p);
    if (st == PTS_OK && ev->what & EV_TX && s->made[MADE_TRANSACTIONS] != EVL_NONE)
        st = make_transaction(&p);
    if (st == PTS_OK && ev->what & EV_PTWRITE && s->made[MADE_PTWRITE] != EVL_NONE)
        st = deliver_pair(&p, MADE_PTWRITE, with_ip(&p), p.x->ptwrite);
    if (st == PTS_OK && ev->what & EV_BRANCH)
        st = branch_part(&p);
    return st;
}
