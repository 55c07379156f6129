/* sys.c - system calls: what they do to code and threads.
 *
 * SPDX-License-Identifier: MIT
 *
 * Before a call may change or show code, our traps there are taken out; after it, the
 * map of the process is read again and new code is told.
 */
#include "testdata/ptrecord/sys.h"

#include "testdata/ptrecord/msg.h"
#include "testdata/ptrecord/proc.h"
#include "testdata/ptrecord/sig.h"
#include "testdata/ptrecord/symfs.h"
#include "testdata/ptrecord/tell.h"

#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum sys_kind {
    SYS_OTHER,
    SYS_MAP,     /* addr, len, prot, flags; maps at the address returned */
    SYS_OLD_MAP, /* the same, arguments in memory */
    SYS_PROTECT, /* addr, len, prot */
    SYS_CHANGE,  /* addr, len: unmapped, dropped */
    SYS_MOVE,    /* addr, len, new len, flags, new addr */
    SYS_ATTACH,  /* maps somewhere: shared memory */
    SYS_MASK,    /* changes the signal mask */
    SYS_ACTION,  /* signal, what to do about it */
    SYS_NAME,    /* may name the thread */
    SYS_FORK,
    SYS_VFORK,
    SYS_CLONE,  /* flags */
    SYS_CLONE3, /* struct with flags */
    SYS_TRACE   /* request */
};

static const struct {
    short nr64, nr32;
    uint8_t kind;
} kinds[] = {
    {SYS_mmap,           192, SYS_MAP    },
    {-1,                 90,  SYS_OLD_MAP},
    {SYS_mprotect,       125, SYS_PROTECT},
    {SYS_pkey_mprotect,  380, SYS_PROTECT},
    {SYS_munmap,         91,  SYS_CHANGE },
    {SYS_madvise,        219, SYS_CHANGE },
    {SYS_mremap,         163, SYS_MOVE   },
    {SYS_shmat,          397, SYS_ATTACH },
    {SYS_rt_sigprocmask, 175, SYS_MASK   },
    {SYS_rt_sigreturn,   173, SYS_MASK   },
    {-1,                 119, SYS_MASK   }, /* sigreturn */
    {-1,                 126, SYS_MASK   }, /* sigprocmask */
    {SYS_rt_sigaction,   174, SYS_ACTION },
    {-1,                 67,  SYS_ACTION }, /* sigaction */
    {-1,                 48,  SYS_ACTION }, /* signal */
    {SYS_prctl,          172, SYS_NAME   },
    {SYS_fork,           2,   SYS_FORK   },
    {SYS_vfork,          190, SYS_VFORK  },
    {SYS_clone,          120, SYS_CLONE  },
    {SYS_clone3,         435, SYS_CLONE3 },
    {SYS_ptrace,         26,  SYS_TRACE  },
};

static enum sys_kind kind_of(const struct sys_call *c)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (c->nr == (c->is32 ? kinds[i].nr32 : kinds[i].nr64))
            return (enum sys_kind)kinds[i].kind;
    return SYS_OTHER;
}

static void call_read(struct task *t)
{
    struct __ptrace_syscall_info info = {0};
    t->call = (struct sys_call){.nr = -1};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof info, &info) < 0)
        return;
    t->call.is32 = info.arch == AUDIT_ARCH_I386;
    t->call.nr = (long)info.entry.nr;
    for (unsigned i = 0; i < 6; i++)
        t->call.arg[i] = info.entry.args[i];
    uint32_t old_map[6];
    if (kind_of(&t->call) == SYS_OLD_MAP &&
        task_read(t, t->call.arg[0], old_map, sizeof old_map))
        for (unsigned i = 0; i < 6; i++)
            t->call.arg[i] = old_map[i];
}

static void code_forget(struct task *t, uint64_t addr, uint64_t len)
{
    if (maps_overlap(&t->mm->maps, addr, len))
        mm_forget(t->mm, addr, len);
}

