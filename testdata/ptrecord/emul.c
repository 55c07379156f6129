/* emul.c - near branches, carried out for the program.
 *
 * SPDX-License-Identifier: MIT
 *
 * What may fault is left to the processor, which then faults as it always would: stack
 * or table that cannot be reached with the protection it has, a target that is no
 * address.
 */
#include "testdata/ptrecord/emul.h"

#include "testdata/ptrecord/soft.h"

enum { FLAG_Z = 0x40 };

/* The counter of LOOP and JRCXZ, as wide as the address size. */
static uint64_t counter_mask(const struct op *op)
{
    if (op->is64 && !op->mem.addr32)
        return UINT64_MAX;
    return UINT32_MAX;
}

static bool loop_taken(const struct op *op, const struct user_regs_struct *regs)
{
    uint64_t mask = counter_mask(op), count = regs->rcx & mask;
    if (op->cond == 3)
        return !count;
    bool zero = regs->eflags & FLAG_Z;
    return count != 1 && (op->cond == 2 || (op->cond == 1) == zero);
}

static bool cond_taken(const struct op *op, const struct user_regs_struct *regs)
{
    return op->kind == OP_JCC ? soft_cond(op->cond, regs->eflags)
                              : loop_taken(op, regs);
}

static enum rec_branch branch_kind(enum op_kind kind)
{
    switch ((int)kind) {
    case OP_JMP:
        return REC_JMP;
    case OP_CALL:
        return REC_CALL;
    case OP_JMP_IND:
        return REC_JMP_IND;
    case OP_CALL_IND:
        return REC_CALL_IND;
    case OP_RET:
        return REC_RET;
    case OP_FAR:
        return REC_FAR;
    default:
        return REC_JCC;
    }
}

static bool is_branch(const struct op *op)
{
    return op->kind >= OP_JCC && op->kind <= OP_FAR;
}

bool emul_seen(const struct op *op, const struct user_regs_struct *regs, uint64_t to,
               struct rec_insn_branch *b)
{
    if (!is_branch(op))
        return false;
    *b = (struct rec_insn_branch){
        .kind = branch_kind(op->kind), .ip = op->ip, .next = op_next(op), .to = to};
    if (b->kind == REC_JCC)
        b->taken = cond_taken(op, regs);
    return true;
}

static bool is_canonical(const struct op *op, uint64_t to)
{
    return !op->is64 || to >> 47 == 0;
}

/* Where an indirect branch goes. */
static bool target_read(struct task *t, const struct op *op, uint64_t addr,
                        uint64_t *to)
{
    *to = 0;
    return ram_load(t->ram, addr, to, op->is64 ? 8 : 4);
}

static bool target_find(struct task *t, const struct op *op, uint64_t *to)
{
    switch (op->kind) {
    case OP_RET:
        return target_read(t, op, t->regs.rsp, to);
    case OP_JMP_IND:
    case OP_CALL_IND:
        if (op->reg == OP_NO_REG)
            return target_read(t, op, op_addr(op, &t->regs), to);
        *to = *op_reg(&t->regs, op->reg);
        if (!op->is64)
            *to = (uint32_t)*to;
        return true;
    case OP_JMP:
    case OP_CALL:
        *to = op_target(op);
        return true;
    default:
        *to = cond_taken(op, &t->regs) ? op_target(op) : op_next(op);
        return true;
    }
}

static void stack_move(struct task *t, const struct op *op, uint64_t by)
{
    uint64_t sp = t->regs.rsp + by;
    t->regs.rsp = op->is64 ? sp : (uint32_t)sp;
    t->regs_changed = true;
}

static bool return_push(struct task *t, const struct op *op)
{
    unsigned size = op->is64 ? 8 : 4;
    uint64_t next = op_next(op), sp = t->regs.rsp - size;
    if (!ram_store(t->ram, op->is64 ? sp : (uint32_t)sp, &next, size))
        return false;
    stack_move(t, op, -(uint64_t)size);
    return true;
}

static void counter_drop(struct task *t, const struct op *op)
{
    uint64_t mask = counter_mask(op), count = (t->regs.rcx - 1) & mask;
    t->regs.rcx = count; /* a 32-bit result clears the upper half */
    t->regs_changed = true;
}

bool emul_branch(struct task *t, const struct op *op, struct rec_insn_branch *b)
{
    uint64_t to;
    if (op->is_exotic || op->kind == OP_FAR || !is_branch(op))
        return false;
    if (!target_find(t, op, &to) || !is_canonical(op, to))
        return false;
    if ((op->kind == OP_CALL || op->kind == OP_CALL_IND) && !return_push(t, op))
        return false;
    emul_seen(op, &t->regs, to, b);
    if (op->kind == OP_RET)
        stack_move(t, op, (op->is64 ? 8u : 4u) + op->pop);
    if (op->kind == OP_LOOP && op->cond != 3)
        counter_drop(t, op);
    task_set_ip(t, to);
    return true;
}
