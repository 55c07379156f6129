/* rec.h - what the engine tells the recorder while a program runs.
 *
 * SPDX-License-Identifier: MIT
 *
 * The engine (task, chain, emul, sys, sched) runs the program under ptrace and knows
 * nothing of packets or files.  The recorder (clock, enc, aux, sideband, perfdata)
 * knows nothing of ptrace: it turns these calls into PT packets and perf records, as
 * the processor and the kernel would have.  Calls come in the order in which things
 * happen on one simulated CPU; the recorder owns the clocks, one per simulated CPU.
 *
 * A thread is "in user space" between rec_enter_user and rec_leave_user; only then may
 * the calls under "execution" be made for it.  It is "on a CPU" between rec_sched_in
 * and rec_sched_out.  The trace is of user space only, as of intel_pt//u.
 */
#ifndef PTRECORD_REC_H
#define PTRECORD_REC_H

#include <stdbool.h>
#include <stdint.h>

struct recorder;
struct rec_conf; /* rec_conf.h: the options of the recorder, filled by opts.c */

/* A thread as the recorder sees it; the engine keeps the pointer in its task. */
struct rec_thread;

struct rec_map {
    uint64_t addr, len, pgoff;
    uint32_t maj, min;
    uint64_t ino, ino_generation;
    uint32_t prot, flags; /* PROT_*, MAP_* as in MMAP2 */
    const char *name;     /* path, "[vdso]", "//anon", ... as the kernel names it */
    uint8_t build_id[20]; /* build_id_size 0: none known */
    uint8_t build_id_size;
};

/* Why a thread leaves user space. */
enum rec_leave {
    REC_SYSCALL, /* SYSCALL, SYSENTER, INT 0x80 at IP: TIP.PGD without FUP (INT n: with)
                  */
    REC_INTERRUPT, /* before the instruction at IP runs: FUP(IP) + TIP.PGD */
    REC_FAULT, /* the instruction at IP faults, is not executed: FUP(IP) + TIP.PGD */
    REC_TRAP   /* INT3, INT n, INTO at IP: FUP(IP of the instruction) + TIP.PGD */
};

enum rec_branch {
    REC_JCC,  /* conditional incl. LOOP, JRCXZ: TAKEN says which way */
    REC_JMP,  /* direct jump: no packet */
    REC_CALL, /* direct call: no packet, pushes NEXT unless TO == NEXT */
    REC_JMP_IND,
    REC_CALL_IND,
    REC_RET,
    REC_FAR /* far jump, call, return, IRET within user space: always TIP */
};

struct rec_insn_branch {
    enum rec_branch kind;
    bool taken;    /* REC_JCC only */
    uint64_t ip;   /* of the branch instruction */
    uint64_t next; /* ip + length */
    uint64_t to;   /* where it went; NEXT for a jcc not taken */
};

enum rec_tsx { REC_TX_BEGIN, REC_TX_COMMIT, REC_TX_ABORT };

/* --- life: once at the start, once at the end --- */

/* NULL with a line on stderr: the output cannot be made.  ARGV is what was recorded. */
struct recorder *rec_open(const struct rec_conf *conf, int argc, char **argv);
/* Nothing more can be written: the program need not go on. */
bool rec_failed(const struct recorder *r);
/* Writes the file; 0, or -1 with a line on stderr. */
int rec_close(struct recorder *r);
/* There is nothing to be recorded: what has the file's name stays. */
void rec_drop(struct recorder *r);

/* --- side-band: become records with the time of the CPU that T is on --- */

/* A new thread; PARENT is NULL for the first.  FORK record unless the first.  A thread
 * that was there when recording began (the first) is "synthesized": COMM and MMAP2 of
 * time 0. */
struct rec_thread *rec_fork(struct recorder *r, struct rec_thread *parent, int pid,
                            int tid);
void rec_comm(struct recorder *r, struct rec_thread *t, const char *comm, bool exec);
/* IS64 of the program just executed (MODE.Exec of what follows). */
void rec_exec(struct recorder *r, struct rec_thread *t, bool is64);
void rec_mmap(struct recorder *r, struct rec_thread *t, const struct rec_map *m);
void rec_exit(struct recorder *r, struct rec_thread *t);

/* --- scheduling --- */

void rec_sched_in(struct recorder *r, struct rec_thread *t, int cpu);
/* PREEMPT: it could have gone on (time slice over); else it blocked or ended. */
void rec_sched_out(struct recorder *r, struct rec_thread *t, bool preempt);
/* Something that other CPUs depend on happened (a mapping, fork, exec, wake): nobody's
 * clock may stay behind T's. */
void rec_sync_clocks(struct recorder *r, struct rec_thread *t);

/* --- execution, T in user space --- */

void rec_enter_user(struct recorder *r, struct rec_thread *t, uint64_t ip);
void rec_leave_user(struct recorder *r, struct rec_thread *t, enum rec_leave why,
                    uint64_t ip);
/* N instructions were executed, the last of which is the branch if one is reported
 * next. */
void rec_insns(struct recorder *r, struct rec_thread *t, uint32_t n);
void rec_branch(struct recorder *r, struct rec_thread *t,
                const struct rec_insn_branch *b);
void rec_ptwrite(struct recorder *r, struct rec_thread *t, uint64_t ip,
                 uint64_t payload, bool is64);
/* IP: of XBEGIN, XEND or of the instruction that aborts; TO: where an abort goes. */
void rec_tsx(struct recorder *r, struct rec_thread *t, enum rec_tsx what, uint64_t ip,
             uint64_t to);

#endif
