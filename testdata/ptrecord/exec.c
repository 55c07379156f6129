/* exec.c - what a thread does in user space becomes packets.
 *
 * SPDX-License-Identifier: MIT
 *
 * Beside what the engine tells there are things that a program run under ptrace cannot
 * do or that happen to it: sleep states, PEBS records, overflows.  They come by chance,
 * after a branch, each some thousand branches.
 */
#include "testdata/ptrecord/record.h"
#include "testdata/ptrecord/recorder.h"

enum { VECTOR_BREAKPOINT = 3, VECTOR_PAGE_FAULT = 14, VECTOR_TIMER = 236 };
/* Branches between chances, and those lost in an overflow. */
enum { CHANCE_LOW = 500, CHANCE_HIGH = 4000, LOST_LOW = 5, LOST_HIGH = 400 };

static struct enc *enc_of(const struct recorder *r, const struct rec_thread *t)
{
    const struct cpu *c = &r->cpu[t->cpu];

    return c->ring ? &c->ring->enc : NULL;
}

void rec_enter_user(struct recorder *r, struct rec_thread *t, uint64_t ip)
{
    struct cpu *c = &r->cpu[t->cpu];
    struct enc *e = enc_of(r, t);

    log_call(&r->log, LOG_ENTER, t->nr, (const uint64_t[]){ip}, 1, NULL);
    if (!e)
        return;
    cpu_settle(r, c);
    if (r->conf.pwr_evt && rng_one_in(&r->rng, 8))
        enc_idle(e, &c->clock);
    cpu_pass(r, c, 40, 200);
    if (r->conf.event && c->interrupted)
        enc_cfe_iret(e, &c->clock);
    e->is64 = t->is64;
    enc_pge(e, &c->clock, ip);
}

static void tell_event(struct recorder *r, struct cpu *c, enum rec_leave why,
                       uint64_t ip)
{
    struct enc *e = &c->ring->enc;

    switch (why) {
    case REC_SYSCALL:
        return;
    case REC_INTERRUPT:
        enc_cfe_interrupt(e, &c->clock, VECTOR_TIMER, ip);
        return;
    case REC_FAULT:
        enc_cfe_page_fault(e, &c->clock, ip ^ rng_next(&r->rng) >> 36, ip);
        return;
    case REC_TRAP:
        enc_cfe_interrupt(e, &c->clock, VECTOR_BREAKPOINT, ip);
        return;
    }
}

void rec_leave_user(struct recorder *r, struct rec_thread *t, enum rec_leave why,
                    uint64_t ip)
{
    struct cpu *c = &r->cpu[t->cpu];
    struct enc *e = enc_of(r, t);

    log_call(&r->log, LOG_LEAVE, t->nr, (const uint64_t[]){why, ip}, 2, NULL);
    c->interrupted = why != REC_SYSCALL;
    c->margin = false;
    if (!e)
        return;
    if (r->conf.event)
        tell_event(r, c, why, ip);
    if (why == REC_SYSCALL)
        enc_pgd(e, &c->clock);
    else
        enc_async(e, &c->clock, ip);
    cpu_pass(r, c, 50, why == REC_SYSCALL ? 300 : 900);
    if (ring_aux_due(c->ring))
        cpu_interrupt(r, c);
    ring_round_if_due(r);
    snapshot_take_if_due(r);
}

void rec_insns(struct recorder *r, struct rec_thread *t, uint32_t n)
{
    log_call(&r->log, LOG_INSNS, t->nr, (const uint64_t[]){n}, 1, NULL);
    cpu_execute(r, &r->cpu[t->cpu], n);
}

/* A transaction would not survive any of these. */
static void chance(struct recorder *r, struct cpu *c)
{
    struct enc *e = &c->ring->enc;

    if (e->in_tx)
        return;
    c->chance_left = (int32_t)rng_range(&r->rng, CHANCE_LOW, CHANCE_HIGH);
    if (ring_aux_due(c->ring)) {
        cpu_interrupt(r, c);
        return;
    }
    if (e->lost) {
        enc_found(e, &c->clock);
        return;
    }
    if (r->conf.pwr_evt) {
        if (rng_one_in(&r->rng, 2))
            enc_user_wait(e, &c->clock);
        else
            enc_stall(e, &c->clock);
    }
    if (r->conf.aux_sample)
        sample_take(r, c);
    snapshot_take_if_due(r);
    if (r->conf.pebs)
        enc_pebs(e, &c->clock, &c->lbr);
    if (rng_one_in(&r->rng, r->conf.faults.truncate)) {
        r->faults++;
        enc_fill(e);
    } else if (rng_one_in(&r->rng, r->conf.faults.overflow)) {
        r->faults++;
        enc_lose(e);
        c->chance_left = (int32_t)rng_range(&r->rng, LOST_LOW, LOST_HIGH);
    }
}

static void branch(struct enc *e, const struct clock *c,
                   const struct rec_insn_branch *b)
{
    switch (b->kind) {
    case REC_JCC:
        enc_cond(e, c, b->taken, b->to);
        return;
    case REC_JMP:
        enc_direct(e, b->to);
        return;
    case REC_CALL:
        if (b->to != b->next)
            enc_call(e, b->next);
        enc_direct(e, b->to);
        return;
    case REC_CALL_IND:
        enc_call(e, b->next);
        enc_indirect(e, c, b->to);
        return;
    case REC_JMP_IND:
    case REC_FAR:
        enc_indirect(e, c, b->to);
        return;
    case REC_RET:
        enc_ret(e, c, b->to);
        return;
    }
}

void rec_branch(struct recorder *r, struct rec_thread *t,
                const struct rec_insn_branch *b)
{
    struct cpu *c = &r->cpu[t->cpu];

    log_branch(&r->log, t->nr, b);
    if (!c->ring)
        return;
    branch(&c->ring->enc, &c->clock, b);
    if (r->conf.pebs_lbr && (b->kind != REC_JCC || b->taken))
        lbr_add(&c->lbr, b->ip, b->to, c->clock.cyc, c->ring->enc.in_tx,
                rng_one_in(&r->rng, 16));
    if (--c->chance_left < 0)
        chance(r, c);
}

void rec_ptwrite(struct recorder *r, struct rec_thread *t, uint64_t ip,
                 uint64_t payload, bool is64)
{
    struct enc *e = enc_of(r, t);

    log_call(&r->log, LOG_PTWRITE, t->nr, (const uint64_t[]){ip, payload, is64}, 3,
             NULL);
    if (e && r->conf.ptw)
        enc_ptwrite(e, &r->cpu[t->cpu].clock, ip, payload, is64);
}

void rec_tsx(struct recorder *r, struct rec_thread *t, enum rec_tsx what, uint64_t ip,
             uint64_t to)
{
    const struct clock *c = &r->cpu[t->cpu].clock;
    struct enc *e = enc_of(r, t);

    log_call(&r->log, LOG_TSX, t->nr, (const uint64_t[]){what, ip, to}, 3, NULL);
    if (!e)
        return;
    switch (what) {
    case REC_TX_BEGIN:
        enc_tx_begin(e, c, ip);
        return;
    case REC_TX_COMMIT:
        enc_tx_commit(e, c, ip);
        return;
    case REC_TX_ABORT:
        enc_tx_abort(e, c, ip, to);
        return;
    }
}