/* A child that is not traced would run into our traps. */
static void child_keep(struct task *t, enum sys_kind kind)
{
    uint64_t flags = t->call.arg[0];
    if (kind == SYS_CLONE && (flags & CLONE_UNTRACED)) {
        *op_reg(&t->regs, t->call.is32 ? 3 : 7) = flags & ~(uint64_t)CLONE_UNTRACED;
        t->regs_changed = true;
    } else if (kind == SYS_CLONE3 &&
               task_read(t, t->call.arg[0], &flags, sizeof flags) &&
               (flags & CLONE_UNTRACED)) {
        flags &= ~(uint64_t)CLONE_UNTRACED;
        task_write(t, t->call.arg[0], &flags, sizeof flags);
    }
}

static void call_prepare(struct task *t)
{
    const uint64_t *arg = t->call.arg;
    enum sys_kind kind = kind_of(&t->call);
    switch ((int)kind) {
    case SYS_CLONE:
    case SYS_CLONE3:
        child_keep(t, kind);
        break;
    case SYS_MAP:
    case SYS_OLD_MAP:
        if (arg[3] & MAP_FIXED)
            code_forget(t, arg[0], arg[1]);
        break;
    case SYS_PROTECT:
    case SYS_CHANGE:
        code_forget(t, arg[0], arg[1]);
        break;
    case SYS_MOVE:
        code_forget(t, arg[0], arg[1]);
        if (arg[3] & MREMAP_FIXED)
            code_forget(t, arg[4], arg[2]);
        break;
    default:
        break;
    }
}

/* The instruction that the kernel sent the thread back to. */
static struct op call_insn(struct task *t)
{
    uint8_t code[2] = {0};
    uint64_t ip = t->regs.rip - sizeof code;
    mm_read(t->mm, ip, code, sizeof code);
    return op_decode(code, sizeof code, ip, t->is64);
}

void sys_enter(struct engine *e, struct task *t, const struct op *op)
{
    struct op again;
    if (!op) {
        task_regs_fetch(t);
        again = call_insn(t);
        op = &again;
    }
    if (op->kind == OP_INT80) {
        tell_leave(e, t, REC_TRAP, op->ip);
    } else {
        tell_insn(e, t, op->ip);
        tell_leave(e, t, REC_SYSCALL, op->ip);
    }
    e->calls++;
    t->has_status = false;
    t->restarting = false;
    t->in_syscall = true;
    call_read(t);
    sig_mask_show(t);
    call_prepare(t);
}

static bool is_restart(const struct task *t)
{
    long orig = (long)t->regs.orig_rax, result = (long)t->regs.rax;
    return orig >= 0 && result <= -512 && result >= -516;
}

/* Tells what is executable between ADDR and END and was not so in OLD. */
static void maps_tell(struct engine *e, struct task *t, const struct maps *old,
                      uint64_t addr, uint64_t end)
{
    const struct maps *now = &t->mm->maps;
    for (size_t i = 0; i < now->list.len; i++) {
        const struct map *m = &now->list.at[i];
        if (m->end > addr && m->start < end && !(old && maps_hold(old, m)))
            tell_map(e, t, m);
    }
    rec_sync_clocks(e->rec, t->rec);
}

static void maps_refresh(struct engine *e, struct task *t)
{
    const uint64_t *arg = t->call.arg;
    uint64_t result = t->call.is32 ? (uint32_t)t->regs.rax : t->regs.rax;
    enum sys_kind kind = kind_of(&t->call);
    bool exec = kind == SYS_CHANGE                       ? false
                : kind == SYS_MOVE || kind == SYS_ATTACH ? true
                                                         : arg[2] & PROT_EXEC;
    if (!exec && !maps_overlap(&t->mm->maps, arg[0], arg[1]))
        return;
    struct maps old = t->mm->maps;
    t->mm->maps = (struct maps){0};
    maps_read(&t->mm->maps, t->tid);
    if (kind == SYS_PROTECT)
        maps_tell(e, t, &old, arg[0], arg[0] + arg[1]);
    else if (kind == SYS_MOVE)
        maps_tell(e, t, &old, result, result + arg[2]);
    else if (kind == SYS_ATTACH)
        maps_tell(e, t, &old, result, result + 1);
    else if (exec)
        maps_tell(e, t, NULL, result, result + arg[1]);
    maps_free(&old);
}

