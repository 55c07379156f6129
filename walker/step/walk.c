/* walk.c - from branch to branch through the code.
 *
 * SPDX-License-Identifier: MIT
 *
 * A walk goes on until something is to be told or decided: a direct branch (told, and
 * followed), one that only a packet can decide, the address of a FUP, or an instruction
 * that is to be sampled.  In between whole blocks are passed at once, instruction by
 * instruction only where a block would go too far.
 */
#include "walker/step/walk.h"

#include "walker/flow/emit.h"
#include "walker/flow/period.h"
#include "walker/quiet/quiet.h"
#include "walker/flow/stretch.h"
#include "walker/flow/switches.h"

#include <string.h>

/* --- Sampling period --- */

/* Instructions until one is to be sampled; 0: no sampling. */
static uint64_t next_sample(struct flow *f)
{
    if (f->conf.period_type == PERIOD_NONE)
        return 0;
    if (f->conf.period_type == PERIOD_INSNS)
        return f->conf.period - f->walk.period_insns;

    uint64_t t = f->in.s.clk.now + f->in.s.clk.insns;
    uint64_t begun = period_at(f, t);
    if (f->in.s.unbroken) {
        if (begun > f->walk.last_tick)
            return 1;
    } else {
        begun = period_at(f, ++t);
        if (begun > f->walk.last_tick) {
            f->walk.last_tick = begun;
            f->in.s.unbroken = true;
        }
    }
    if (begun < f->walk.last_tick)
        return f->period_ticks;
    return f->period_ticks - (t - begun);
}

static void take_sample(struct flow *f)
{
    f->out.ev.what |= EV_INSN;
    if (f->conf.period_type == PERIOD_INSNS) {
        f->walk.period_insns = 0;
        return;
    }
    period_tick(f);
}

