/* run.c - a turn: chain after chain, or step by step.
 *
 * SPDX-License-Identifier: MIT
 *
 * A chain runs at full speed into the trap on its last instruction, which is carried
 * out here; if that leads straight to another branch, the thread need not even run in
 * between.  Whatever else stops it on the way is left in t->status for stop_handle,
 * after telling how far it came.
 */
#include "testdata/ptrecord/chain.h"
#include "testdata/ptrecord/emul.h"
#include "testdata/ptrecord/engine.h"
#include "testdata/ptrecord/extra.h"
#include "testdata/ptrecord/opts.h"
#include "testdata/ptrecord/sys.h"
#include "testdata/ptrecord/tell.h"

/* So many instructions may be carried out without the thread running: a signal for it
 * is noticed only when it runs. */
enum { DRY_MAX = 20000 };

void run_kernel(struct engine *e, struct task *t)
{
    (void)e;
    if (task_resume(t, PTRACE_SYSCALL))
        task_await(t);
    else
        task_wait(t);
}

static void run_until_stop(struct task *t, enum __ptrace_request request)
{
    bool going = task_resume(t, request);
    task_wait(t);
    if (going) /* else it was killed before, and has not moved */
        task_regs_fetch(t);
}

static struct op op_read(struct task *t)
{
    uint8_t code[OP_MAX];
    size_t n = mm_read(t->mm, t->regs.rip, code, sizeof code);
    return op_decode(code, n, t->regs.rip, t->is64);
}

/* The stack has the flags with the trap flag that stepping had set. */
static void pushf_mend(struct task *t)
{
    uint8_t flags;
    uint64_t addr = t->regs.rsp + 1;
    if (task_read(t, addr, &flags, 1) && (flags & 1)) {
        flags &= 0xfe;
        task_write(t, addr, &flags, 1);
    }
}

/* Linux takes the trap flag of the step after a stepped POPF for the thread's own, and
 * leaves it set, unless the thread was resumed otherwise in between. */
static void popf_mend(struct task *t)
{
    ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
    run_until_stop(t, PTRACE_CONT);
    t->has_status &= status_event(t->status) != PTRACE_EVENT_STOP;
}

static bool stepped(const struct task *t, const struct op *op)
{
    return status_is_trap(t->status) && op->kind != OP_INT && task_was_raised(t);
}

/* An interrupt comes between two rounds of a repeated instruction: it is not executed
 * yet, and begins again where it was. */
static bool rep_interrupted(struct engine *e, const struct task *t, const struct op *op)
{
    if (!op->is_rep || t->regs.rip != op->ip || !e->interrupt_next || e->left != 1)
        return false;
    e->left = 0;
    return true;
}

/* The processor carries out OP, which is at the thread's ip. */
static void step_native(struct engine *e, struct task *t, const struct op *op)
{
    struct user_regs_struct before = t->regs;
    bool done;
    mm_lift(t->mm, op->ip, op->len ? op->len : OP_MAX);
    do {
        run_until_stop(t, PTRACE_SINGLESTEP);
        done = stepped(t, op);
    } while (done && op->is_rep && t->regs.rip == op->ip && !rep_interrupted(e, t, op));
    mm_replant(t->mm, op->ip, op->len ? op->len : OP_MAX);
    if (!done) {
        bool trapped = op->kind == OP_INT && t->regs.rip != op->ip;
        t->trap_ip = trapped ? op->ip : 0;
        return;
    }
    t->has_status = false;
    if (op->is_rep && t->regs.rip == op->ip) {
        tell_enter(e, t, op->ip);
        return;
    }
    if (op->is_pushf)
        pushf_mend(t);
    if (op->is_popf)
        popf_mend(t);
    tell_insn(e, t, op->ip);
    struct rec_insn_branch b;
    if (emul_seen(op, &before, t->regs.rip, &b))
        tell_branch(e, t, &b);
}

static void step(struct engine *e, struct task *t)
{
    ram_end(t->ram); /* it may have written the code */
    struct op op = op_read(t);
    if (op.kind != OP_SYSCALL && op.kind != OP_INT80) {
        if (t->sig || !extra_run(e, t, &op))
            step_native(e, t, &op);
        return;
    }
    mm_lift(t->mm, op.ip, op.len);
    run_until_stop(t, PTRACE_SYSCALL);
    mm_replant(t->mm, op.ip, op.len);
    if (status_is_syscall(t->status))
        sys_enter(e, t, &op);
}