/* The name as the kernel has it now. */
static void name_tell(struct engine *e, struct task *t)
{
    char name[32];
    if (proc_comm(t->tid, name, sizeof name))
        rec_comm(e->rec, t->rec, name, false);
}

/* Who is traced can have no other tracer: debuggers and their like fail here, and say no
 * more than "Operation not permitted". */
static void trace_refused(struct engine *e, const struct task *t)
{
    uint64_t request = t->call.arg[0];
    const char *name = request == PTRACE_TRACEME  ? "PTRACE_TRACEME"
                       : request == PTRACE_ATTACH ? "PTRACE_ATTACH"
                       : request == PTRACE_SEIZE  ? "PTRACE_SEIZE"
                                                  : NULL;
    char who[32];
    if (!name || e->refused_told)
        return;
    e->refused_told = true; /* others fail for the same reason */
    proc_comm(t->tid, who, sizeof who);
    msg_warn(
        "%s (%d): ptrace(%s) is refused, as ptrecord traces all that runs here "
        "already: a debugger, strace and the like cannot be recorded at work; record "
        "the program that it runs by itself",
        who, t->tid, name);
}

void sys_exit(struct engine *e, struct task *t)
{
    t->has_status = false;
    t->in_syscall = false;
    task_regs_fetch(t);
    t->restarting = is_restart(t);
    if (t->restarting)
        return;
    enum sys_kind kind = kind_of(&t->call);
    long result = t->call.is32 ? (int32_t)t->regs.rax : (long)t->regs.rax;
    bool done = result >= 0 || result < -4095;
    if (done && kind >= SYS_MAP && kind <= SYS_ATTACH)
        maps_refresh(e, t);
    if (done && kind == SYS_ACTION && t->call.arg[0] == SIGTRAP && t->call.arg[1])
        sig_trap_action(e, t);
    if (done && kind == SYS_NAME && t->call.arg[0] == PR_SET_NAME)
        name_tell(e, t);
    if (kind == SYS_TRACE && result == -EPERM)
        trace_refused(e, t);
    if (kind == SYS_MASK || t->trap_blocked)
        sig_mask_hide(t);
}

bool sys_shares_memory(const struct task *t)
{
    uint64_t flags = t->call.arg[0];
    switch ((int)kind_of(&t->call)) {
    case SYS_VFORK:
        return true;
    case SYS_CLONE3:
        return task_read(t, t->call.arg[0], &flags, sizeof flags) && (flags & CLONE_VM);
    case SYS_CLONE:
        return flags & CLONE_VM;
    default:
        return false;
    }
}

/* As the kernel makes them: the program, its interpreter, then the vdso. */
void sys_maps_tell(struct engine *e, struct task *t)
{
    char link[40], exe[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", t->tid);
    ssize_t n = readlink(link, exe, sizeof exe - 1);
    exe[n < 0 ? 0 : n] = 0;
    for (unsigned turn = 0; turn < 3; turn++) {
        const struct maps *maps = &t->mm->maps;
        for (size_t i = 0; i < maps->list.len; i++) {
            const struct map *m = &maps->list.at[i];
            bool is_exe = !strcmp(m->name, exe), is_special = m->name[0] == '[';
            unsigned when = is_exe ? 0 : is_special ? 2 : 1;
            if (when == turn && strcmp(m->name, "[vsyscall]") != 0)
                tell_map(e, t, m);
        }
    }
    rec_sync_clocks(e->rec, t->rec);
}
