/* recorder.h - what the files of the recorder share: CPUs, threads, rings.
 *
 * SPDX-License-Identifier: MIT
 *
 * A ring is what perf maps once per CPU (or once per thread): records and AUX data.
 */
#ifndef PTRECORD_RECORDER_H
#define PTRECORD_RECORDER_H

#include "testdata/ptrecord/clock.h"
#include "testdata/ptrecord/enc.h"
#include "testdata/ptrecord/event.h"
#include "testdata/ptrecord/log.h"
#include "testdata/ptrecord/perfdata.h"
#include "testdata/ptrecord/rec.h"
#include "testdata/ptrecord/rec_conf.h"

enum { REC_MAX_CPUS = 64, NOBODY = -1 };

struct ring {
    uint32_t idx, cpu, tid; /* cpu or tid is -1 */
    struct buf records;     /* written since the last round */
    struct enc enc;
    uint64_t aux_head; /* up to here AUX records have told of the stream */
    uint64_t aux_read; /* up to here perf has fetched the stream */
    uint64_t lost;     /* records since the last LOST record */
};

struct rec_thread {
    struct rec_thread *next, *parent;
    struct ring *own; /* of a recording per thread */
    uint32_t pid, tid, ppid;
    uint32_t nr; /* among the threads of its run */
    int cpu;     /* the one it is on or was last on; NOBODY at first */
    bool on_cpu, is64, exited;
    uint64_t started;  /* CPUs on which the trace of it has begun, a bit each */
    uint64_t seen_tsc; /* it ran until then: nowhere may it run earlier */
};

struct cpu {
    struct clock clock;
    uint32_t nr;
    struct rec_thread *now; /* NULL: idle */
    struct ring *ring;      /* where its PT unit writes; NULL: nowhere */
    struct ring *own;       /* of a recording per CPU */

    bool settle;      /* a record was written that later code may depend on */
    bool margin;      /* time enough has passed since user space for a record */
    bool interrupted; /* the kernel was entered by an interrupt or fault */
    size_t out_at;    /* where the last SWITCH OUT is in own->records, plus one */
    uint64_t out_tsc; /* when that was */
    struct rec_thread *out_thread;

    uint32_t cpi16;   /* cycles per instruction now, in sixteenths */
    uint32_t cyc16;   /* sixteenths of a cycle not yet counted */
    int64_t cpi_left; /* instructions until it changes */

    struct lbr lbr;      /* with pebs_lbr */
    int32_t chance_left; /* branches until the next chance (exec.c) */
};

struct recorder {
    struct rec_conf conf;
    struct clock_model model;
    struct rng rng;
    struct event events[EVENT_KINDS];
    struct perfdata file;
    struct buf synthesized; /* records of time 0, before the program runs */

    struct cpu cpu[REC_MAX_CPUS];
    struct rec_thread *threads, **threads_end;
    uint32_t thread_n; /* of this run */
    struct log log;
    struct ring **rings;
    uint32_t ring_n;

    bool enabled;       /* the program has been executed: events count */
    uint64_t first_tsc; /* of a record with time; last_tsc likewise */
    uint64_t last_tsc;
    uint64_t round_tsc;          /* the latest record of the last round */
    uint32_t faults;             /* so many were made */
    uint64_t unread;             /* bytes that perf could fetch */
    bool snapshot;               /* perf is taking one */
    uint64_t fresh, snapshot_at; /* bytes since the last snapshot, and till the next */
    int argc;                    /* what was recorded */
    char **argv;
};

/* --- sideband.c: records into the ring of a CPU --- */

void side_comm(struct recorder *r, struct rec_thread *t, const char *comm, bool exec);
void side_mmap(struct recorder *r, struct rec_thread *t, const struct rec_map *m);
void side_fork(struct recorder *r, struct rec_thread *t);
void side_exit(struct recorder *r, struct rec_thread *t);
void side_itrace_start(struct recorder *r, struct cpu *c, struct rec_thread *t);
/* C, idle until now or left a moment ago, turns to T. */
void side_switch_to(struct recorder *r, struct cpu *c, struct rec_thread *t);
void side_switch_in(struct recorder *r, struct cpu *c, struct rec_thread *t);
void side_switch_out(struct recorder *r, struct cpu *c, struct rec_thread *t,
                     bool preempt);
/* Threads record their own switches: SWITCH, not SWITCH_CPU_WIDE. */
bool side_own_switches(const struct recorder *r);
/* A sample of the cycles event with the LEN bytes of AUX at DATA. */
void side_sample(struct recorder *r, struct cpu *c, const uint8_t *data, size_t len);
/* Tells of the AUX data since the last time, if there is any. */
void side_aux(struct recorder *r, struct cpu *c, struct ring *ring);

/* --- front.c: the records before all others --- */
void front_put(struct recorder *r, struct buf *b);

/* --- aux.c: rings, and rounds in which perf fetches what they hold --- */

struct ring *ring_new(struct recorder *r, uint32_t cpu, uint32_t tid);
void ring_round(struct recorder *r);
/* When there is much to fetch.  In the kernel only. */
void ring_round_if_due(struct recorder *r);
/* There is much AUX data, or no room for more: time for an interrupt. */
bool ring_aux_due(const struct ring *ring);
/* AUX data at OFFSET of RING goes into the file. */
void ring_put_aux(struct recorder *r, const struct ring *ring, uint64_t offset,
                  const uint8_t *data, size_t len);

/* --- overwrite.c: buffers that are overwritten: snapshots and AUX samples --- */

bool overwrite_mode(const struct recorder *r);
/* Keeps no more of the stream than the buffer holds. */
void overwrite_trim(struct recorder *r, struct ring *ring);
/* Where in the buffer the stream has got to, and the buffer's size. */
uint64_t overwrite_at(const struct recorder *r, const struct ring *ring);
uint64_t overwrite_size(const struct recorder *r);
void snapshot_fetch(struct recorder *r, struct ring *ring);
void snapshot_take(struct recorder *r);
void snapshot_take_if_due(struct recorder *r);
/* The counter of cycles overflows on C. */
void sample_take(struct recorder *r, struct cpu *c);

/* --- cpu.c: time --- */

void cpu_init(struct recorder *r, uint32_t nr, uint64_t tsc);
/* Some time passes. */
void cpu_pass(struct recorder *r, struct cpu *c, uint32_t low_ns, uint32_t high_ns);
void cpu_execute(struct recorder *r, struct cpu *c, uint32_t insns);
/* C's packets from now on tell a decoder that it is not earlier than now. */
void cpu_settle(struct recorder *r, struct cpu *c);
/* An interrupt stops the trace of C, wherever that is; true: in user space. */
bool cpu_pause(struct recorder *r, struct cpu *c);
void cpu_resume(struct recorder *r, struct cpu *c, bool user);
/* Both, with what the kernel has to do between. */
void cpu_interrupt(struct recorder *r, struct cpu *c);
/* No CPU's clock stays behind TSC, nor the time told on it. */
void cpus_raise(struct recorder *r, uint64_t tsc);
void cpu_trace_start(struct recorder *r, struct cpu *c, struct rec_thread *t);
void cpu_trace_stop(struct recorder *r, struct cpu *c);

#endif
