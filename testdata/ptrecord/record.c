/* record.c - perf records, as the kernel and perf record lay them out.
 *
 * SPDX-License-Identifier: MIT
 *
 * Numbers are those of the kernel's uapi header perf_event.h; written out here, because
 * the headers of the building machine may be too old to know them all.
 */
#include "testdata/ptrecord/record.h"

#include <string.h>

enum {
    SAMPLE_TID = 1 << 1,
    SAMPLE_TIME = 1 << 2,
    SAMPLE_CPU = 1 << 7,
    SAMPLE_IDENTIFIER = 1 << 16
};

size_t record_begin(struct buf *b, enum record_type type, uint16_t misc)
{
    size_t at = b->len;

    buf_u32(b, type);
    buf_u16(b, misc);
    buf_u16(b, 0);
    return at;
}

void record_end(struct buf *b, size_t at)
{
    size_t size = b->len - at;

    b->data[at + 6] = (uint8_t)size;
    b->data[at + 7] = (uint8_t)(size >> 8);
}

static void stamp_end(struct buf *b, const struct stamp *s, size_t at)
{
    if (s->sample_type & SAMPLE_TID) {
        buf_u32(b, s->pid);
        buf_u32(b, s->tid);
    }
    if (s->sample_type & SAMPLE_TIME)
        buf_u64(b, s->time_ns);
    if (s->sample_type & SAMPLE_CPU) {
        buf_u32(b, s->cpu);
        buf_u32(b, 0);
    }
    if (s->sample_type & SAMPLE_IDENTIFIER)
        buf_u64(b, s->id);
    record_end(b, at);
}

void record_comm(struct buf *b, const struct stamp *s, const char *comm, bool exec)
{
    size_t at = record_begin(b, RECORD_COMM, exec ? MISC_COMM_EXEC : 0);

    buf_u32(b, s->pid);
    buf_u32(b, s->tid);
    buf_str(b, comm, 8);
    stamp_end(b, s, at);
}

void record_mmap2(struct buf *b, const struct stamp *s, const struct rec_map *m,
                  bool build_id)
{
    bool with_id = build_id && m->build_id_size;
    size_t at = record_begin(
        b, RECORD_MMAP2, (uint16_t)(MISC_USER | (with_id ? MISC_MMAP_BUILD_ID : 0)));

    buf_u32(b, s->pid);
    buf_u32(b, s->tid);
    buf_u64(b, m->addr);
    buf_u64(b, m->len);
    buf_u64(b, m->pgoff);
    if (with_id) {
        buf_u32(b, m->build_id_size);
        buf_put(b, m->build_id, sizeof(m->build_id));
    } else {
        buf_u32(b, m->maj);
        buf_u32(b, m->min);
        buf_u64(b, m->ino);
        buf_u64(b, m->ino_generation);
    }
    buf_u32(b, m->prot);
    buf_u32(b, m->flags);
    buf_str(b, m->name, 8);
    stamp_end(b, s, at);
}

void record_task(struct buf *b, const struct stamp *s, enum record_type type,
                 const uint32_t pid_ppid_tid_ptid[4])
{
    size_t at = record_begin(b, type, 0);

    for (int i = 0; i < 4; i++)
        buf_u32(b, pid_ppid_tid_ptid[i]);
    buf_u64(b, s->time_ns);
    stamp_end(b, s, at);
}

void record_aux(struct buf *b, const struct stamp *s, uint64_t offset, uint64_t size,
                uint64_t flags)
{
    size_t at = record_begin(b, RECORD_AUX, 0);

    buf_u64(b, offset);
    buf_u64(b, size);
    buf_u64(b, flags);
    stamp_end(b, s, at);
}

void record_itrace_start(struct buf *b, const struct stamp *s)
{
    size_t at = record_begin(b, RECORD_ITRACE_START, 0);

    buf_u32(b, s->pid);
    buf_u32(b, s->tid);
    stamp_end(b, s, at);
}

void record_sample(struct buf *b, const struct stamp *s, uint64_t ip, uint64_t period,
                   const uint8_t *aux, size_t len)
{
    size_t at = record_begin(b, RECORD_SAMPLE, MISC_USER);

    buf_u64(b, s->id);
    buf_u64(b, ip);
    buf_u32(b, s->pid);
    buf_u32(b, s->tid);
    if (s->sample_type & SAMPLE_TIME)
        buf_u64(b, s->time_ns);
    if (s->sample_type & SAMPLE_CPU) {
        buf_u32(b, s->cpu);
        buf_u32(b, 0);
    }
    buf_u64(b, period);
    buf_u64(b, len);
    buf_put(b, aux, len);
    record_end(b, at);
}

void record_lost(struct buf *b, const struct stamp *s, uint64_t lost)
{
    size_t at = record_begin(b, RECORD_LOST, 0);

    buf_u64(b, s->id);
    buf_u64(b, lost);
    stamp_end(b, s, at);
}

void record_switch(struct buf *b, const struct stamp *s, uint16_t misc)
{
    stamp_end(b, s, record_begin(b, RECORD_SWITCH, misc));
}

void record_switch_cpu_wide(struct buf *b, const struct stamp *s, uint16_t misc,
                            uint32_t other_pid, uint32_t other_tid)
{
    size_t at = record_begin(b, RECORD_SWITCH_CPU_WIDE, misc);

    buf_u32(b, other_pid);
    buf_u32(b, other_tid);
    stamp_end(b, s, at);
}

void record_switch_next(struct buf *b, size_t at, uint32_t pid, uint32_t tid)
{
    struct buf next = {.data = b->data + at + 8, .room = 8};

    buf_u32(&next, pid);
    buf_u32(&next, tid);
}

void record_auxtrace(struct buf *b, uint64_t size, uint64_t offset, uint64_t reference,
                     uint32_t idx, uint32_t tid, uint32_t cpu)
{
    size_t at = record_begin(b, RECORD_AUXTRACE, 0);

    buf_u64(b, size);
    buf_u64(b, offset);
    buf_u64(b, reference);
    buf_u32(b, idx);
    buf_u32(b, tid);
    buf_u32(b, cpu);
    buf_u32(b, 0);
    record_end(b, at);
}

void record_empty(struct buf *b, enum record_type type)
{
    record_end(b, record_begin(b, type, 0));
}