static inline void count_insns(struct flow *f, uint64_t n)
{
    f->walk.ninsn += n;
    f->in.s.clk.insns += n;
    f->told.sample_insns += n;
    f->walk.period_insns += n;
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

/* The instruction at walk.ip and its bytes, which may be in buf; its len is 0 when there is
 * none. */
static struct ild insn_here(struct flow *f, uint8_t buf[ILD_MAX], const uint8_t **bytes)
{
    const struct stretch *p = &f->code.at;
    uint64_t off = f->walk.ip + p->to_off;
    enum ild_mode mode = p->mode;

    if (off >= p->code->size)
        return (struct ild){0};
    uint64_t left = p->code->size - off;
    if (f->walk.ip >= p->whole && left > p->end - f->walk.ip)
        left = p->end - f->walk.ip;
    size_t n = left < ILD_MAX ? (size_t)left : ILD_MAX;
    *bytes = code_same_to(p->code, off) - off >= n
                 ? p->code->bytes + off
                 : code_read(p->code, p->epoch, off, buf, n);
    struct ild insn = ild_decode(*bytes, n, mode);
    if (insn.len || f->walk.ip < p->whole)
        return insn;
    *bytes = buf;
    return ild_decode(buf, stretch_joint(f, f->walk.ip, buf), mode);
}

/* Instruction by instruction, within one map, until `left` are walked, `target` is
 * reached or a branch.  STEP_ON: the map ends. */
static enum step walk_insns(struct flow *f, uint64_t target, uint64_t left,
                            struct stop *stop)
{
    do {
        const uint8_t *bytes;
        uint8_t buf[ILD_MAX];
        struct ild insn = insn_here(f, buf, &bytes);
        if (!insn.len)
            return STEP_FAULT;
        stop->count++;
        if (insn.branch != BRANCH_NONE || --left == 0) {
            stop->cls = insn.cls;
            stop->branch = insn.branch;
            stop->len = insn.len;
            stop->rel = insn.rel;
            stop->bytes = bytes;
            if (bytes == buf)
                stop->bytes = memcpy(f->code.last, buf, insn.len);
            return insn.branch != BRANCH_NONE ? STEP_BRANCH : STEP_EVENT;
        }
        f->walk.ip += insn.len;
        if (f->walk.ip == target)
            return STEP_TARGET;
    } while (f->walk.ip < f->code.at.end);
    return STEP_ON;
}

/* Whole blocks where possible.  f->walk.ip moves to the instruction at which it stops. */
static enum step walk_on(struct flow *f, uint64_t target, uint64_t limit,
                         struct stop *stop)
{
    uint64_t most = limit ? limit : UINT64_MAX;

    for (;;) {
        if (!stretch_at(f, f->walk.ip) || !f->code.at.code->bytes)
            return STEP_FAULT;
        struct code *c = f->code.at.code;
        uint64_t left = most - stop->count;
        const struct block *b = NULL;
        /* A block is of no use where the very next instruction is to be sampled. */
        if (left > 1) {
            b = block_at(c, f->code.at.mode, f->walk.ip + f->code.at.to_off,
                         f->code.at.epoch);
            if (!b)
                return STEP_FAULT;
        }
        /* The whole block, when it ends in this map, before the target, and before a
         * sample is due.  Without a target the difference wraps around to a large
         * number. */
        if (b && f->walk.ip + b->bytes < f->code.at.whole && b->ninsn < left &&
            target - f->walk.ip - 1 >= b->bytes) {
            f->walk.ip += b->bytes;
            stop->count += b->ninsn;
            if (b->state == BLOCK_BAD)
                return STEP_FAULT;
            /* Only cut for its length: no branch at its end. */
            if (b->state == BLOCK_LONG)
                continue;
            *stop = (struct stop){b->cls,
                                  b->branch,
                                  b->len,
                                  b->ptwrite,
                                  b->rel,
                                  stop->count,
                                  stretch_bytes(f, &f->code.at,
                                                f->walk.ip + f->code.at.to_off, b->len,
                                                b->timed)};
            return STEP_BRANCH;
        }
        enum step s = walk_insns(f, target, left, stop);
        if (s != STEP_ON)
            return s;
    }
}

static void stopped_at(struct flow *f, const struct stop *stop)
{
    f->walk.cls = stop->cls;
    f->walk.branch = stop->branch;
    f->walk.ilen = stop->len;
    f->walk.rel = stop->rel;
    f->walk.jumped_signature = stop->ptwrite;
    f->walk.bytes = stop->bytes;
    if (f->in.s.tx & EVF_IN_TX)
        f->out.ev.flags |= EVF_IN_TX;
}

/* perf's limits of patience: a cycle of branches that consume no packet, found by
 * holding one target per growing window against the ones after it.  True: stuck. */
static inline bool loop_stuck(struct flow *f, uint64_t to)
{
    struct loop_guard *g = &f->walk.loops;
    uint32_t n = g->count++;
    int64_t most = f->conf.max_loops;

    if (g->total++ > (most > MAX_LOOPS ? most : MAX_LOOPS))
        return true;
    if (n == 0)
        return false;
    if (n == 1) {
        g->mark = to;
        g->window = g->left = 1;
        return false;
    }
    if (n > most || to == g->mark)
        return true;
    if (--g->left == 0) {
        g->left = ++g->window;
        g->mark = to;
    }
    return false;
}

static enum step follow_direct(struct flow *f)
{
    uint64_t from = f->walk.ip;
    f->walk.ip = direct_target(f);
    note_branch(f, from, f->walk.ip);
    if (!loop_stuck(f, f->walk.ip))
        return STEP_EVENT;
    loop_left(f);
    /* What comes next in the trace cannot be for this place any more. */
    f->walk.phase = SEEK_IP;
    return flow_fault(f, FAULT_LOOP);
}

/* perf keeps return addresses by the code that is walked, so every call counts,
 * traced by a packet or not. */
static inline void call_or_return(struct flow *f)
{
    if (f->walk.cls == INSN_CALL) {
        /* a call of the next instruction only asks for its own address */
        if (f->walk.branch != BRANCH_DIRECT || f->walk.rel)
            ret_push(&f->code.rets, f->walk.ip + f->walk.ilen);
    } else if (f->walk.cls == INSN_RET) {
        f->walk.ret_addr = ret_pop(&f->code.rets);
    }
}

enum step walk_code(struct flow *f, uint64_t target)
{
    struct stop stop = {0};
    uint64_t limit = next_sample(f); /* a period may begin here, even at the target */
    if (target && f->walk.ip == target) {
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
        f->walk.loops.count =
            0; /* as in perf; the total goes on, or this might not end */
        f->out.ev.what = EV_INSN;
        note_branch(f, f->walk.ip, 0);
        f->walk.ip += f->walk.ilen;
        return s;
    }
    call_or_return(f);
    if (f->walk.branch == BRANCH_DIRECT)
        return follow_direct(f);
    loop_left(f);
    return STEP_BRANCH;
}

/* Whether the next instruction leads to an event as the last one did, of which that was all. */
static bool in_line(const struct flow *f)
{
    const struct walk_state *w = &f->walk;
    bool walks = w->phase == IN_TNT || w->phase == IN_TNT_MORE ? w->tnt_count > 0
                                                               : w->phase == IN_TIP;

    return walks && f->out.ev.what == EV_INSN && w->branch == BRANCH_NONE && w->ilen &&
           !w->goal && !w->emu_ptwrite && f->told.started && f->told.any &&
           !f->told.range.tsc && !quiet_now(f);
}

void walk_line(struct flow *f)
{
    const struct stretch *p = &f->code.at;
    struct walk_state *w = &f->walk;
    uint64_t end = p->whole < p->end ? p->whole : p->end;

    if (!in_line(f) || !p->end || !p->code->bytes)
        return;
    const uint64_t same_to = code_same_to(p->code, w->ip + p->to_off);
    while (!batch_full(f) && !f->out.no_memory && w->ip >= p->start && w->ip < end) {
        const uint64_t off = w->ip + p->to_off;
        if (off >= p->code->size || p->code->size - off < ILD_MAX ||
            same_to - off < ILD_MAX)
            break;
        const uint8_t *bytes = p->code->bytes + off;
        struct ild insn = ild_decode(bytes, ILD_MAX, p->mode);
        if (!insn.len || insn.branch != BRANCH_NONE)
            break;
        count_insns(f, 1);
        event_insn(f, &(struct plain_insn){w->ip, bytes, insn.cls, insn.len});
        take_sample(f);
        f->out.ev.from = w->ip;
        w->cls = insn.cls;
        w->ilen = insn.len;
        w->rel = insn.rel;
        w->bytes = bytes;
        w->ip += insn.len;
    }
    if (w->phase == IN_TNT_MORE)
        report_time(f);
}

/* The instruction at a FUP is sampled together with the FUP's event. */
void walk_sample_fup(struct flow *f)
{
    struct stop stop = {0};
    uint64_t ip = f->walk.ip;

    f->walk.cls = INSN_OTHER;
    f->walk.ilen = 0;
    if (!f->conf.branch_enable || !f->in.s.tracing || f->conf.quick ||
        f->walk.ip != f->in.s.last_ip || next_sample(f) != 1)
        return;
    /* Whether it will be executed is not known: it may be interrupted there. */
    pt_note_fup_again(&f->in);
    if (f->conf.strict)
        return;
    if (walk_on(f, 0, 1, &stop) != STEP_EVENT) {
        f->walk.ip = ip;
        return;
    }
    count_insns(f, stop.count);
    take_sample(f);
    f->walk.ip += stop.len;
}
