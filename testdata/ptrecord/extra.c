/* extra.c - instructions that the processor at hand may lack, PTWRITE and TSX, and CPUID.
 *
 * SPDX-License-Identifier: MIT
 *
 * A transaction is carried out here from XBEGIN to XEND, with its stores kept back, so
 * that aborting it is to forget them.  An instruction that only the processor can carry
 * out aborts it, as some do on hardware; so do, with seeded chance, other threads that
 * might have touched the same memory.
 *
 * Some hypervisors that carry CPUID out themselves lose the trap of the step over it: the instruction
 * behind it would pass untold.
 */
#include "testdata/ptrecord/extra.h"

#include "testdata/ptrecord/emul.h"
#include "testdata/ptrecord/soft.h"
#include "testdata/ptrecord/tell.h"

#include <cpuid.h>

enum {
    FLAGS_ARITH = 0x8d5, /* carry, parity, adjust, zero, sign, overflow */
    FLAG_ZERO = 0x40,
    STATUS_EXPLICIT = 1, /* what EAX says after an abort */
    STATUS_RETRY = 2,
    STATUS_CONFLICT = 4,
    CONFLICT_ONE_IN = 8,
    TX_DEPTH = 7
};

static bool ptwrite_run(struct engine *e, struct task *t, const struct op *op)
{
    uint64_t payload = 0;
    unsigned size = op->wide ? 8 : 4;
    if (op->reg != OP_NO_REG)
        payload = *op_reg(&t->regs, op->reg);
    else if (!ram_load(t->ram, op_addr(op, &t->regs), &payload, size))
        return false;
    if (!op->wide)
        payload = (uint32_t)payload;
    tell_insn(e, t, op->ip);
    rec_ptwrite(e->rec, t->rec, op->ip, payload, op->wide);
    task_set_ip(t, op_next(op));
    return true;
}

/* The same here as there, since both are on one machine. */
static bool cpuid_run(struct engine *e, struct task *t, const struct op *op)
{
    unsigned a, b, c, d;

    if (t->tx_depth) /* it aborts */
        return false;
    __cpuid_count((unsigned)t->regs.rax, (unsigned)t->regs.rcx, a, b, c, d);
    t->regs.rax = a;
    t->regs.rbx = b;
    t->regs.rcx = c;
    t->regs.rdx = d;
    t->regs_changed = true;
    tell_insn(e, t, op->ip);
    task_set_ip(t, op_next(op));
    return true;
}

static void tx_begin(struct engine *e, struct task *t, const struct op *op)
{
    tell_insn(e, t, op->ip);
    if (!t->tx_depth++) {
        ram_end(t->ram); /* what was stored before stays */
        ram_keep(t->ram, true);
        t->tx_regs = t->regs;
        t->tx_fallback = op_target(op);
        rec_tsx(e->rec, t->rec, REC_TX_BEGIN, op->ip, op_next(op));
    }
    task_set_ip(t, op_next(op));
}

/* The instruction at IP is not executed any more. */
static void tx_abort(struct engine *e, struct task *t, uint64_t ip, uint32_t status)
{
    ram_forget(t->ram);
    ram_keep(t->ram, false);
    t->tx_depth = 0;
    t->regs = t->tx_regs;
    t->regs.rax = status;
    t->regs_changed = true;
    task_set_ip(t, t->tx_fallback);
    rec_tsx(e->rec, t->rec, REC_TX_ABORT, ip, t->tx_fallback);
}

static bool tx_commit(struct engine *e, struct task *t, const struct op *op)
{
    if (!t->tx_depth)
        return false; /* faults */
    if (t->tx_depth == 1 && rng_one_in(&e->rng, CONFLICT_ONE_IN)) {
        tx_abort(e, t, op->ip, STATUS_CONFLICT | STATUS_RETRY);
        return true;
    }
    tell_insn(e, t, op->ip);
    if (!--t->tx_depth) {
        ram_keep(t->ram, false);
        rec_tsx(e->rec, t->rec, REC_TX_COMMIT, op->ip, op_next(op));
    }
    task_set_ip(t, op_next(op));
    return true;
}

static void xabort_run(struct engine *e, struct task *t, const struct op *op)
{
    if (t->tx_depth) {
        tx_abort(e, t, op->ip, (uint32_t)op->cond << 24 | STATUS_EXPLICIT);
        return;
    }
    tell_insn(e, t, op->ip);
    task_set_ip(t, op_next(op));
}

static void xtest_run(struct engine *e, struct task *t, const struct op *op)
{
    tell_insn(e, t, op->ip);
    t->regs.eflags &= ~(unsigned long long)FLAGS_ARITH;
    t->regs.eflags |= t->tx_depth ? 0 : FLAG_ZERO;
    t->regs_changed = true;
    task_set_ip(t, op_next(op));
}

bool extra_run(struct engine *e, struct task *t, const struct op *op)
{
    if (op->is_exotic)
        return false;
    switch (op->kind) {
    case OP_CPUID:
        return cpuid_run(e, t, op);
    case OP_PTWRITE:
        return ptwrite_run(e, t, op);
    case OP_XBEGIN:
        if (t->tx_depth >= TX_DEPTH)
            return false;
        tx_begin(e, t, op);
        return true;
    case OP_XEND:
        return tx_commit(e, t, op);
    case OP_XABORT:
        xabort_run(e, t, op);
        return true;
    case OP_XTEST:
        xtest_run(e, t, op);
        return true;
    default:
        return false;
    }
}

/* OP without the processor's help. */
static bool tx_carry_out(struct engine *e, struct task *t, const struct op *op)
{
    struct soft soft;
    struct rec_insn_branch b;
    if (extra_run(e, t, op))
        return true;
    if (soft_decode(op, &soft)) {
        if (!soft_run(&soft, &t->regs, t->ram, op_next(op)))
            return false;
        t->regs_changed = true;
        task_set_ip(t, op_next(op));
        tell_insn(e, t, op->ip);
        return true;
    }
    if (!emul_branch(t, op, &b))
        return false;
    tell_insn(e, t, op->ip);
    tell_branch(e, t, &b);
    return true;
}

void tx_step(struct engine *e, struct task *t)
{
    uint8_t code[OP_MAX];
    size_t n = mm_read(t->mm, t->regs.rip, code, sizeof code);
    struct op op = op_decode(code, n, t->regs.rip, t->is64);
    if (!tx_carry_out(e, t, &op))
        tx_abort(e, t, op.ip, 0);
}

void tx_interrupt(struct engine *e, struct task *t)
{
    if (t->tx_depth)
        tx_abort(e, t, t->regs.rip, STATUS_RETRY);
}
