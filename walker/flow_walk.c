/* flow_walk.c - from branch to branch through the code, and what TNT and TIP decide.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow_priv.h"

static const uint64_t kernel_start = UINT64_C(1) << 63;
static const uint64_t oldest_bit = UINT64_C(1) << 63;

/* --- Where the code is --- */

/* The processor's mode as the trace says, or the file's when it has not said yet. */
static inline enum ild_mode mode_of(const struct flow *f, const struct code *c)
{
    if (f->exec_mode == 64 || (f->exec_mode != 32 && c->is_64bit))
        return ILD_64;
    return ILD_32; /* 16-bit code is in no file that a trace could name */
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The legs there.  They keep to one map, one file and one half of the addresses. */
static void place_legs(struct place *p)
{
    uint64_t off = p->start + p->to_off;
    uint64_t len = p->end - p->start;
    if (!p->code->bytes || off >= p->code->size)
        return;
    len = least(len, p->code->size - off);
    len = least(len, UINT32_MAX / 2); /* so that places in it fit 32 bits */
    if (p->start < kernel_start)
        len = least(len, kernel_start - p->start);
    p->legs = leg_map_of(p->code, p->mode, off, (uint32_t)len);
    p->leg_len = p->legs ? len : 0;
}

static bool place_find(struct flow *f, uint64_t ip)
{
    bool kernel = ip >= kernel_start;

    place_forget(&f->place);
    if (f->walk_nr) /* guest code: no image */
        return false;
    if (!kernel && f->who.thread == SB_NONE)
        return false;
    const struct as_map *m = as_find(f->view, f->who.thread, f->epoch, ip, kernel);
    if (!m || !m->dso || m->dso->kind == DSO_NONE)
        return false;
    struct code *code = f->images.code(f->images.ctx, m->dso);
    f->place = (struct place){.start = m->start,
                              .end = m->end,
                              .to_off = m->identity ? 0 : m->pgoff - m->start,
                              .code = code,
                              .mode = mode_of(f, code),
                              .dso = m->dso->index};
    place_legs(&f->place);
    return true;
}

bool place_at(struct flow *f, uint64_t ip)
{
    if (ip - f->place.start < f->place.end - f->place.start && ip < f->place.end)
        return true;
    return place_find(f, ip);
}

/* --- Sampling period --- */

/* Instructions until one is to be sampled; 0: no sampling. */
static uint64_t next_sample(struct flow *f)
{
    if (f->conf.period_type == PERIOD_NONE)
        return 0;
    if (f->conf.period_type == PERIOD_INSNS)
        return f->conf.period - f->period_insns;

    uint64_t t = f->clk.now + f->clk.insns;
    uint64_t begun = t & ~(f->period_ticks - 1);
    if (f->ticks_running) {
        if (begun > f->last_tick)
            return 1;
    } else {
        t++;
        begun = t & ~(f->period_ticks - 1);
        if (begun > f->last_tick) {
            f->last_tick = begun;
            f->ticks_running = true;
        }
    }
    if (begun < f->last_tick)
        return f->period_ticks;
    return f->period_ticks - (t - begun);
}

static void take_sample(struct flow *f)
{
    f->ev.what |= EV_INSN;
    if (f->conf.period_type == PERIOD_INSNS) {
        f->period_insns = 0;
        return;
    }
    uint64_t begun = (f->clk.now + f->clk.insns) & ~(f->period_ticks - 1);
    if (begun > f->last_tick)
        f->last_tick = begun;
    else
        f->last_tick += f->period_ticks;
}

static inline void count_insns(struct flow *f, uint64_t n)
{
    f->ninsn += n;
    f->clk.insns += n;
    f->sample_insns += n;
    f->period_insns += n;
}

/* --- Walking --- */

/* The instruction at which a walk stopped. */
struct stop {
    uint8_t cls, branch, len;
    bool ptwrite;
    int32_t rel;
    uint64_t count; /* instructions walked */
    const uint8_t *bytes;
};

/* Instruction by instruction, within one map, until `left` are walked, `target` is
 * reached or a branch.  STEP_ON: the map ends. */
static enum step walk_insns(struct flow *f, uint64_t target, uint64_t left,
                            struct stop *stop)
{
    const struct code *c = f->place.code;
    enum ild_mode mode = f->place.mode;

    do {
        uint64_t off = f->ip + f->place.to_off;
        if (off >= c->size)
            return STEP_FAULT;
        struct ild insn = ild_decode(c->bytes + off, (size_t)(c->size - off), mode);
        if (!insn.len)
            return STEP_FAULT;
        stop->count++;
        if (insn.branch != BRANCH_NONE || --left == 0) {
            stop->cls = insn.cls;
            stop->branch = insn.branch;
            stop->len = insn.len;
            stop->rel = insn.rel;
            stop->bytes = c->bytes + off;
            return insn.branch != BRANCH_NONE ? STEP_BRANCH : STEP_EVENT;
        }
        f->ip += insn.len;
        if (f->ip == target)
            return STEP_TARGET;
    } while (f->ip < f->place.end);
    return STEP_ON;
}

/* Whole blocks where possible.  f->ip moves to the instruction at which it stops. */
static enum step walk_on(struct flow *f, uint64_t target, uint64_t limit,
                         struct stop *stop)
{
    uint64_t most = limit ? limit : UINT64_MAX;

    for (;;) {
        if (!place_at(f, f->ip) || !f->place.code->bytes)
            return STEP_FAULT;
        struct code *c = f->place.code;
        uint64_t left = most - stop->count;
        const struct block *b = NULL;
        if (left > 1) {
            b = block_at(c, f->place.mode, f->ip + f->place.to_off);
            if (!b)
                return STEP_FAULT;
        }
        if (b && f->ip + b->bytes < f->place.end && b->ninsn < left &&
            target - f->ip - 1 >= b->bytes) {
            f->ip += b->bytes;
            stop->count += b->ninsn;
            if (b->state == BLOCK_BAD)
                return STEP_FAULT;
            if (b->state == BLOCK_LONG)
                continue;
            *stop = (struct stop){b->cls,
                                  b->branch,
                                  b->len,
                                  b->ptwrite,
                                  b->rel,
                                  stop->count,
                                  c->bytes + (f->ip + f->place.to_off)};
            return STEP_BRANCH;
        }
        enum step s = walk_insns(f, target, left, stop);
        if (s != STEP_ON)
            return s;
    }
}

static void stopped_at(struct flow *f, const struct stop *stop)
{
    f->cls = stop->cls;
    f->branch = stop->branch;
    f->ilen = stop->len;
    f->rel = stop->rel;
    f->jumped_signature = stop->ptwrite;
    f->bytes = stop->bytes;
    if (f->tx & EVF_IN_TX)
        f->ev.flags |= EVF_IN_TX;
}

static enum step follow_direct(struct flow *f)
{
    uint64_t from = f->ip;
    f->ip += f->ilen + (uint64_t)(int64_t)f->rel;
    note_branch(f, from, f->ip);
    if (!loop_stuck(f, f->ip))
        return STEP_EVENT;
    loop_left(f);
    f->phase = SEEK_IP;
    return flow_fault(f, FAULT_LOOP);
}

static inline void call_or_return(struct flow *f)
{
    if (f->cls == INSN_CALL) {
        /* a call of the next instruction only asks for its own address */
        if (f->branch != BRANCH_DIRECT || f->rel)
            ret_push(&f->rets, f->ip + f->ilen);
    } else if (f->cls == INSN_RET) {
        f->ret_addr = ret_pop(&f->rets);
    }
}

enum step walk_code(struct flow *f, uint64_t target)
{
    struct stop stop = {0};
    uint64_t limit = next_sample(f); /* a period may begin here, even at the target */
    if (target && f->ip == target) {
        loop_left(f);
        stopped_at(f, &stop);
        return STEP_TARGET;
    }
    enum step s = walk_on(f, target, limit, &stop);
    if (s == STEP_FAULT)
        return fault_no_code(f);
    count_insns(f, stop.count);
    stopped_at(f, &stop);
    if (s == STEP_TARGET) {
        loop_left(f);
        return s;
    }
    if (limit && stop.count >= limit)
        take_sample(f);
    if (s == STEP_EVENT) {
        f->loops.count = 0; /* as in perf; the total goes on, or this might not end */
        f->ev.what = EV_INSN;
        note_branch(f, f->ip, 0);
        f->ip += f->ilen;
        return s;
    }
    call_or_return(f);
    if (f->branch == BRANCH_DIRECT)
        return follow_direct(f);
    loop_left(f);
    return STEP_BRANCH;
}

static enum step mismatch(struct flow *f)
{
    f->phase = SEEK_IP;
    return flow_fault(f, FAULT_MISMATCH);
}

/* --- TIP --- */

static void sample_iflag(struct flow *f)
{
    if (f->iflag == f->next_iflag)
        return;
    f->ev.what |= EV_IFLAG;
    f->from_iflag = f->iflag;
    f->to_iflag = f->next_iflag;
    f->iflag = f->next_iflag;
}

void branch_arrives(struct flow *f)
{
    nr_next(f);
    sample_iflag(f);
    mode_exec_apply(f);
}

static void trace_ends(struct flow *f)
{
    trace_off(f);
    f->phase = SYNC;
    f->ev.what |= EV_TRACE_END;
}

/* The branch that the TIP or TIP.PGD in f->st.pkt tells the target of. */
static enum step tip_decides(struct flow *f)
{
    if (f->phase == IN_TIP_PGD)
        trace_ends(f);
    f->phase = SYNC;
    note_branch(f, f->ip, 0);
    if (f->st.pkt.count) {
        f->ev.to = f->last_ip;
        f->ip = f->last_ip;
    }
    return STEP_EVENT;
}

enum step walk_tip(struct flow *f)
{
    enum step s = walk_code(f, 0);
    if (s == STEP_EVENT && f->phase == IN_TIP_PGD && f->ev.what & EV_BRANCH &&
        leaves_filter(f, f->ev.to)) {
        loop_left(f);
        trace_ends(f);
        nr_next(f);
        return s;
    }
    if (s != STEP_BRANCH)
        return s;
    branch_arrives(f);
    if (f->branch == BRANCH_INDIRECT)
        return tip_decides(f);
    uint64_t to = f->ip + f->ilen + (uint64_t)(int64_t)f->rel;
    if (f->phase == IN_TIP_PGD && leaves_filter(f, to)) {
        trace_ends(f);
        f->ip = to;
        note_branch(f, to, to); /* perf tells the target as the source, too */
        return STEP_EVENT;
    }
    return mismatch(f);
}

/* --- TNT --- */

static inline bool tnt_take(struct flow *f)
{
    bool taken = f->tnt_bits & oldest_bit;
    f->tnt_bits <<= 1;
    f->phase = --f->tnt_count ? IN_TNT_MORE : SYNC;
    return taken;
}

static enum step tnt_return(struct flow *f)
{
    if (!f->conf.ret_compression || !f->ret_addr || !(f->tnt_bits & oldest_bit))
        return mismatch(f);
    tnt_take(f);
    note_branch(f, f->ip, f->ret_addr);
    f->ip = f->ret_addr;
    return STEP_EVENT;
}

/* An indirect branch while bits are left: its TIP was deferred and is the next packet.
 */
static enum step tnt_deferred(struct flow *f)
{
    enum step s = flow_read(f);
    if (s != STEP_ON)
        return s;
    if (f->st.pkt.kind != PTS_PKT_TIP || !f->st.pkt.count) {
        stream_unget(&f->st);
        return mismatch(f);
    }
    uint64_t from = f->ip;
    take_ip(f);
    note_branch(f, from, f->ip);
    branch_arrives(f);
    return STEP_EVENT;
}

/* The next 64 TNT bits from here, this packet's and those of later ones, are a payload.
 */
static enum step tnt_ptwrite(struct flow *f)
{
    struct pkt_cursor c = stream_rest(&f->st);
    struct pts_pkt p;
    uint32_t have = f->tnt_count;
    uint64_t value = have ? f->tnt_bits >> (64 - have) : 0;

    f->emu_ptwrite = false;
    while (have < 64) {
        if (pkt_cursor_next(&c, &p) <= 0)
            return flow_fault(f, FAULT_PTWRITE);
        switch (p.kind) {
        case PTS_PKT_TNT: {
            uint32_t n = p.count < 64 - have ? p.count : 64 - have;
            if (n) /* n <= 47 */
                value = value << n | p.value >> (64 - n);
            have += n;
            break;
        }
        case PTS_PKT_TIP:
        case PTS_PKT_TIP_PGE:
        case PTS_PKT_TIP_PGD:
        case PTS_PKT_OVF:
        case PTS_PKT_TRACESTOP:
            return flow_fault(f, FAULT_PTWRITE);
        default:
            break;
        }
    }
    f->ex.ptwrite = value;
    return plain_event(f, EV_PTWRITE);
}

/* A conditional branch; STEP_ON: not taken and nothing to tell. */
static inline enum step tnt_conditional(struct flow *f)
{
    uint64_t from = f->ip;
    f->ip += f->ilen;
    if (tnt_take(f)) {
        f->ip += (uint64_t)(int64_t)f->rel;
        note_branch(f, from, f->ip);
        return STEP_EVENT;
    }
    if (f->ev.what & EV_INSN) {
        f->ev.what = EV_INSN;
        note_branch(f, from, 0);
        return STEP_EVENT;
    }
    f->clk.cycles_fresh = false;
    return STEP_ON;
}

enum step walk_tnt(struct flow *f)
{
    if (quiet_now(f)) {
        enum step s = walk_tnt_quiet(f);
        if (s != STEP_ON || !f->tnt_count)
            return s;
    }
    while (f->tnt_count) {
        if (f->emu_ptwrite)
            return tnt_ptwrite(f);
        enum step s = walk_code(f, 0);
        f->emu_ptwrite =
            s == STEP_EVENT && f->branch != BRANCH_NONE && f->jumped_signature;
        if (s != STEP_BRANCH)
            return s;
        if (f->cls == INSN_RET)
            return tnt_return(f);
        if (f->branch == BRANCH_INDIRECT)
            return tnt_deferred(f);
        s = tnt_conditional(f);
        if (s != STEP_ON)
            return s;
    }
    report_time(f);
    return STEP_ON;
}

/* --- FUP --- */

/* The instruction at a FUP is sampled together with the FUP's event. */
void sample_fup_insn(struct flow *f)
{
    struct stop stop = {0};
    uint64_t ip = f->ip;

    f->cls = INSN_OTHER;
    f->ilen = 0;
    if (!f->conf.branch_enable || !f->tracing || f->conf.quick || f->ip != f->last_ip ||
        next_sample(f) != 1)
        return;
    if (walk_on(f, 0, 1, &stop) != STEP_EVENT) {
        f->ip = ip;
        return;
    }
    count_insns(f, stop.count);
    take_sample(f);
    f->ip += stop.len;
}