/* Stopped inside C, before its last instruction: tells what was executed. */
static void chain_interrupted(struct engine *e, struct task *t, const struct chain *c)
{
    uint64_t ip = t->regs.rip;
    if (c->run == CHAIN_SIGNAL && ip == c->last.ip + c->last.len) {
        t->trap_ip = c->last.ip;
        ip = c->last.ip;
    } else if (status_is_trap(t->status) && hmap_find(&t->mm->traps, ip - 1)) {
        t->has_status = false; /* the end of another chain lies in this one */
        task_set_ip(t, --ip);
    }
    int n = chain_index(c, ip);
    if (n > 0)
        tell_chain(e, t, c, (uint32_t)n);
}

/* Carries out all of C but the last instruction.  False: one needs the processor. */
static bool chain_carry_out(struct engine *e, struct task *t, const struct chain *c)
{
    uint64_t ip = c->ip;
    for (uint32_t i = 0; i + 1 < c->n; i++) {
        uint64_t next = ip + c->len[i];
        if (!soft_run(&c->soft[i], &t->regs, t->ram, next)) {
            tell_chain(e, t, c, i);
            task_set_ip(t, ip);
            t->dry = DRY_MAX;
            return false;
        }
        t->regs_changed = true;
        ip = next;
    }
    t->dry += c->n;
    task_set_ip(t, ip);
    return true;
}

/* Might a signal be waiting for it? */
static bool must_run(const struct engine *e, const struct task *t)
{
    return t->sig || t->dry >= DRY_MAX || t->calls != e->calls;
}

/* Runs up to the last instruction of C.  False: it did not come so far. */
static bool chain_run(struct engine *e, struct task *t, const struct chain *c)
{
    if (c->soft && !must_run(e, t))
        return chain_carry_out(e, t, c);
    t->calls = e->calls;
    run_until_stop(t, PTRACE_CONT);
    if (!status_is_trap(t->status) || t->regs.rip != c->last.ip + 1) {
        chain_interrupted(e, t, c);
        return false;
    }
    t->has_status = false;
    task_set_ip(t, c->last.ip);
    return true;
}

static void chain_run_syscall(struct engine *e, struct task *t, const struct chain *c)
{
    run_until_stop(t, PTRACE_SYSCALL);
    if (!status_is_syscall(t->status)) {
        chain_interrupted(e, t, c);
        return;
    }
    tell_chain(e, t, c, c->n - 1);
    sys_enter(e, t, &c->last);
}

static void chain_run_trap(struct engine *e, struct task *t, const struct chain *c)
{
    struct rec_insn_branch b;
    if (!chain_run(e, t, c))
        return;
    if (emul_branch(t, &c->last, &b)) {
        tell_chain(e, t, c, c->n);
        tell_branch(e, t, &b);
    } else {
        tell_chain(e, t, c, c->n - 1);
        if (!extra_run(e, t, &c->last))
            step_native(e, t, &c->last);
    }
}

static void chain_next(struct engine *e, struct task *t)
{
    if (e->opts->single_step) {
        step(e, t);
        return;
    }
    const struct chain *c = chain_get(t->mm, t->regs.rip, t->is64);
    enum chain_run run = c->n > e->left ? CHAIN_STEP : (enum chain_run)c->run;
    switch (run) {
    case CHAIN_TRAP:
        chain_run_trap(e, t, c);
        break;
    case CHAIN_SYSCALL:
        chain_run_syscall(e, t, c);
        break;
    case CHAIN_SIGNAL:
        run_until_stop(t, PTRACE_CONT);
        chain_interrupted(e, t, c);
        break;
    case CHAIN_STEP:
        step(e, t);
        break;
    }
}

/* Enough was recorded, and it has been killed: it is not to run again. */
static void run_no_more(struct engine *e, struct task *t)
{
    tx_interrupt(e, t);
    tell_leave(e, t, REC_INTERRUPT, t->regs.rip);
    t->state = TASK_KERNEL;
}

/* Something of the kernel's is at hand: no place to end a turn. */
static bool in_kernel(const struct task *t)
{
    return t->has_status || t->in_syscall || t->restarting;
}

void run_turn(struct engine *e, struct task *t)
{
    while (t->state == TASK_STOPPED && (e->left > 0 || in_kernel(t))) {
        if (t->has_status)
            stop_handle(e, t);
        else if (t->in_syscall || t->restarting)
            run_kernel(e, t);
        else if (e->ending)
            run_no_more(e, t);
        else if (t->tx_depth)
            tx_step(e, t);
        else
            chain_next(e, t);
    }
    tx_interrupt(e, t);
}
