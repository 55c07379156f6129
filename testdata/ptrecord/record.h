/* record.h - perf records, as the kernel and perf record lay them out.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_RECORD_H
#define PTRECORD_RECORD_H

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/rec.h"

#include <stdbool.h>

enum record_type {
    RECORD_MMAP2 = 10,
    RECORD_LOST = 2,
    RECORD_COMM = 3,
    RECORD_EXIT = 4,
    RECORD_FORK = 7,
    RECORD_SAMPLE = 9,
    RECORD_AUX = 11,
    RECORD_ITRACE_START = 12,
    RECORD_SWITCH = 14,
    RECORD_SWITCH_CPU_WIDE = 15,
    RECORD_ID_INDEX = 69,
    RECORD_AUXTRACE_INFO = 70,
    RECORD_AUXTRACE = 71,
    RECORD_FINISHED_ROUND = 68,
    RECORD_THREAD_MAP = 73,
    RECORD_CPU_MAP = 74,
    RECORD_EVENT_UPDATE = 78,
    RECORD_TIME_CONV = 79,
    RECORD_FINISHED_INIT = 82
};

enum record_misc {
    MISC_USER = 2,
    MISC_COMM_EXEC = 1 << 13,
    MISC_SWITCH_OUT = 1 << 13,
    MISC_SWITCH_OUT_PREEMPT = 1 << 14,
    MISC_MMAP_BUILD_ID = 1 << 14
};

enum aux_flags { AUX_TRUNCATED = 1, AUX_OVERWRITE = 2 };

/* Who, when and where: the sample_id at the end of a kernel record. */
struct stamp {
    uint64_t sample_type;
    uint32_t pid, tid, cpu;
    uint64_t time_ns, id;
};

/* Begins a record at the end of B; record_end writes its size. */
size_t record_begin(struct buf *b, enum record_type type, uint16_t misc);
void record_end(struct buf *b, size_t at);

void record_comm(struct buf *b, const struct stamp *s, const char *comm, bool exec);
/* BUILD_ID: carry it instead of device and inode, when the map has one. */
void record_mmap2(struct buf *b, const struct stamp *s, const struct rec_map *m,
                  bool build_id);
/* FORK or EXIT. */
void record_task(struct buf *b, const struct stamp *s, enum record_type type,
                 const uint32_t pid_ppid_tid_ptid[4]);
void record_aux(struct buf *b, const struct stamp *s, uint64_t offset, uint64_t size,
                uint64_t flags);
void record_itrace_start(struct buf *b, const struct stamp *s);
void record_switch(struct buf *b, const struct stamp *s, uint16_t misc);
/* OTHER: who ran before, or runs next when misc says out. */
void record_switch_cpu_wide(struct buf *b, const struct stamp *s, uint16_t misc,
                            uint32_t other_pid, uint32_t other_tid);
/* The OUT record at AT leads to this one. */
void record_switch_next(struct buf *b, size_t at, uint32_t pid, uint32_t tid);
/* A sample in user space with a piece of trace in it. */
void record_sample(struct buf *b, const struct stamp *s, uint64_t ip, uint64_t period,
                   const uint8_t *aux, size_t len);
void record_lost(struct buf *b, const struct stamp *s, uint64_t lost);
void record_auxtrace(struct buf *b, uint64_t size, uint64_t offset, uint64_t reference,
                     uint32_t idx, uint32_t tid, uint32_t cpu);
void record_empty(struct buf *b, enum record_type type);

#endif
